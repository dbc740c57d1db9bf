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

	"makechain/internal/limit"
)

// introduction returns the description of the API.
func introduction() string {
	return fmt.Sprintf("Makechain is a version-control ledger: projects, refs, commits, merge requests and accounts are created and "+
		"changed by signed messages that consensus orders. This is its HTTP API.\n\n"+
		"Addresses and custody key ids are 0x and 40 hex digits; ids, hashes, keys and other bytes are hex, with or without 0x in requests. "+
		"64-bit numbers are decimal strings. Absent values are null. Lists have the parameters `limit`, 1 to %d, and `cursor`, and return "+
		"`next_cursor`, which is empty on the last page. Every error is a problem document (RFC 9457) with a stable `code`.", limit.MaxPage)
}

// Tags group the routes in the OpenAPI document.
const (
	tagMessages      = "messages"
	tagProjects      = "projects"
	tagRefs          = "refs"
	tagCommits       = "commits"
	tagMergeRequests = "merge-requests"
	tagAccounts      = "accounts"
	tagKeys          = "keys"
	tagLinks         = "links"
	tagBlocks        = "blocks"
	tagProofs        = "proofs"
	tagNode          = "node"
	tagStreams       = "streams"
)

// tags returns the descriptions of the tags, in display order.
func tags() []*huma.Tag {
	return []*huma.Tag{
		{Name: tagMessages, Description: "Signed messages: submit them, read them and get their status."},
		{Name: tagProjects, Description: "Projects, their collaborators and their activity."},
		{Name: tagRefs, Description: "Branches and tags. Their names are bytes, so paths contain them in hex."},
		{Name: tagCommits, Description: "The commits of projects."},
		{Name: tagMergeRequests, Description: "Merge requests."},
		{Name: tagAccounts, Description: "Accounts. Every address is an account."},
		{Name: tagKeys, Description: "Delegated keys, which sign messages, and custody keys, which manage an account."},
		{Name: tagLinks, Description: "Follows, stars and likes."},
		{Name: tagBlocks, Description: "Blocks."},
		{Name: tagProofs, Description: "Proofs of state and their verification."},
		{Name: tagNode, Description: "The node and its chain."},
		{Name: tagStreams, Description: "Messages and blocks as they commit, as server-sent events."},
	}
}

// apiConfig returns the OpenAPI document without routes, and the encoding of bodies.
func apiConfig(version string) huma.Config {
	schemas := huma.NewMapRegistry(schemaPrefix, huma.DefaultSchemaNamer)
	schemas.RegisterTypeAlias(reflect.TypeFor[huma.ErrorModel](), reflect.TypeFor[Problem]())
	format := huma.Format{Marshal: writeBody, Unmarshal: json.Unmarshal}
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Makechain", Version: cmp.Or(version, "dev"), Description: introduction(),
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
		Transformers:                 []huma.Transformer{convertErrors},
	}
}

// convertErrors converts the errors of huma to problems.
func convertErrors(_ huma.Context, _ string, value any) (any, error) {
	if model, isError := value.(*huma.ErrorModel); isError {
		return problemFrom(model), nil
	}
	return value, nil
}

// writeBody writes documents and problems. It ignores write errors of clients that have disconnected, on which huma panics.
func writeBody(w io.Writer, value any) error {
	if encoded, ok := value.(document); ok {
		_, _ = w.Write(encoded.json)
		return nil
	}
	_ = writeJSON(w, value)
	return nil
}

// problemCode is a code as the OpenAPI document lists it.
type problemCode struct {
	Code    string `json:"code"`
	Status  int    `json:"status"`
	Meaning string `json:"meaning"`
}

// problemCodes returns every code that a problem can have: first those of the gateway and gRPC, then those of refusals.
func problemCodes() []problemCode {
	var list []problemCode
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		list = append(list, problemCode{code, codes[code].status, codes[code].meaning})
	}
	for _, code := range slices.Sorted(maps.Keys(refusals)) {
		if _, listed := codes[string(code)]; !listed && refusals[code] != http.StatusOK {
			list = append(list, problemCode{string(code), refusals[code], "The message was refused with this code."})
		}
	}
	return list
}

// responseHeaders returns the headers of responses for the OpenAPI document. The server around the gateway sets some of them.
func responseHeaders() map[string]*huma.Header {
	text := &huma.Schema{Type: huma.TypeString}
	number := &huma.Schema{Type: huma.TypeString, Pattern: decimalPattern}
	return map[string]*huma.Header{
		"Cache-Control":    {Schema: text, Description: "Whether the response may be cached: no-store, or immutable for what never changes."},
		retryAfterHeader:   {Schema: number, Description: "The number of seconds after which the request may succeed."},
		"X-Request-ID":     {Schema: text, Description: "The id of the request: that of its X-Request-ID header, or a random one."},
		"Makechain-Block":  {Schema: number, Description: "The height of the node when it received the request. The response may be of a later one."},
		"Makechain-Behind": {Schema: number, Description: "The number of blocks that the node is missing, while it catches up."},
	}
}

// describeHeaders adds the headers to all responses: Retry-After to those of temporary errors, the others to every one.
func describeHeaders(document *huma.OpenAPI) {
	document.Components.Headers = responseHeaders()
	for _, path := range document.Paths {
		for _, operation := range []*huma.Operation{path.Get, path.Head, path.Post, path.Put} {
			if operation == nil {
				continue
			}
			for status, response := range operation.Responses {
				response.Headers = map[string]*huma.Header{}
				for name := range document.Components.Headers {
					if name != retryAfterHeader || status == "429" || status == "503" {
						response.Headers[name] = &huma.Header{Ref: "#/components/headers/" + name}
					}
				}
			}
		}
	}
}

// registerDocument serves the OpenAPI document. It must be called after all routes are registered.
func (g *Gateway) registerDocument() error {
	if g.config.Claims {
		describeClaims(g.api.OpenAPI())
	}
	if g.config.Content {
		describeContent(g.api.OpenAPI())
	}
	describeHeaders(g.api.OpenAPI())
	asJSON, err := json.Marshal(g.api.OpenAPI())
	if err != nil {
		return fmt.Errorf("encode the OpenAPI document: %w", err)
	}
	asYAML := sync.OnceValues(g.api.OpenAPI().YAML) // it is rarely requested, and slow to encode
	g.router.HandleFunc("GET /openapi.json", serve(jsonType, asJSON))
	g.router.HandleFunc("GET /openapi.yaml", func(w http.ResponseWriter, r *http.Request) {
		encoded, err := asYAML()
		if err != nil {
			writeProblem(w, g.internal(r.Context(), err))
			return
		}
		serve("application/yaml", encoded)(w, r)
	})
	return nil
}

// serve returns a handler that responds with constant content.
func serve(mediaType string, content []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		_, _ = w.Write(content) // the client may have disconnected
	}
}
