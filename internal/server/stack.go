package server

import (
	"context"
	"net/http"
	"strings"

	"connectrpc.com/connect"
	"connectrpc.com/grpchealth"
	"connectrpc.com/grpcreflect"
)

// A stack is everything that a request passes on its way to what answers it.
type stack struct {
	config   Config
	draining context.Context //nolint:containedctx // it ends when the server begins to close
	metrics  *metrics
	limiter  *rateLimiter
}

// A route is a mount that is built.
type route struct {
	Mount
	pattern string
	handler http.Handler
}

// handlers stacks the middleware of all requests, from the inside out. The second handler leaves out what guards
// against clients: it is for callers in this process.
func (s *stack) handlers(mounts []Mount) (guarded, services http.Handler) {
	inner, outer := http.NewServeMux(), http.NewServeMux()
	for _, r := range s.routes(mounts) {
		if r.kind != plainKind {
			inner.Handle(r.pattern, r.handler)
			outer.Handle(r.pattern, s.guardCalls(r))
		} else {
			outer.Handle(r.pattern, s.guardRequests(r))
		}
	}
	shared := newCORS(s.config.AllowedOrigins).Handler(tellPosition(s.config.Position, outer))
	return identify(locate(s.config.TrustedProxies, shared)), inner
}

// routes builds the mounts and, where there are services, health and reflection, which tell of them.
func (s *stack) routes(mounts []Mount) []route {
	options := s.options()
	var routes []route
	var services []string
	for _, mount := range mounts {
		path, handler := mount.build(options)
		if mount.kind == serviceKind {
			handler = noteUnreadable(s.reportUnreadable, handler)
			services = append(services, strings.Trim(path, "/"))
		}
		routes = append(routes, route{mount, path, handler})
	}
	if len(services) == 0 {
		return routes
	}
	addCall := func(path string, handler http.Handler) {
		routes = append(routes, route{Mount{kind: callKind}, path, handler})
	}
	addCall(grpchealth.NewHandler(&health{services: services, ready: s.config.Ready, draining: s.draining}, options))
	reflector := grpcreflect.NewStaticReflector(append(services, grpchealth.HealthV1ServiceName)...)
	addCall(grpcreflect.NewHandlerV1(reflector, options))
	addCall(grpcreflect.NewHandlerV1Alpha(reflector, options))
	return routes
}

// guardCalls bounds what clients can make calls cost.
func (s *stack) guardCalls(r route) http.Handler {
	refuse := s.countRefusal(refusedRate, refuseCall(connect.NewErrorWriter()))
	guarded := limitRate(s.limiter, refuse, bePatient(s.config.Limits, translateText(r.handler)))
	if r.observed {
		return s.observe(r, guarded)
	}
	return guarded
}

// guardRequests bounds, logs and measures requests that are no calls.
func (s *stack) guardRequests(r route) http.Handler {
	limit := s.config.Limits.MaxRequestBytes
	tooMany := s.countRefusal(refusedRate, s.refuse(http.StatusTooManyRequests, errTooManyRequests.Error()))
	tooLarge := s.countRefusal(refusedUnreadable, s.refuse(http.StatusRequestEntityTooLarge, tooLargeReason(limit)))
	bounded := bePatient(s.config.Limits, limitBody(int64(limit), tooLarge, r.handler))
	return s.observe(r, limitRate(s.limiter, tooMany, bounded))
}

func (s *stack) refuse(status int, reason string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { s.config.Refuse(w, r, status, reason) }
}

func (s *stack) countRefusal(reason string, refuse http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.metrics.refused.WithLabelValues(reason).Inc()
		refuse(w, r)
	}
}
