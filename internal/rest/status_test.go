package rest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"strconv"
	"testing"

	"connectrpc.com/connect"

	"makechain/message"
)

// TestEveryCodeHasAStatus checks that the tables have every code of gRPC and of refusals.
//
// Rules: REST, P10.5.
func TestEveryCodeHasAStatus(t *testing.T) {
	t.Parallel()
	for code := connect.CodeCanceled; code <= connect.CodeUnauthenticated; code++ {
		if found, ok := codes[code.String()]; !ok || found.status < http.StatusBadRequest || found.meaning == "" {
			t.Errorf("%s is answered with %v", code, found)
		}
	}
	codes := refusalCodes(t)
	for _, code := range codes {
		if _, ok := refusals[code]; !ok {
			t.Errorf("%s has no status", code)
		}
	}
	if len(codes) < 40 || len(codes) != len(refusals) {
		t.Errorf("%d codes of refusals, %d have a status", len(codes), len(refusals))
	}
}

// refusalCodes reads the codes from the source, so that new ones are included.
func refusalCodes(t *testing.T) []message.Code {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../message/refusal.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var codes []message.Code
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if declared, ok := spec.Type.(*ast.Ident); ok && declared.Name == "Code" {
			text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			codes = append(codes, message.Code(text))
		}
		return true
	})
	return codes
}

// TestStatusesOfTheSpecification checks the statuses that the specification lists.
//
// Rules: REST.
func TestStatusesOfTheSpecification(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]int{
		"not_found": 404, "invalid_argument": 400, "schema": 422, "resource_exhausted": 429, "deadline_exceeded": 504, "internal": 500,
		"unavailable": 503, "unsupported_media_type": 415, "body_too_large": 413, "a code of the future": 500,
	} {
		if got := statusOf(code); got != want {
			t.Errorf("%s: %d, want %d", code, got, want)
		}
	}
	for code, want := range map[message.Code]int{
		message.CodeMempoolFull: 503, message.CodeRefHashMismatch: 409, message.CodeRefNonceMismatch: 409,
		message.CodeCustodyNonceMismatch: 409, message.CodeDuplicate: 200, message.CodeNotFastForward: 200, "a code of the future": 200,
	} {
		if got := refusalStatus(code); got != want {
			t.Errorf("%s: %d, want %d", code, got, want)
		}
	}
}

// TestLocationOf checks the location of fields that the node rejects.
func TestLocationOf(t *testing.T) {
	t.Parallel()
	for param, want := range map[string]string{
		"ownerAddress": "owner_address", "key_id": "key_id", "refNameHex": "ref_name", "keyHex": "key", "limit": "limit",
	} {
		if got := fieldName(param); got != want {
			t.Errorf("%s: %s, want %s", param, got, want)
		}
	}
}
