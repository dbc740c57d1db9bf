package server

import (
	"context"
	"net/http"
)

type arrivalKey struct{}

// An arrival remembers whether a call got as far as its service. Connect reads the request of a unary call
// before any interceptor runs, so a request that cannot be read would otherwise leave no trace.
type arrival struct{ reached bool }

// markReached notes that a call has been read.
func markReached(ctx context.Context) {
	if a, ok := ctx.Value(arrivalKey{}).(*arrival); ok {
		a.reached = true
	}
}

// noteUnreadable reports the calls of a service that ended before an interceptor saw them.
func noteUnreadable(report func(*http.Request), next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var a arrival
		r = r.WithContext(context.WithValue(r.Context(), arrivalKey{}, &a))
		next.ServeHTTP(w, r)
		if !a.reached {
			report(r)
		}
	})
}
