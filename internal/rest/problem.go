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
	problemType = "application/problem+json"
	// retryAfterSeconds is when to try again what failed for a lack that passes.
	retryAfterSeconds = "1"
)

// A Problem is the answer to whatever could not be done, as in RFC 9457. It is an error, so that handlers return it.
type Problem struct { //nolint:errname // it is called what the RFC calls it
	Type   string  `doc:"Where the code is explained."                         format:"uri-reference" json:"type"`
	Title  string  `doc:"The code in words."                                   json:"title"`
	Status int     `doc:"The status of the answer."                            json:"status"`
	Detail string  `doc:"What happened this time, in a sentence."              json:"detail"`
	Code   string  `doc:"Stable, and the same on every API."                   json:"code"`
	Errors []Fault `doc:"Every fault of the request that was found, by place." json:"errors"`

	header http.Header
}

// A Fault is one thing that is wrong with a request.
type Fault struct {
	Location string `doc:"Where it is, such as path.projectId, query.limit or body.data.type." json:"location"`
	Message  string `doc:"What is wrong there."                                                json:"message"`
}

// newProblem makes a problem of one of the codes of the table.
func newProblem(code, detail string, faults ...Fault) *Problem {
	return newProblemOf(statusOf(code), code, detail, faults...)
}

func newProblemOf(status int, code, detail string, faults ...Fault) *Problem {
	if faults == nil {
		faults = []Fault{}
	}
	words := strings.ReplaceAll(code, "_", " ")
	p := &Problem{
		Type: "/reference#" + code, Title: strings.ToUpper(words[:1]) + words[1:],
		Status: status, Detail: detail, Code: code, Errors: faults, header: http.Header{},
	}
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		p.header.Set("Retry-After", retryAfterSeconds)
	}
	return p
}

// Error makes a problem usable as an error.
func (p *Problem) Error() string { return p.Code + ": " + p.Detail }

// GetStatus tells huma the status of the answer.
func (p *Problem) GetStatus() int { return p.Status }

// GetHeaders tells huma the headers of the answer.
func (p *Problem) GetHeaders() http.Header { return p.header }

// ContentType tells huma the type of the answer.
func (*Problem) ContentType(string) string { return problemType }

// ErrorDetail tells huma the place of a fault that was found while a request was read.
func (p *Problem) ErrorDetail() *huma.ErrorDetail {
	if len(p.Errors) == 0 {
		return &huma.ErrorDetail{Message: p.Detail}
	}
	return &huma.ErrorDetail{Location: p.Errors[0].Location, Message: p.Errors[0].Message}
}

// writeProblem answers with a problem outside of huma.
func writeProblem(w http.ResponseWriter, p *Problem) {
	maps.Copy(w.Header(), p.header)
	w.Header().Set("Cache-Control", noStore)
	w.Header().Set("Content-Type", problemType)
	w.WriteHeader(p.Status)
	_ = writeJSON(w, p) // a client that is gone cannot be told
}

// problemFrom translates a fault that huma found in a request.
func problemFrom(found *huma.ErrorModel) *Problem {
	faults := make([]Fault, 0, len(found.Errors))
	for _, detail := range found.Errors {
		faults = append(faults, Fault{Location: detail.Location, Message: detail.Message})
	}
	if len(faults) == 0 {
		return newProblem(codeOf(found.Status), found.Detail)
	}
	return faulty(codeOf(found.Status), faults...)
}

// faulty is the problem of a request with faults, of which the first is told in a sentence.
func faulty(code string, faults ...Fault) *Problem {
	detail := faults[0].Location + ": " + faults[0].Message
	if more := len(faults) - 1; more > 0 {
		detail += fmt.Sprintf(" (and %d more)", more)
	}
	return newProblem(code, detail, faults...)
}

// problemOf translates what a call failed with.
func (g *Gateway) problemOf(ctx context.Context, err error) *Problem {
	var failed *connect.Error
	if !errors.As(err, &failed) {
		return g.internal(ctx, err)
	}
	if refusal := refusalIn(failed); refusal != nil {
		return newProblemOf(refusalStatus(message.Code(refusal.GetCode())), refusal.GetCode(), refusal.GetError())
	}
	switch code := failed.Code(); {
	case code == connect.CodeCanceled || code == connect.CodeDeadlineExceeded:
		return newProblem(code.String(), "the call was ended before it was answered")
	case !connect.IsWireError(err):
		g.config.Log.LogAttrs(ctx, slog.LevelWarn, "upstream cannot be reached", slog.String("error", err.Error()))
		return newProblem(connect.CodeUnavailable.String(), "the node cannot be reached")
	case isInternal(code):
		return g.internal(ctx, err)
	case code == connect.CodeInvalidArgument:
		return invalidField(ctx, failed.Message())
	default:
		return newProblem(code.String(), failed.Message())
	}
}

// refusalIn finds the refusal that an error carries, if any: that of a mempool without room.
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

// invalidField reads the field that a node complains about. Bad limits and cursors are 422 like other faults of paging.
func invalidField(ctx context.Context, sentence string) *Problem {
	field, reason, found := strings.Cut(sentence, ": ")
	if !found || strings.Contains(field, " ") {
		return newProblem(codeInvalidArgument, sentence)
	}
	fault := Fault{placeOf(operationIn(ctx), field), reason}
	if field == "cursor" || field == "limit" {
		return newProblemOf(http.StatusUnprocessableEntity, codeInvalidArgument, sentence, fault)
	}
	return newProblem(codeInvalidArgument, sentence, fault)
}

func isInternal(code connect.Code) bool {
	return code == connect.CodeInternal || code == connect.CodeUnknown || code == connect.CodeDataLoss
}

// internal hides what nobody foresaw: the log has it, under the id that the client is told.
func (g *Gateway) internal(ctx context.Context, err error) *Problem {
	g.config.Log.LogAttrs(ctx, slog.LevelError, "unforeseen error", slog.String("error", err.Error()))
	return newProblem(codeInternal, "internal error, request "+g.config.RequestID(ctx))
}

func writeJSON(w interface{ Write(p []byte) (int, error) }, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}
