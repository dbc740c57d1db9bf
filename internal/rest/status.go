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

// outcome is how a code is answered, and what it means.
type outcome struct {
	status  int
	meaning string
}

// outcomes are those of the codes that a problem can have, besides the codes of refusals. read-only: a table.
var outcomes = map[string]outcome{
	connect.CodeCanceled.String():           {statusClientClosed, "The client went away before it was answered."},
	connect.CodeUnknown.String():            {http.StatusInternalServerError, "The node failed. Its log knows more, by the id of the request."},
	connect.CodeInvalidArgument.String():    {http.StatusBadRequest, "The request cannot be answered as it is. A bad limit or cursor is 422."},
	connect.CodeDeadlineExceeded.String():   {http.StatusGatewayTimeout, "The node took too long."},
	connect.CodeNotFound.String():           {http.StatusNotFound, "What the request names is not there."},
	connect.CodeAlreadyExists.String():      {http.StatusConflict, "What the request would make is there already."},
	connect.CodePermissionDenied.String():   {http.StatusForbidden, "This client may not ask for that."},
	connect.CodeResourceExhausted.String():  {http.StatusTooManyRequests, "Too many requests, or an answer that is too large. Wait for Retry-After."},
	connect.CodeFailedPrecondition.String(): {http.StatusConflict, "The state is not as the request needs it."},
	connect.CodeAborted.String():            {http.StatusConflict, "Something else came in between. Try again."},
	connect.CodeOutOfRange.String():         {http.StatusBadRequest, "The request reaches beyond what the chain has or still keeps."},
	connect.CodeUnimplemented.String():      {http.StatusNotImplemented, "The node does not know this call. It may be older than the gateway."},
	connect.CodeInternal.String():           {http.StatusInternalServerError, "The node failed. Its log knows more, by the id of the request."},
	connect.CodeUnavailable.String():        {http.StatusServiceUnavailable, "The node cannot answer now. Retry-After says when to come back."},
	connect.CodeDataLoss.String():           {http.StatusInternalServerError, "The node found its data damaged."},
	connect.CodeUnauthenticated.String():    {http.StatusUnauthorized, "The node wants to know who asks."},

	codeSchema:               {http.StatusUnprocessableEntity, "A parameter or the body is not of the form that its schema describes."},
	codeMethodNotAllowed:     {http.StatusMethodNotAllowed, "The path takes other methods, which Allow lists."},
	codeBodyTooLarge:         {http.StatusRequestEntityTooLarge, "The body takes more than 4 MiB."},
	codeUnsupportedMediaType: {http.StatusUnsupportedMediaType, "The body is of a type that this path does not take."},
	codeRequestTimeout:       {http.StatusRequestTimeout, "The body did not arrive in time."},
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
	if found, ok := outcomes[code]; ok {
		return found.status
	}
	return http.StatusInternalServerError
}

// refusals are the statuses of refused messages. A refusal is an answer like another, so most are 200. Those that
// compare a value of the sender with the state and found another are conflicts, for who asks to have them told apart:
// somebody else was faster. A mempool without room is a lack of the node. read-only: a table.
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
	message.CodeUnavailable: http.StatusServiceUnavailable,
}

// refusalStatus is the status of a refused message; a code of a newer node is an answer like another.
func refusalStatus(code message.Code) int {
	if status, ok := refusals[code]; ok {
		return status
	}
	return http.StatusOK
}
