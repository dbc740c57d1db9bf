package rest

import (
	"context"
	"strings"
	"unicode"

	"github.com/danielgtaylor/huma/v2"
)

type operationKey struct{}

// noteOperation lets a request know which operation it is, to name the places of faults that only the node finds.
func noteOperation(ctx huma.Context, next func(huma.Context)) {
	next(huma.WithValue(ctx, operationKey{}, ctx.Operation()))
}

// operationIn is the operation that a context belongs to, or an empty one.
func operationIn(ctx context.Context) *huma.Operation {
	if op, ok := ctx.Value(operationKey{}).(*huma.Operation); ok {
		return op
	}
	return &huma.Operation{}
}

// placeOf finds the part of a request that a field of a call was made from.
func placeOf(op *huma.Operation, field string) string {
	name, _, _ := strings.Cut(field, "[")
	for _, param := range op.Parameters {
		if known := fieldName(param.Name); name == known || strings.HasSuffix(name, "_"+known) {
			return param.In + "." + param.Name + field[len(name):]
		}
	}
	if op.RequestBody != nil {
		return within(strings.TrimPrefix(field, "quota_proof.")) // which is the whole body
	}
	return field
}

// fieldName is the name that a parameter has in calls: snake case, and without how it is written.
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
