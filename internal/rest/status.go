package rest

import (
	"net/http"

	"connectrpc.com/connect"

	"makechain/message"
)

// Codes of problems that the gateway itself finds. All others are those of gRPC and of refusals.
const (
	codeInvalidArgument      = "invalid_argument"
	codeNotFound             = "not_found"
	codeInternal             = "internal"
	codeSchema               = "schema"
	codeMethodNotAllowed     = "method_not_allowed"
	codeBodyTooLarge         = "body_too_large"
	codeUnsupportedMediaType = "unsupported_media_type"
	codeRequestTimeout       = "request_timeout"
)

// statusClientClosed is what others use too for an answer that nobody waits for; HTTP has no such status.
const statusClientClosed = 499

// statuses are those of the codes that a problem can have. read-only: a table
var statuses = map[string]int{
	connect.CodeCanceled.String():           statusClientClosed,
	connect.CodeUnknown.String():            http.StatusInternalServerError,
	connect.CodeInvalidArgument.String():    http.StatusBadRequest,
	connect.CodeDeadlineExceeded.String():   http.StatusGatewayTimeout,
	connect.CodeNotFound.String():           http.StatusNotFound,
	connect.CodeAlreadyExists.String():      http.StatusConflict,
	connect.CodePermissionDenied.String():   http.StatusForbidden,
	connect.CodeResourceExhausted.String():  http.StatusTooManyRequests,
	connect.CodeFailedPrecondition.String(): http.StatusConflict,
	connect.CodeAborted.String():            http.StatusConflict,
	connect.CodeOutOfRange.String():         http.StatusBadRequest,
	connect.CodeUnimplemented.String():      http.StatusNotImplemented,
	connect.CodeInternal.String():           http.StatusInternalServerError,
	connect.CodeUnavailable.String():        http.StatusServiceUnavailable,
	connect.CodeDataLoss.String():           http.StatusInternalServerError,
	connect.CodeUnauthenticated.String():    http.StatusUnauthorized,

	codeSchema:               http.StatusUnprocessableEntity,
	codeMethodNotAllowed:     http.StatusMethodNotAllowed,
	codeBodyTooLarge:         http.StatusRequestEntityTooLarge,
	codeUnsupportedMediaType: http.StatusUnsupportedMediaType,
	codeRequestTimeout:       http.StatusRequestTimeout,
}

// codeOf is the code of a fault that was found in a request before anything was asked.
func codeOf(status int) string {
	switch status {
	case http.StatusUnprocessableEntity:
		return codeSchema
	case http.StatusRequestEntityTooLarge:
		return codeBodyTooLarge
	case http.StatusUnsupportedMediaType:
		return codeUnsupportedMediaType
	case http.StatusRequestTimeout:
		return codeRequestTimeout
	case http.StatusInternalServerError:
		return codeInternal
	default:
		return codeInvalidArgument
	}
}

// statusOf is the status of a code; one that nobody listed is a failure.
func statusOf(code string) int {
	if status, ok := statuses[code]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// refusals are the statuses of refused messages. A refusal is an answer like another, so most are 200. Those that
// compare a value of the sender with the state and found another are conflicts, for who asks to have them told apart:
// somebody else was faster. A mempool without room is a lack of the node. read-only: a table
var refusals = map[message.Code]int{
	message.CodeMalformed:         http.StatusOK,
	message.CodeTooLarge:          http.StatusOK,
	message.CodeUnknownType:       http.StatusOK,
	message.CodeWrongNetwork:      http.StatusOK,
	message.CodeHashMismatch:      http.StatusOK,
	message.CodeDataBytesMismatch: http.StatusOK,
	message.CodeBadSignature:      http.StatusOK,

	message.CodeInvalidField: http.StatusOK,

	message.CodeUnknownSigner:            http.StatusOK,
	message.CodeInsufficientScope:        http.StatusOK,
	message.CodeProjectNotAllowed:        http.StatusOK,
	message.CodeUnknownProject:           http.StatusOK,
	message.CodeProjectArchived:          http.StatusOK,
	message.CodeProjectRemoved:           http.StatusOK,
	message.CodeInsufficientPermission:   http.StatusOK,
	message.CodeBadCustodySignature:      http.StatusOK,
	message.CodeCustodyNotAuthorized:     http.StatusOK,
	message.CodeCustodyNonceMismatch:     http.StatusConflict,
	message.CodeCustodyWindowClosed:      http.StatusOK,
	message.CodeBadClaimSignature:        http.StatusOK,
	message.CodeInsufficientAttestations: http.StatusOK,

	message.CodeTooEarly:         http.StatusOK,
	message.CodeTooLate:          http.StatusOK,
	message.CodeDuplicate:        http.StatusOK,
	message.CodeNotFound:         http.StatusOK,
	message.CodeStaleWrite:       http.StatusOK,
	message.CodeNothingNew:       http.StatusOK,
	message.CodeNameTaken:        http.StatusOK,
	message.CodeNoUsableStorage:  http.StatusOK,
	message.CodeQuotaExceeded:    http.StatusOK,
	message.CodeRefNonceMismatch: http.StatusConflict,
	message.CodeRefHashMismatch:  http.StatusConflict,
	message.CodeRefTypeMismatch:  http.StatusOK,
	message.CodeNotFastForward:   http.StatusOK,
	message.CodeUnknownCommit:    http.StatusOK,
	message.CodeNotAFork:         http.StatusOK,
	message.CodeOwnerTarget:      http.StatusOK,
	message.CodeKeyTaken:         http.StatusOK,
	message.CodeKeyRevoked:       http.StatusOK,
	message.CodeUsernameTaken:    http.StatusOK,
	message.CodeUsernameHeld:     http.StatusOK,
	message.CodeNoUsername:       http.StatusOK,
	message.CodeUsernameCooldown: http.StatusOK,
	message.CodeClaimUsed:        http.StatusOK,
	message.CodeClaimExpired:     http.StatusOK,

	message.CodeMempoolFull: http.StatusServiceUnavailable,
}

// refusalStatus is the status of a refused message; a code of a newer node is an answer like another.
func refusalStatus(code message.Code) int {
	if status, ok := refusals[code]; ok {
		return status
	}
	return http.StatusOK
}
