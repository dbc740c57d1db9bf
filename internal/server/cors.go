package server

import (
	"net/http"
	"slices"

	connectcors "connectrpc.com/cors"
	"github.com/rs/cors"
)

// preflightSeconds is how long a browser may remember what a preflight said; none remembers longer.
const preflightSeconds = 2 * 60 * 60

// newCORS lets web pages of some origins call, of all when none is named.
func newCORS(origins []string) *cors.Cors {
	if len(origins) == 0 {
		origins = []string{"*"}
	}
	return cors.New(cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost},
		// A page that reads an event stream by itself says where it was; Content-Type is among those of Connect.
		AllowedHeaders: slices.Concat(connectcors.AllowedHeaders(), []string{"Accept", "Cache-Control", "Last-Event-ID", RequestIDHeader}),
		ExposedHeaders: slices.Concat(connectcors.ExposedHeaders(), []string{RequestIDHeader, "Retry-After", BlockHeader, BehindHeader}),
		MaxAge:         preflightSeconds,
	})
}
