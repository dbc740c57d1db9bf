package rest

import (
	"embed"
	"fmt"
	"mime"
	"net/http"
	"path"
)

// referenceFiles are the pages of the reference. They load nothing but themselves and the OpenAPI document.
//
//go:embed reference
var referenceFiles embed.FS

// referencePolicy lets the pages run their own script and ask this gateway, and nothing else.
const referencePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// registerReference serves the reference for people.
func (g *Gateway) registerReference() error {
	files, err := referenceFiles.ReadDir("reference")
	if err != nil {
		return fmt.Errorf("read the reference: %w", err)
	}
	for _, file := range files {
		content, err := referenceFiles.ReadFile(path.Join("reference", file.Name()))
		if err != nil {
			return fmt.Errorf("read the reference: %w", err)
		}
		at := "/reference/" + file.Name()
		if file.Name() == "index.html" {
			at = "/reference"
		}
		g.router.HandleFunc("GET "+at, guarded(serve(mime.TypeByExtension(path.Ext(file.Name())), content)))
	}
	return nil
}

// guarded keeps a page to itself.
func guarded(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", referencePolicy)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		next(w, r)
	}
}
