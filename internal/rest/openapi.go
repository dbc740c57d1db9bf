package rest

import (
	"encoding/json"
	"io"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// apiConfig is the OpenAPI document before it has routes, and how bodies are read and written.
func apiConfig(version string) huma.Config {
	schemas := huma.NewMapRegistry(schemaPrefix, huma.DefaultSchemaNamer)
	schemas.RegisterTypeAlias(reflect.TypeFor[huma.ErrorModel](), reflect.TypeFor[Problem]())
	format := huma.Format{Marshal: writeBody, Unmarshal: json.Unmarshal}
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Makechain", Version: version,
				Description: "A ledger of version control: projects, refs, commits, merge requests and accounts as signed messages.",
			},
			Components: &huma.Components{Schemas: schemas},
			Servers:    []*huma.Server{{URL: "/", Description: "The gateway that serves this document."}},
			Tags:       tags(),
			Security:   []map[string][]string{},
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

// writeBody writes documents as they are, and problems.
func writeBody(w io.Writer, body any) error {
	if ready, ok := body.(document); ok {
		_, err := w.Write(ready.json)
		return err
	}
	return writeJSON(w, body)
}
