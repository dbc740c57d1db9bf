package rest_test

import (
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"makechain/gen/makechain/makechainpbconnect"
	"makechain/message"
)

// maxReferenceBytes is the size limit of the reference.
const maxReferenceBytes = 60 << 10

// TestReference loads the pages of the reference and everything they refer to, and checks that nothing is on another host.
//
// Rules: REST.
func TestReference(t *testing.T) {
	t.Parallel()
	g := newLocalGateway(t, makechainpbconnect.UnimplementedMakechainServiceHandler{})
	loaded, size := []string{"/reference"}, 0
	for i := 0; i < len(loaded); i++ {
		got := g.send(http.MethodGet, loaded[i], nil, nil)
		if got.Code != http.StatusOK {
			t.Fatalf("%s: %d", loaded[i], got.Code)
		}
		size += got.Body.Len()
		policy := got.Header().Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
			t.Errorf("%s: policy %q", loaded[i], policy)
		}
		if got.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s may be taken for something else", loaded[i])
		}
		kind, _, err := mime.ParseMediaType(got.Header().Get("Content-Type"))
		if err != nil || !slices.Contains([]string{"text/html", "text/css", "text/javascript", "image/svg+xml"}, kind) {
			t.Errorf("%s is %q", loaded[i], kind)
		}
		for _, address := range regexp.MustCompile(`https?://[^"\s]+`).FindAllString(got.Body.String(), -1) {
			if address != "http://www.w3.org/2000/svg" { // the name of a format
				t.Errorf("%s names %s", loaded[i], address)
			}
		}
		for _, named := range regexp.MustCompile(`(?:src|href)="(/reference/[^"]+)"`).FindAllStringSubmatch(got.Body.String(), -1) {
			if !slices.Contains(loaded, named[1]) {
				loaded = append(loaded, named[1])
			}
		}
	}
	if len(loaded) != 4 || size > maxReferenceBytes {
		t.Errorf("%d bytes in %q", size, loaded)
	}
}

// TestDocument checks the OpenAPI document.
//
// Rules: REST.
func TestDocument(t *testing.T) {
	t.Parallel()
	g := newLocalGateway(t, makechainpbconnect.UnimplementedMakechainServiceHandler{})
	document := g.send(http.MethodGet, "/openapi.json", nil, nil)
	yaml := g.send(http.MethodGet, "/openapi.yaml", nil, nil)
	if document.Header().Get("Content-Type") != jsonType || yaml.Header().Get("Content-Type") != "application/yaml" {
		t.Errorf("%v, %v", document.Header(), yaml.Header())
	}
	for _, line := range []string{"openapi: 3.1.0\n", "identifier: Apache-2.0\n", "/v1/node/status:\n"} {
		if !strings.Contains(yaml.Body.String(), line) {
			t.Errorf("the YAML has no %q", line)
		}
	}
	data := g.document.Components.Schemas["MessageData"]
	choices, _ := data["oneOf"].([]any)
	discriminator, _ := data["discriminator"].(map[string]any)
	mapping, _ := discriminator["mapping"].(map[string]any)
	if len(choices) != len(message.Types()) || len(mapping) != len(message.Types()) || mapping["ref_update"] != "#/components/schemas/RefUpdateData" {
		t.Errorf("%d bodies, %v", len(choices), mapping["ref_update"])
	}
	for name, schema := range g.document.Components.Schemas {
		if !strings.Contains(document.Body.String(), `"#/components/schemas/`+name+`"`) {
			t.Errorf("nothing refers to %s", name)
		}
		if schema["type"] == nil {
			t.Errorf("%s has no type", name)
		}
	}
	for path, methods := range g.document.Paths {
		for method, op := range methods {
			if op.ID == "" || len(op.RPCs) == 0 {
				t.Errorf("%s %s is not described", method, path)
			}
		}
	}
}
