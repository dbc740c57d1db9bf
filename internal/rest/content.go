package rest

import (
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

const (
	tagContent = "content"
	octetType  = "application/octet-stream"
	// statementScheme is the security scheme of content.
	statementScheme = "statement"
	// contentPath is the path of the content service; bundlePath is that of a git bundle.
	contentPath = "/v1/content"
	bundlePath  = contentPath + "/{project}/{digest}"
	// digestName is the name of digests in paths and bodies.
	digestName = "digest"
)

// describeContent describes the routes of the content service, which a handler beside the gateway serves.
func describeContent(document *huma.OpenAPI) {
	document.Tags = append(document.Tags, &huma.Tag{
		Name: tagContent, Description: "Git bundles of projects, by the BLAKE3 digest of their bytes, and objects of their repositories.",
	})
	if document.Components.SecuritySchemes == nil {
		document.Components.SecuritySchemes = map[string]*huma.SecurityScheme{}
	}
	document.Components.SecuritySchemes[statementScheme] = &huma.SecurityScheme{
		Type: "apiKey", In: "header", Name: "Authorization",
		Description: "`Makechain <key hex> <issue time> <signature hex>`: an Ed25519 signature, by a key that is registered on the chain, of the lines " +
			"`makechain/content/v1`, chain id, purpose (`upload`, `read` or `import`), Host header in lower case, project, digest or `-` (for " +
			"imports the source project), length (0 except in PUT) and issue time in Unix seconds, each with a line feed. It is valid for 5 minutes.",
	}
	for _, operation := range contentOperations(document.Components.Schemas) {
		document.AddOperation(operation)
	}
}

func contentOperations(schemas huma.Registry) []*huma.Operation {
	description := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{
		"content":          {Type: huma.TypeInteger, Description: "1, the version of the service."},
		"chain_id":         {Type: huma.TypeString},
		"url":              {Type: huma.TypeString, Description: "The public URL of the service, empty if it has none."},
		"max_upload_bytes": {Type: huma.TypeInteger, Description: "The size limit of one upload."},
	}, Required: []string{"content", "chain_id", "url", "max_upload_bytes"}}
	stored := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{
		"project": idSchema(), digestName: idSchema(), "size": {Type: huma.TypeInteger},
	}, Required: []string{"project", digestName, "size"}}
	source := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{"source": idSchema()}, Required: []string{"source"}}
	imported := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{
		"imported": {Type: huma.TypeInteger, Description: "Git bundles that the project did not have."},
		"bytes":    {Type: huma.TypeInteger, Description: "Their size."},
	}, Required: []string{"imported", "bytes"}}
	return append(historyOperations(schemas), []*huma.Operation{
		contentOperation(schemas, &contentRoute{
			id: "describe-content", method: http.MethodGet, path: contentPath, summary: "Describe the content service",
			results: map[int]*huma.MediaType{http.StatusOK: {Schema: description}}, media: jsonType,
		}),
		contentOperation(schemas, &contentRoute{
			id: "get-content", method: http.MethodGet, path: bundlePath, summary: "Get a git bundle, or a range of it", isPublic: true,
			description: "For public content, `project` may also be the first two digits of the digest. Supports the header Range. A private project, and " +
				"what was not uploaded to or imported by this service for the project, is not found.",
			results: binaryResults(http.StatusOK, http.StatusPartialContent), media: octetType,
			errors: []int{http.StatusForbidden, http.StatusNotFound, http.StatusRequestedRangeNotSatisfiable},
		}),
		contentOperation(schemas, &contentRoute{
			id: "head-content", method: http.MethodHead, path: bundlePath, summary: "Check whether a git bundle is stored", isPublic: true,
			description: "With a statement of the purpose `upload`, an upload that the chain does not name yet is kept for another 30 minutes.",
			results:     map[int]*huma.MediaType{http.StatusOK: nil}, errors: []int{http.StatusForbidden, http.StatusNotFound},
		}),
		contentOperation(schemas, &contentRoute{
			id: "put-content", method: http.MethodPut, path: bundlePath, summary: "Upload a git bundle",
			description: "The body is a git bundle (version 2 or 3) of at most `max_upload_bytes`, with a Content-Length and without a Content-Encoding. It " +
				"is verified and durable when the response is 201, or 200 if the project has it already. The account of the key needs WRITE. An upload that " +
				"nothing on the chain names within 30 minutes is deleted.",
			body: octetType, bodySchema: binarySchema(), media: jsonType,
			results: map[int]*huma.MediaType{http.StatusOK: {Schema: stored}, http.StatusCreated: {Schema: stored}},
			errors: []int{
				http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusRequestTimeout, http.StatusConflict, http.StatusLengthRequired,
				http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity, http.StatusInsufficientStorage,
			},
		}),
		contentOperation(schemas, &contentRoute{
			id: "get-content-object", method: http.MethodGet, path: contentPath + "/{project}/objects/{id}", summary: "Get a git object", isPublic: true,
			description: "The content of an object of at most 8 MiB. The header Makechain-Object-Type has its type.",
			results:     binaryResults(http.StatusOK, http.StatusPartialContent), media: octetType,
			errors: []int{http.StatusForbidden, http.StatusNotFound, http.StatusRequestEntityTooLarge, http.StatusRequestedRangeNotSatisfiable},
		}),
		contentOperation(schemas, &contentRoute{
			id: "head-content-object", method: http.MethodHead, path: contentPath + "/{project}/objects/{id}", summary: "Check whether a git object exists",
			isPublic: true, results: map[int]*huma.MediaType{http.StatusOK: nil},
			errors: []int{http.StatusForbidden, http.StatusNotFound, http.StatusRequestEntityTooLarge},
		}),
		contentOperation(schemas, &contentRoute{
			id: "import-content", method: http.MethodPost, path: contentPath + "/{project}/import", summary: "Add the content of another project",
			description: "Adds what the service has of the source, such as the project that this one was forked from, without another upload. The account " +
				"of the key needs WRITE, and READ in a private source.",
			body: jsonType, bodySchema: source, media: jsonType, results: map[int]*huma.MediaType{http.StatusOK: {Schema: imported}},
			errors: []int{
				http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusConflict, http.StatusRequestEntityTooLarge,
				http.StatusInsufficientStorage,
			},
		}),
	}...)
}

