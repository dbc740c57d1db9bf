package server

import (
	"fmt"
	"net/http"
)

// limitBody refuses a request whose body is known to be too large, and lets no handler read more than the limit of
// one that does not say.
func limitBody(limit int64, refuse http.HandlerFunc, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength > limit {
			refuse(w, r)
			return
		}
		if r.Body != http.NoBody {
			r.Body = http.MaxBytesReader(w, r.Body, limit)
		}
		next.ServeHTTP(w, r)
	})
}

func tooLargeReason(limit int) string {
	return fmt.Sprintf("the body of a request takes %d bytes at most", limit)
}
