package rest

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"

	"connectrpc.com/connect"
	"github.com/danielgtaylor/huma/v2"
	"google.golang.org/protobuf/proto"

	"makechain/internal/jsonform"
	"makechain/internal/limit"
)

const (
	protobufType = "application/x-protobuf"
	bodyRoot     = "body" // the location of errors in a body
)

// A payload is an unparsed request body. It is not one of huma's body types, which huma parses leniently and with other
// statuses.
type payload struct {
	mediaType string
	data      []byte
}

// Resolve reads the body. The server around the gateway limits its size.
func (p *payload) Resolve(ctx huma.Context) []error {
	if encoding := ctx.Header("Content-Encoding"); encoding != "" && encoding != "identity" {
		return []error{invalidFields(codeUnsupportedMediaType, FieldError{"header.Content-Encoding", fmt.Sprintf("%q, want none", encoding)})}
	}
	p.mediaType = jsonType
	if header := ctx.Header("Content-Type"); header != "" {
		var err error
		if p.mediaType, _, err = mime.ParseMediaType(header); err != nil {
			return []error{unsupportedType(header, jsonType)}
		}
	}
	var err error
	p.data, err = io.ReadAll(io.LimitReader(ctx.BodyReader(), limit.MaxRequestBytes+1))
	var tooLarge *http.MaxBytesError
	var netErr net.Error
	switch {
	case errors.As(err, &tooLarge) || len(p.data) > limit.MaxRequestBytes:
		return []error{invalidFields(codeBodyTooLarge, FieldError{bodyRoot, fmt.Sprintf("larger than %d bytes", limit.MaxRequestBytes)})}
	case errors.Is(err, limit.ErrBusy):
		return []error{newProblem(connect.CodeUnavailable.String(), limit.ErrBusy.Error())}
	case errors.As(err, &netErr) && netErr.Timeout():
		return []error{invalidFields(codeRequestTimeout, FieldError{bodyRoot, "did not arrive in time"})}
	case err != nil:
		return []error{invalidFields(codeInvalidArgument, FieldError{bodyRoot, "cannot be read"})}
	default:
		return nil
	}
}

func unsupportedType(mediaType, want string) *Problem {
	return invalidFields(codeUnsupportedMediaType, FieldError{"header.Content-Type", fmt.Sprintf("%q, want %s", mediaType, want)})
}

// decode parses a body into a message. With the table of the message, the body may also be encoded as protobuf. It returns a
// *Problem with all errors of the body.
func (p *payload) decode(into proto.Message, wire *limit.Wire) error {
	switch {
	case p.mediaType == jsonType:
		if err := limit.CheckJSON(p.data); errors.Is(err, limit.ErrExpansion) { // jsonform locates other errors
			return invalidFields(codeInvalidArgument, FieldError{bodyRoot, err.Error()})
		}
		var invalid *jsonform.Error
		if err := jsonform.UnmarshalRequest(p.data, into); errors.As(err, &invalid) {
			return invalidBody(invalid)
		} else if err != nil {
			return fmt.Errorf("parse a body: %w", err)
		}
		return nil
	case wire != nil && p.mediaType == protobufType:
		if err := wire.Check(p.data); err != nil {
			return invalidFields(codeInvalidArgument, FieldError{bodyRoot, err.Error()})
		}
		if err := proto.Unmarshal(p.data, into); err != nil {
			return invalidFields(codeInvalidArgument, FieldError{bodyRoot, "not a valid protobuf encoding"})
		}
		return nil
	case wire != nil:
		return unsupportedType(p.mediaType, jsonType+" or "+protobufType)
	default:
		return unsupportedType(p.mediaType, jsonType)
	}
}

// invalidBody returns the problem of a body that is not JSON (400) or that its schema does not allow (422).
func invalidBody(invalid *jsonform.Error) *Problem {
	errs := make([]FieldError, len(invalid.Fields))
	for i, field := range invalid.Fields {
		errs[i] = FieldError{bodyLocation(field.Path), field.Message}
	}
	if invalid.Syntax {
		return invalidFields(codeInvalidArgument, errs...)
	}
	return invalidFields(codeSchema, errs...)
}

// bodyLocation returns the location in the request of a path in the body.
func bodyLocation(path string) string {
	switch {
	case path == "":
		return bodyRoot
	case path[0] == '[':
		return bodyRoot + path
	default:
		return bodyRoot + "." + path
	}
}