// A contentRoute is a route of the content service.
type contentRoute struct {
	id, method, path, summary, description string

	query      []*huma.Param
	isPublic   bool   // a statement is needed for private projects only
	body       string // media type, "" for none
	bodySchema *huma.Schema
	media      string // of results
	results    map[int]*huma.MediaType
	errors     []int
}

// historyOperations describes the commits that changed a path.
func historyOperations(schemas huma.Registry) []*huma.Operation {
	history := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{
		"commits":     {Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString, Pattern: objectPattern}},
		"next_cursor": {Type: huma.TypeString, Description: "Empty on the last page."},
	}, Required: []string{"commits", "next_cursor"}}
	return []*huma.Operation{
		contentOperation(schemas, &contentRoute{
			id: "get-content-history", method: http.MethodGet, path: historyPath, summary: "List commits that changed a path", isPublic: true,
			description: "At most 50 commits, newest first, as git rev-list finds them from a commit on. It is a hint, which the objects verify. The list " +
				"continues with `cursor` unless next_cursor is empty.",
			query: historyQuery(), media: jsonType, results: map[int]*huma.MediaType{http.StatusOK: {Schema: history}},
			errors: []int{http.StatusForbidden, http.StatusNotFound},
		}),
		contentOperation(schemas, &contentRoute{
			id: "head-content-history", method: http.MethodHead, path: historyPath, summary: "Check whether commits can be listed", isPublic: true,
			query: historyQuery(), results: map[int]*huma.MediaType{http.StatusOK: nil}, errors: []int{http.StatusForbidden, http.StatusNotFound},
		}),
	}
}

