package rest

import (
	"embed"
	"fmt"
	"mime"
	"net/http"
	"path"
)

// referenceFiles are the pages of the API reference. They load only each other and the OpenAPI document.
//
//go:embed reference
var referenceFiles embed.FS

// referencePolicy allows the pages only to run their own script and to call this gateway.
const referencePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// registerReference serves the API reference.
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
		route := "/reference/" + file.Name()
		if file.Name() == "index.html" {
			route = "/reference"
		}
		g.router.HandleFunc("GET "+route, withPolicy(serve(mime.TypeByExtension(path.Ext(file.Name())), content)))
	}
	return nil
}

// withPolicy adds the security headers of a page.
func withPolicy(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", referencePolicy)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		next(w, r)
	}
}
