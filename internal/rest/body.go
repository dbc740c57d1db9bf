package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"google.golang.org/protobuf/proto"

	"makechain/internal/jsonform"
)

const (
	// maxBodyBytes is the most that the body of a request takes.
	maxBodyBytes = 4 << 20

	protobufType = "application/x-protobuf"
	bodyPlace    = "body"
)

// A payload is the body of a request as it came. Its type is none of huma's own bodies: those are read with other
// statuses, and by no means strictly.
type payload struct {
	mediaType string
	data      []byte
}

// Resolve reads the body.
func (p *payload) Resolve(ctx huma.Context) []error {
	p.mediaType = jsonType
	if header := ctx.Header("Content-Type"); header != "" {
		var err error
		if p.mediaType, _, err = mime.ParseMediaType(header); err != nil {
			return []error{unsupported(header, jsonType)}
		}
	}
	var err error
	p.data, err = io.ReadAll(io.LimitReader(ctx.BodyReader(), maxBodyBytes+1))
	var tooLarge *http.MaxBytesError
	var late net.Error
	switch {
	case errors.As(err, &tooLarge) || len(p.data) > maxBodyBytes:
		return []error{faulty(codeBodyTooLarge, Fault{bodyPlace, fmt.Sprintf("over %d bytes", maxBodyBytes)})}
	case errors.As(err, &late) && late.Timeout():
		return []error{faulty(codeRequestTimeout, Fault{bodyPlace, "did not arrive in time"})}
	case err != nil:
		return []error{faulty(codeInvalidArgument, Fault{bodyPlace, "cannot be read"})}
	default:
		return nil
	}
}

func unsupported(mediaType, wanted string) *Problem {
	return faulty(codeUnsupportedMediaType, Fault{"header.Content-Type", fmt.Sprintf("%q, want %s", mediaType, wanted)})
}

// decodeMessage reads a body that may also be protobuf. What is wrong with it is a problem.
func (g *Gateway) decodeMessage(sent *payload, into proto.Message) error {
	switch sent.mediaType {
	case jsonType:
		return g.decodeJSON(sent.data, into)
	case protobufType:
		if err := proto.Unmarshal(sent.data, into); err != nil {
			return faulty(codeInvalidArgument, Fault{bodyPlace, "not the encoding of a message"})
		}
		return nil
	default:
		return unsupported(sent.mediaType, jsonType+" or "+protobufType)
	}
}

// decodeDocument reads a body that is JSON.
func (g *Gateway) decodeDocument(sent *payload, into proto.Message) error {
	if sent.mediaType != jsonType {
		return unsupported(sent.mediaType, jsonType)
	}
	return g.decodeJSON(sent.data, into)
}

func (g *Gateway) decodeJSON(data []byte, into proto.Message) error {
	var found *jsonform.Error
	if err := jsonform.Unmarshal(data, into); errors.As(err, &found) {
		return problemIn(found)
	} else if err != nil {
		return fmt.Errorf("read a body: %w", err)
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		return faulty(codeInvalidArgument, Fault{bodyPlace, err.Error()})
	}
	schemas := g.schemas()
	result := &huma.ValidateResult{}
	schema := inputSchema(schemas, into.ProtoReflect().Descriptor())
	huma.Validate(schemas, schema, huma.NewPathBuffer([]byte(bodyPlace), len(bodyPlace)), huma.ModeWriteToServer, value, result)
	if len(result.Errors) == 0 {
		return nil
	}
	return problemFrom(&huma.ErrorModel{Status: http.StatusUnprocessableEntity, Errors: details(result.Errors)})
}

func details(errs []error) []*huma.ErrorDetail {
	list := make([]*huma.ErrorDetail, 0, len(errs))
	for _, err := range errs {
		if detail, ok := errors.AsType[*huma.ErrorDetail](err); ok {
			list = append(list, detail)
		}
	}
	return list
}

// problemIn tells what is wrong with a document: one that is no JSON is 400, one of another form 422.
func problemIn(found *jsonform.Error) *Problem {
	faults := make([]Fault, len(found.Faults))
	for i, fault := range found.Faults {
		faults[i] = Fault{within(fault.Place), fault.Text}
	}
	if found.Syntax {
		return faulty(codeInvalidArgument, faults...)
	}
	return faulty(codeSchema, faults...)
}

// within puts a place of a document into the request.
func within(place string) string {
	switch {
	case place == "":
		return bodyPlace
	case place[0] == '[':
		return bodyPlace + place
	default:
		return bodyPlace + "." + place
	}
}
