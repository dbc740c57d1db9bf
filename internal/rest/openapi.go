package rest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

const introduction = "Makechain is a ledger of version control: projects, refs, commits, merge requests and accounts are signed " +
	"messages, ordered by consensus. This is its HTTP interface.\n\n" +
	"Addresses and custody key ids are 0x and 40 hex digits; ids, hashes, keys and other bytes are hex, with or without 0x when sent. " +
	"64-bit numbers are decimal strings. What is absent is null. Lists take `limit`, 1 to 200, and `cursor`, and answer `next_cursor`, " +
	"which is empty at the end. Whatever goes wrong is a problem document (RFC 9457) with a stable `code`."

// apiConfig is the OpenAPI document before it has routes, and how bodies are read and written.
func apiConfig(version string) huma.Config {
	schemas := huma.NewMapRegistry(schemaPrefix, huma.DefaultSchemaNamer)
	schemas.RegisterTypeAlias(reflect.TypeFor[huma.ErrorModel](), reflect.TypeFor[Problem]())
	format := huma.Format{Marshal: writeBody, Unmarshal: json.Unmarshal}
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Makechain", Version: cmp.Or(version, "dev"), Description: introduction,
				License: &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
			},
			Components: &huma.Components{Schemas: schemas},
			Servers:    []*huma.Server{{URL: "/", Description: "The gateway that serves this document."}},
			Tags:       tags(),
			Security:   []map[string][]string{},
			Extensions: map[string]any{"x-problem-codes": problemCodes()},
		},
		Formats:                      map[string]huma.Format{jsonType: format, "json": format},
		DefaultFormat:                jsonType,
		RejectUnknownQueryParameters: true,
		Transformers:                 []huma.Transformer{translateFaults},
	}
}

// translateFaults gives what huma found the form of all other problems.
func translateFaults(_ huma.Context, _ string, body any) (any, error) {
	if found, isFault := body.(*huma.ErrorModel); isFault {
		return problemFrom(found), nil
	}
	return body, nil
}

// refuseRepeated refuses a parameter that is given more than once: only one of its values could count.
func refuseRepeated(ctx huma.Context, next func(huma.Context)) {
	asked := ctx.URL()
	var faults []Fault
	query := asked.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if len(query[name]) > 1 {
			faults = append(faults, Fault{"query." + name, "given more than once"})
		}
	}
	if faults != nil {
		_, w := humago.Unwrap(ctx)
		writeProblem(w, faulty(codeSchema, faults...))
		return
	}
	next(ctx)
}

// writeBody writes documents as they are, and problems. It reports no error, because a client that is gone cannot be
// told, and huma panics for one.
func writeBody(w io.Writer, body any) error {
	if ready, ok := body.(document); ok {
		_, _ = w.Write(ready.json)
		return nil
	}
	_ = writeJSON(w, body)
	return nil
}

// problemCode is a code as the document lists it.
type problemCode struct {
	Code    string `json:"code"`
	Status  int    `json:"status"`
	Meaning string `json:"meaning"`
}

// problemCodes lists every code that a problem can have, the gateway's and gRPC's first.
func problemCodes() []problemCode {
	var list []problemCode
	for _, code := range slices.Sorted(maps.Keys(outcomes)) {
		list = append(list, problemCode{code, outcomes[code].status, outcomes[code].meaning})
	}
	for _, code := range slices.Sorted(maps.Keys(refusals)) {
		if _, known := outcomes[string(code)]; !known && refusals[code] != http.StatusOK {
			list = append(list, problemCode{string(code), refusals[code], "The message was refused with this code."})
		}
	}
	return list
}

// registerDocument serves the OpenAPI document as it is now, so it comes after all routes.
func (g *Gateway) registerDocument() error {
	asJSON, err := json.Marshal(g.api.OpenAPI())
	if err != nil {
		return fmt.Errorf("write the OpenAPI document: %w", err)
	}
	asYAML := sync.OnceValues(g.api.OpenAPI().YAML) // few ask for it, and writing it takes a while
	g.router.HandleFunc("GET /openapi.json", serve(jsonType, asJSON))
	g.router.HandleFunc("GET /openapi.yaml", func(w http.ResponseWriter, r *http.Request) {
		written, err := asYAML()
		if err != nil {
			writeProblem(w, g.internal(r.Context(), err))
			return
		}
		serve("application/yaml", written)(w, r)
	})
	return nil
}

// serve answers with the same bytes every time.
func serve(mediaType string, content []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		_, _ = w.Write(content) // a client that is gone cannot be told
	}
}
