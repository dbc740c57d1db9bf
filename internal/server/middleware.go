package server

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"path"
	"slices"
	"strings"

	"connectrpc.com/connect"
	connectcors "connectrpc.com/cors"
	"connectrpc.com/grpchealth"
	"connectrpc.com/grpcreflect"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/cors"
)

// preflightSeconds is how long a browser may cache the response to a preflight request; no browser caches it longer.
const preflightSeconds = 2 * 60 * 60

// A stack is the middleware between a connection and the handlers of the mounts.
type stack struct {
	config      Config
	draining    context.Context //nolint:containedctx // it is canceled when the server starts to close
	metrics     *metrics
	accounts    *Accounts
	interceptor *interceptor
	requests    *budget
	responses   *budget // the memory of requests and their responses
	probes      *budget // the same of health checks and reflection
	// costRefusals counts calls that ended because of their cost.
	costRefusals prometheus.Counter
}

// A route is a mount with its handler.
type route struct {
	Mount
	pattern string
	handler http.Handler
}

// handlers returns the handler of all requests, and that of the services alone, without the middleware that protects
// against clients.
func (s *stack) handlers(mounts []Mount) (protected, services http.Handler) {
	inner, outer := http.NewServeMux(), http.NewServeMux()
	var root http.Handler
	private := map[string]bool{}
	for _, r := range s.routes(mounts) {
		private[r.pattern] = r.private
		if r.kind != plainKind {
			inner.Handle(r.pattern, r.handler)
			outer.Handle(r.pattern, s.withReservation(r, s.limitCalls(r)))
			continue
		}
		limited := s.withReservation(r, s.limitRequests(r))
		outer.Handle(r.pattern, limited)
		if r.pattern == "/" {
			root = limited
		}
	}
	if root == nil {
		root = s.limitRate(rejectCall, s.reject(http.StatusNotFound, "no route has this path")) // unknown paths count too
		outer.Handle("/", root)
	}
	positioned := withPosition(s.config.Position, withoutRedirects(root, outer))
	shared := newCORS(s.config.AllowedOrigins).Handler(positioned)
	separated := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if private[r.URL.Path] {
			positioned.ServeHTTP(w, r)
			return
		}
		shared.ServeHTTP(w, r)
	})
	return withRequestID(s.withClient(s.admit(separated))), inner
}

// admit refuses the requests that Config.Admit refuses.
func (s *stack) admit(next http.Handler) http.Handler {
	if s.config.Admit == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.config.Admit(r); err != nil {
			s.reject(http.StatusForbidden, err.Error())(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// withoutRedirects passes requests whose path has empty or dot segments to root. http.ServeMux would redirect them, with a page
// in HTML, to a path that the client did not ask for.
func withoutRedirects(root, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requested, clean := r.URL.Path, path.Clean(r.URL.Path)
		if strings.HasPrefix(requested, "/") && requested != clean && requested != clean+"/" {
			root.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// routes builds the mounts and, if there are services, the health and reflection services.
func (s *stack) routes(mounts []Mount) []route {
	options := connect.WithHandlerOptions(
		connect.WithInterceptors(s.interceptor),
		decodeCalls(),
		connect.WithConditionalHandlerOptions(func(spec connect.Spec) []connect.HandlerOption {
			limit := s.config.requestLimit(spec.Procedure)
			return []connect.HandlerOption{connect.WithReadMaxBytes(limit), compressCalls(limit)}
		}),
	)
	var routes []route
	var services []string
	for _, mount := range mounts {
		pattern, handler := mount.build(options)
		if mount.kind == serviceKind {
			handler = reportUndecoded(s.logUndecoded, handler)
			services = append(services, strings.Trim(pattern, "/"))
		}
		routes = append(routes, route{mount, pattern, handler})
	}
	if len(services) == 0 {
		return routes
	}
	addCall := func(pattern string, handler http.Handler) {
		routes = append(routes, route{Mount{kind: callKind}, pattern, handler})
	}
	addCall(grpchealth.NewHandler(&health{services: services, ready: s.config.Ready, draining: s.draining}, options))
	reflector := grpcreflect.NewStaticReflector(append(services, grpchealth.HealthV1ServiceName)...)
	addCall(grpcreflect.NewHandlerV1(reflector, options))
	addCall(grpcreflect.NewHandlerV1Alpha(reflector, options))
	return routes
}

func (s *stack) logUndecoded(r *http.Request) {
	s.metrics.refused.WithLabelValues(refusedUnreadable).Inc()
	s.config.Log.LogAttrs(r.Context(), slog.LevelInfo, "call could not be decoded",
		slog.String("path", r.URL.Path), slog.String("client", ClientAddress(r.Context()).String()))
}

// limitCalls applies the rate limit and deadlines to calls.
func (s *stack) limitCalls(r route) http.Handler {
	if r.observed { // a proxy, which keeps nothing of a request in memory
		return s.observe(r, s.limitRate(rejectCall, withDeadlines(s.config.Limits, translateText(r.handler))))
	}
	return s.limitRate(rejectCall, withDeadlines(s.config.Limits, translateText(s.withCallBudget(r.handler))))
}

// limitRequests applies the rate limit, deadlines and the body limit to requests that are not calls, and logs and
// measures them.
func (s *stack) limitRequests(r route) http.Handler {
	tooMany := func(reason error) http.HandlerFunc { return s.reject(http.StatusTooManyRequests, reason.Error()) }
	bounded := withDeadlines(s.config.Limits, s.limitBody(s.withBudget(r.handler)))
	if r.transfer {
		bounded = withMinimumRate(s.config.Limits, r.handler)
	}
	return s.observe(r, s.limitRate(tooMany, bounded))
}

func (s *stack) reject(status int, reason string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { s.config.WriteError(w, r, status, reason) }
}

func (s *stack) counted(reason string, reject http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.metrics.refused.WithLabelValues(reason).Inc()
		reject(w, r)
	}
}

// limitBody rejects a request whose Content-Length exceeds the limit of its path, and stops reading a body without one at
// the limit.
func (s *stack) limitBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		limit := int64(s.config.requestLimit(r.URL.Path))
		if r.ContentLength > limit {
			s.counted(refusedUnreadable, s.reject(http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is larger than %d bytes", limit)))(w, r)
			return
		}
		if r.Body != http.NoBody {
			r.Body = http.MaxBytesReader(w, r.Body, limit)
		}
		next.ServeHTTP(w, r)
	})
}

// newCORS allows web pages of the given origins to call; without any, pages of all origins.
func newCORS(origins []string) *cors.Cors {
	if len(origins) == 0 {
		origins = []string{"*"}
	}
	return cors.New(cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost},
		// Last-Event-ID is set by pages that read an event stream without EventSource. Connect's list has Content-Type.
		AllowedHeaders: slices.Concat(connectcors.AllowedHeaders(), []string{"Accept", "Cache-Control", "Last-Event-ID", RequestIDHeader}),
		ExposedHeaders: slices.Concat(connectcors.ExposedHeaders(), []string{RequestIDHeader, retryAfterHeader, BlockHeader, BehindHeader}),
		MaxAge:         preflightSeconds,
	})
}
