package contentserver_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	"makechain/internal/content"
	"makechain/internal/node/nodetest"
)

// TestOpenAPI checks that the OpenAPI document of a node describes exactly the routes under /v1/content, with problems and
// statements. HEAD of the description is the usual one of GET.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	f := &fixture{Node: start(t, nodetest.Config(t.TempDir(), slog.New(slog.DiscardHandler))), tb: t}
	type parameter struct{ Name, In string }
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string
			Security    []map[string][]string
			Parameters  []parameter
			Responses   map[string]struct {
				Content map[string]json.RawMessage
				Headers map[string]json.RawMessage
			}
		}
	}
	got := f.do(request{method: http.MethodGet, path: "/openapi.json"})
	if err := json.Unmarshal([]byte(got.body), &document); err != nil {
		t.Fatal(err)
	}
	var described, want []string
	for path, methods := range document.Paths {
		if !strings.HasPrefix(path, "/v1/content") {
			continue
		}
		for method, operation := range methods {
			described = append(described, strings.ToUpper(method)+" "+path)
			inPath := slices.DeleteFunc(operation.Parameters, func(p parameter) bool { return p.In != "path" })
			if len(inPath) != strings.Count(path, "{") || (len(operation.Security) == 0) != (path == "/v1/content") {
				t.Errorf("%s: %+v", operation.OperationID, operation)
			}
			for _, status := range []string{"400", "429", "503", "default"} {
				response := operation.Responses[status]
				if _, hasProblem := response.Content["application/problem+json"]; hasProblem != (method != "head") || len(response.Headers) == 0 {
					t.Errorf("%s: %s is %+v", operation.OperationID, status, response)
				}
			}
		}
	}
	for _, route := range content.Routes() {
		for _, method := range route.Methods {
			if strings.HasPrefix(route.Path, "/v1/content") && (route.Path != "/v1/content" || method != http.MethodHead) {
				want = append(want, method+" "+route.Path)
			}
		}
	}
	slices.Sort(described)
	slices.Sort(want)
	if !slices.Equal(described, want) {
		t.Errorf("described: %q\nserved: %q", described, want)
	}
}
