package rest

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

type requestKey struct{}

// A request is the HTTP request that calls are made for.
type request struct {
	huma      huma.Context
	forwarded bool // the headers of a call were forwarded
}

// withRequest adds the request to its context.
func withRequest(ctx huma.Context, next func(huma.Context)) {
	r := new(request)
	r.huma = huma.WithValue(ctx, requestKey{}, r)
	next(r.huma)
}

// forwardHeaders copies Config.ForwardHeaders from the response of the upstream to the response of the request. If several
// calls are made, only the first counts: the others read the same state or a later one.
func (g *Gateway) forwardHeaders(ctx context.Context, from http.Header) {
	r, isRequest := ctx.Value(requestKey{}).(*request)
	if !isRequest || r.forwarded {
		return
	}
	r.forwarded = true
	for _, name := range g.config.ForwardHeaders {
		if value := from.Get(name); value != "" {
			r.huma.SetHeader(name, value)
		}
	}
}

// rejectRepeated rejects requests with a query parameter that is given more than once.
func rejectRepeated(ctx huma.Context, next func(huma.Context)) {
	url := ctx.URL()
	var errs []FieldError
	query := url.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if len(query[name]) > 1 {
			errs = append(errs, FieldError{"query." + name, "given more than once"})
		}
	}
	if errs != nil {
		_, w := humago.Unwrap(ctx)
		writeProblem(w, invalidFields(codeSchema, errs...))
		return
	}
	next(ctx)
}

// locationOf returns the location in the current request from which a field of a call was set.
func locationOf(ctx context.Context, field string) string {
	r, isRequest := ctx.Value(requestKey{}).(*request)
	if !isRequest {
		return field
	}
	op := r.huma.Operation()
	name, _, _ := strings.Cut(field, "[")
	for _, param := range op.Parameters {
		if known := fieldName(param.Name); name == known || strings.HasSuffix(name, "_"+known) {
			return param.In + "." + param.Name + field[len(name):]
		}
	}
	if op.RequestBody != nil {
		return bodyLocation(strings.TrimPrefix(field, "quota_proof.")) // quota_proof is the body itself
	}
	return field
}

// fieldName returns the name that a parameter has in calls: in snake case, without the suffix for its encoding.
func fieldName(param string) string {
	var name strings.Builder
	for _, letter := range param {
		if unicode.IsUpper(letter) {
			name.WriteByte('_')
			letter = unicode.ToLower(letter)
		}
		name.WriteRune(letter)
	}
	return strings.TrimSuffix(name.String(), "_hex")
}
