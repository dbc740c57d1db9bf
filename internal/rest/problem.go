package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"strings"

	"connectrpc.com/connect"
	"github.com/danielgtaylor/huma/v2"

	pb "makechain/gen/makechain"
	"makechain/message"
)

const (
	problemType      = "application/problem+json"
	retryAfterHeader = "Retry-After"
	// retryAfterSeconds is the Retry-After of responses with status 429 and 503.
	retryAfterSeconds = "1"
)

// A Problem is a problem document (RFC 9457). It implements error, so that handlers can return it.
type Problem struct { //nolint:errname // the name that the RFC uses
	Type   string       `doc:"A link to the description of the code."      format:"uri-reference" json:"type"`
	Title  string       `doc:"The code as text."                           json:"title"`
	Status int          `doc:"The HTTP status of the response."            json:"status"`
	Detail string       `doc:"A description of this error."                json:"detail"`
	Code   string       `doc:"A stable code, the same in REST and gRPC."   json:"code"`
	Errors []FieldError `doc:"The parameters and fields that are invalid." json:"errors"          nullable:"false"`

	header http.Header
}

// A FieldError is an error in one parameter or field of a request.
type FieldError struct {
	Location string `doc:"The location in the request, such as path.projectId, query.limit or body.data.type." json:"location"`
	Message  string `doc:"What is wrong with it."                                                              json:"message"`
}

// newProblem returns a problem with the status of its code.
func newProblem(code, detail string, errs ...FieldError) *Problem {
	return newProblemWithStatus(statusOf(code), code, detail, errs...)
}

func newProblemWithStatus(status int, code, detail string, errs ...FieldError) *Problem {
	if errs == nil {
		errs = []FieldError{}
	}
	title := strings.ReplaceAll(code, "_", " ")
	p := &Problem{
		Type: "/reference#" + code, Title: strings.ToUpper(title[:1]) + title[1:],
		Status: status, Detail: detail, Code: code, Errors: errs, header: http.Header{},
	}
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		p.header.Set(retryAfterHeader, retryAfterSeconds)
	}
	return p
}

// Error returns the code and the detail.
func (p *Problem) Error() string { return p.Code + ": " + p.Detail }

// GetStatus returns the HTTP status, for huma.
func (p *Problem) GetStatus() int { return p.Status }

// GetHeaders returns the headers of the response, for huma.
func (p *Problem) GetHeaders() http.Header { return p.header }

// ContentType returns the media type of the response, for huma.
func (*Problem) ContentType(string) string { return problemType }

// ErrorDetail returns the first field error of a problem that was found while a request was parsed, for huma.
func (p *Problem) ErrorDetail() *huma.ErrorDetail {
	if len(p.Errors) == 0 {
		return &huma.ErrorDetail{Message: p.Detail}
	}
	return &huma.ErrorDetail{Location: p.Errors[0].Location, Message: p.Errors[0].Message}
}

// writeProblem responds with a problem without huma.
func writeProblem(w http.ResponseWriter, p *Problem) {
	maps.Copy(w.Header(), p.header)
	w.Header().Set("Cache-Control", noStore)
	w.Header().Set("Content-Type", problemType)
	w.WriteHeader(p.Status)
	_ = writeJSON(w, p) // the client may have disconnected
}

// WriteProblem responds with the problem of a code, whose status is that of the table of codes.
func WriteProblem(w http.ResponseWriter, code, detail string) {
	writeProblem(w, newProblem(code, detail))
}

// WriteError responds with a problem to a request that the server around the gateway rejects. A Retry-After header of the
// server is kept. A browser's EventSource receives a stream that ends at once, as from refuseStream.
func WriteError(w http.ResponseWriter, r *http.Request, status int, reason string) {
	if isTemporary(status) && strings.HasPrefix(r.URL.Path, streamPaths) && acceptsEvents(r.Header.Get("Accept")) {
		writeRetry(w, r, reason)
		return
	}
	code, errs := codeInternal, []FieldError(nil)
	switch status {
	case http.StatusNotFound:
		code = codeNotFound
	case http.StatusForbidden:
		code = connect.CodePermissionDenied.String()
	case http.StatusMethodNotAllowed:
		code = codeMethodNotAllowed
	case http.StatusTooManyRequests:
		code = connect.CodeResourceExhausted.String()
	case http.StatusServiceUnavailable:
		code = connect.CodeUnavailable.String()
	case http.StatusRequestEntityTooLarge:
		code, errs = codeBodyTooLarge, []FieldError{{Location: bodyRoot, Message: reason}}
	}
	p := newProblemWithStatus(status, code, reason, errs...)
	if w.Header().Get(retryAfterHeader) != "" {
		p.header.Del(retryAfterHeader)
	}
	writeProblem(w, p)
}