// objectPattern matches the id of a git object.
const objectPattern = "^([0-9a-f]{40}|[0-9a-f]{64})$"

const inQuery = "query"

// historyPath is the path of the commits that changed a path.
const historyPath = contentPath + "/{project}/history/{commit}"

// historyQuery returns the parameters of historyPath.
func historyQuery() []*huma.Param {
	least, most := 1.0, 50.0
	return []*huma.Param{
		{Name: "path", In: inQuery, Description: "The path of a file or directory; default: all commits.", Schema: &huma.Schema{Type: huma.TypeString}},
		{
			Name: "limit", In: inQuery, Description: "The maximum number of commits.",
			Schema: &huma.Schema{Type: huma.TypeInteger, Minimum: &least, Maximum: &most},
		},
		{Name: "cursor", In: inQuery, Description: "next_cursor of the previous page.", Schema: &huma.Schema{Type: huma.TypeString}},
	}
}

func idSchema() *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Pattern: "^[0-9a-f]{64}$"}
}

func binarySchema() *huma.Schema { return &huma.Schema{Type: huma.TypeString, Format: "binary"} }

func binaryResults(statuses ...int) map[int]*huma.MediaType {
	results := map[int]*huma.MediaType{}
	for _, status := range statuses {
		results[status] = &huma.MediaType{Schema: binarySchema()}
	}
	return results
}

func contentOperation(schemas huma.Registry, route *contentRoute) *huma.Operation {
	operation := &huma.Operation{
		OperationID: route.id, Method: route.method, Path: route.path, Tags: []string{tagContent}, Summary: route.summary,
		Description: route.description, Responses: map[string]*huma.Response{},
	}
	if route.description == "" {
		operation.Description = route.summary + "."
	}
	for _, name := range pathParameters(route.path) {
		schema := &huma.Schema{Type: huma.TypeString, Pattern: "^([0-9a-f]{64}|[0-9a-f]{2})$"}
		switch {
		case name == "id" || name == "commit":
			schema.Pattern = objectPattern
		case name == digestName || route.path != bundlePath || route.method == http.MethodPut:
			schema = idSchema()
		}
		operation.Parameters = append(operation.Parameters, &huma.Param{Name: name, In: "path", Required: true, Schema: schema})
	}
	operation.Parameters = append(operation.Parameters, route.query...)
	if route.path != contentPath {
		operation.Security = []map[string][]string{{statementScheme: {}}}
		if route.isPublic {
			operation.Security = append(operation.Security, map[string][]string{})
		}
	}
	if route.body != "" {
		operation.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{route.body: {Schema: route.bodySchema}}}
	}
	for status, media := range route.results { // order: each is added to a map
		response := &huma.Response{Description: http.StatusText(status) + "."}
		if media != nil {
			response.Content = map[string]*huma.MediaType{route.media: media}
		}
		operation.Responses[strconv.Itoa(status)] = response
	}
	problem := map[string]*huma.MediaType{problemType: {Schema: schemas.Schema(reflect.TypeFor[Problem](), true, "")}}
	if route.method == http.MethodHead {
		problem = nil
	}
	for _, status := range append([]int{
		http.StatusBadRequest, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable,
	}, route.errors...) {
		operation.Responses[strconv.Itoa(status)] = &huma.Response{Description: http.StatusText(status) + ".", Content: problem}
	}
	operation.Responses["default"] = &huma.Response{Description: otherError, Content: problem}
	return operation
}

// pathParameters returns the names of the parameters of a path.
func pathParameters(path string) (names []string) {
	for part := range strings.SplitSeq(path, "/") {
		if name, isParameter := strings.CutPrefix(part, "{"); isParameter {
			names = append(names, strings.TrimSuffix(name, "}"))
		}
	}
	return names
}
