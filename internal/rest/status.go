package rest

import (
	"net/http"

	"connectrpc.com/connect"

	"makechain/message"
)

// Codes of the gateway itself. Other codes are those of gRPC and of refusals.
const (
	codeInvalidArgument      = "invalid_argument"
	codeNotFound             = "not_found"
	codeInternal             = "internal"
	codeSchema               = "schema"
	codeMethodNotAllowed     = "method_not_allowed"
	codeBodyTooLarge         = "body_too_large"
	codeUnsupportedMediaType = "unsupported_media_type"
	codeRequestTimeout       = "request_timeout"
	// Of the content service.
	codeLengthRequired      = "length_required"
	codeDigestMismatch      = "digest_mismatch"
	codeInvalidBundle       = "invalid_bundle"
	codeContentQuota        = "content_quota_exceeded"
	codeInsufficientStorage = "insufficient_storage"
)

// statusClientClosed is the status of a request whose client has disconnected, as in nginx; HTTP defines none.
const statusClientClosed = 499

// codeInfo is the status and the description of a code.
type codeInfo struct {
	status  int
	meaning string
}

// codes are the codes that a problem can have, except those of refusals. read-only: a table.
var codes = map[string]codeInfo{
	connect.CodeCanceled.String():           {statusClientClosed, "The client disconnected before the response."},
	connect.CodeUnknown.String():            {http.StatusInternalServerError, "The node failed. Its log has the error under the request id."},
	connect.CodeInvalidArgument.String():    {http.StatusBadRequest, "An argument is invalid. An invalid limit or cursor is 422."},
	connect.CodeDeadlineExceeded.String():   {http.StatusGatewayTimeout, "The node did not respond in time."},
	connect.CodeNotFound.String():           {http.StatusNotFound, "The requested object does not exist."},
	connect.CodeAlreadyExists.String():      {http.StatusConflict, "The object exists already."},
	connect.CodePermissionDenied.String():   {http.StatusForbidden, "The client is not allowed to make this request."},
	connect.CodeResourceExhausted.String():  {http.StatusTooManyRequests, "Too many requests, or a response that is too large. See Retry-After."},
	connect.CodeFailedPrecondition.String(): {http.StatusConflict, "The state does not allow the request."},
	connect.CodeAborted.String():            {http.StatusConflict, "The node no longer keeps the list of this page. Read it again, without a cursor."},
	connect.CodeOutOfRange.String():         {http.StatusBadRequest, "The position is beyond the latest block, or no longer available."},
	connect.CodeUnimplemented.String():      {http.StatusNotImplemented, "The node does not implement this call. It may be older than the gateway."},
	connect.CodeInternal.String():           {http.StatusInternalServerError, "The node failed. Its log has the error under the request id."},
	connect.CodeUnavailable.String():        {http.StatusServiceUnavailable, "The node is not available. Retry after the time in Retry-After."},
	connect.CodeDataLoss.String():           {http.StatusInternalServerError, "The data of the node is corrupt."},
	connect.CodeUnauthenticated.String():    {http.StatusUnauthorized, "The node requires authentication."},

	codeSchema:               {http.StatusUnprocessableEntity, "A parameter or the body does not match its schema."},
	codeMethodNotAllowed:     {http.StatusMethodNotAllowed, "The path does not support the method. Allow lists those that it does."},
	codeBodyTooLarge:         {http.StatusRequestEntityTooLarge, "The body is larger than 4 MiB."},
	codeUnsupportedMediaType: {http.StatusUnsupportedMediaType, "The path does not support the media type of the body."},
	codeRequestTimeout:       {http.StatusRequestTimeout, "The body did not arrive in time."},

	codeLengthRequired:      {http.StatusLengthRequired, "An upload has no Content-Length."},
	codeDigestMismatch:      {http.StatusUnprocessableEntity, "The bytes of an upload do not have the digest in the path."},
	codeInvalidBundle:       {http.StatusUnprocessableEntity, "The bytes of an upload are not a git bundle that is accepted."},
	codeContentQuota:        {http.StatusForbidden, "The upload exceeds what the storage units of an account allow."},
	codeInsufficientStorage: {http.StatusInsufficientStorage, "The content service has no space for uploads."},
}

// codeOf returns the code for a status with which huma rejects a request.
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

// statusOf returns the status of a code, 500 for one that is not listed.
func statusOf(code string) int {
	if info, ok := codes[code]; ok {
		return info.status
	}
	return http.StatusInternalServerError
}

// refusals are the statuses of refused messages: 200 with accepted false for most, 409 for failed compare-and-swaps if the
// client sets strict, 503 if the node cannot accept messages. read-only: a table.
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
	message.CodeWrongSettlementChain:     http.StatusOK,
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
	message.CodeNotMerged:        http.StatusOK,
	message.CodeOwnerTarget:      http.StatusOK,
	message.CodeKeyTaken:         http.StatusOK,
	message.CodeKeyRevoked:       http.StatusOK,
	message.CodeUsernameTaken:    http.StatusOK,
	message.CodeUsernameHeld:     http.StatusOK,
	message.CodeNoUsername:       http.StatusOK,
	message.CodeUsernameCooldown: http.StatusOK,
	message.CodeClaimUsed:        http.StatusOK,
	message.CodeClaimExpired:     http.StatusOK,

	message.CodeMempoolFull:    http.StatusServiceUnavailable,
	message.CodeMempoolEvicted: http.StatusOK,
	message.CodeUnavailable:    http.StatusServiceUnavailable,
}

// refusalStatus returns the status of a refused message, 200 for a code that is not listed.
func refusalStatus(code message.Code) int {
	if status, ok := refusals[code]; ok {
		return status
	}
	return http.StatusOK
}