// problemFrom returns the problem of a request that huma found invalid.
func problemFrom(model *huma.ErrorModel) *Problem {
	errs := make([]FieldError, 0, len(model.Errors))
	for _, detail := range model.Errors {
		errs = append(errs, FieldError{Location: detail.Location, Message: detail.Message})
	}
	if len(errs) == 0 {
		return newProblem(codeOf(model.Status), model.Detail)
	}
	return invalidFields(codeOf(model.Status), errs...)
}

// invalidFields returns the problem of a request with invalid fields. Its detail is the first error.
func invalidFields(code string, errs ...FieldError) *Problem {
	detail := errs[0].Location + ": " + errs[0].Message
	if more := len(errs) - 1; more > 0 {
		detail += fmt.Sprintf(" (and %d more)", more)
	}
	return newProblem(code, detail, errs...)
}

// problemOf returns the problem of a call that failed.
func (g *Gateway) problemOf(ctx context.Context, err error) *Problem {
	var failed *connect.Error
	if !errors.As(err, &failed) {
		return g.internal(ctx, err)
	}
	if refusal := refusalIn(failed); refusal != nil {
		return newProblemWithStatus(refusalStatus(message.Code(refusal.GetCode())), refusal.GetCode(), refusal.GetError())
	}
	switch code := failed.Code(); {
	case errors.Is(err, errUnreachable):
		g.config.Log.LogAttrs(ctx, slog.LevelWarn, "the upstream cannot be reached", slog.String("error", err.Error()))
		return newProblem(connect.CodeUnavailable.String(), errUnreachable.Error())
	case code == connect.CodeCanceled || code == connect.CodeDeadlineExceeded:
		return newProblem(code.String(), "the call ended before the node responded")
	case code == connect.CodeInternal || code == connect.CodeUnknown || code == connect.CodeDataLoss:
		return g.internal(ctx, err)
	case code == connect.CodeInvalidArgument:
		return invalidArgument(ctx, failed.Message())
	default:
		p := newProblem(code.String(), failed.Message())
		if wait := failed.Meta().Get(retryAfterHeader); wait != "" {
			p.header.Set(retryAfterHeader, wait)
		}
		return p
	}
}

// refusalIn returns the refusal in the details of an error, such as that of a full mempool, or nil.
func refusalIn(failed *connect.Error) *pb.SubmitMessageResponse {
	for _, detail := range failed.Details() {
		value, err := detail.Value()
		if err != nil {
			continue
		}
		if refusal, ok := value.(*pb.SubmitMessageResponse); ok && refusal.GetCode() != "" {
			return refusal
		}
	}
	return nil
}

// invalidArgument returns the problem of a call with an invalid argument, whose error has the form "field: reason". The
// status is 422 for limits and cursors, as for other invalid paging parameters.
func invalidArgument(ctx context.Context, text string) *Problem {
	field, reason, found := strings.Cut(text, ": ")
	if !found || strings.Contains(field, " ") {
		return newProblem(codeInvalidArgument, text)
	}
	err := FieldError{locationOf(ctx, field), reason}
	if field == "cursor" || field == "limit" {
		return newProblemWithStatus(http.StatusUnprocessableEntity, codeInvalidArgument, text, err)
	}
	return newProblem(codeInvalidArgument, text, err)
}

// internal logs an unexpected error and returns a problem that has only the request id.
func (g *Gateway) internal(ctx context.Context, err error) *Problem {
	g.config.Log.LogAttrs(ctx, slog.LevelError, "unexpected error", slog.String("error", err.Error()))
	return newProblem(codeInternal, "internal error, request "+g.config.RequestID(ctx))
}

func writeJSON(w interface{ Write(p []byte) (int, error) }, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}
