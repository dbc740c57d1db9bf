package server

import (
	"context"
	"log/slog"
	"net/http"
	"strings"

	"connectrpc.com/connect"
	connectcors "connectrpc.com/cors"
	"connectrpc.com/grpchealth"
	"connectrpc.com/grpcreflect"
	"github.com/rs/cors"
)

const (
	// minCompressedBytes is the size below which compression costs more than it saves.
	minCompressedBytes = 1 << 10
	// preflightSeconds is how long a browser may remember what a preflight said; none remembers longer.
	preflightSeconds = 2 * 60 * 60
)

// A Mount is something to serve below a path.
type Mount struct {
	build func(options ...connect.HandlerOption) (path string, handler http.Handler)
	// isService says that the path names a service, which reflection and health speak of.
	isService bool
}

// Service mounts an implementation of a service with the constructor that was generated for it.
func Service[S any](constructor func(S, ...connect.HandlerOption) (string, http.Handler), implementation S) Mount {
	return Mount{
		build: func(options ...connect.HandlerOption) (string, http.Handler) {
			return constructor(implementation, options...)
		},
		isService: true,
	}
}

// FromHandler mounts a handler that is no Connect service, such as a gateway. It gets request ids, CORS,
// the rate limit and the time-outs of connections, and sees to the rest itself.
func FromHandler(pattern string, handler http.Handler) Mount {
	return Mount{build: func(...connect.HandlerOption) (string, http.Handler) { return pattern, handler }}
}

// A stack is everything that a request passes on its way to a service.
type stack struct {
	config   Config
	draining context.Context //nolint:containedctx // it ends when the server begins to close
	metrics  *metrics
	limiter  *rateLimiter
}

// handler stacks the middleware of all requests, from the inside out.
func (s *stack) handler(mounts []Mount) http.Handler {
	patient := bePatient(s.config.Limits, translateText(s.mux(mounts)))
	limited := limitRate(s.limiter, func() { s.metrics.refused.WithLabelValues(refusedRate).Inc() }, patient)
	shared := newCORS(s.config.AllowedOrigins).Handler(limited)
	return identify(locate(s.config.TrustedProxies, shared))
}

func (s *stack) mux(mounts []Mount) *http.ServeMux {
	options := s.options()
	mux := http.NewServeMux()
	var services []string
	for _, mount := range mounts {
		path, handler := mount.build(options)
		if mount.isService {
			handler = noteUnreadable(s.reportUnreadable, handler)
			services = append(services, strings.Trim(path, "/"))
		}
		mux.Handle(path, handler)
	}
	mux.Handle(grpchealth.NewHandler(&health{services: services, ready: s.config.Ready, draining: s.draining}, options))
	reflector := grpcreflect.NewStaticReflector(append(services, grpchealth.HealthV1ServiceName)...)
	mux.Handle(grpcreflect.NewHandlerV1(reflector, options))
	mux.Handle(grpcreflect.NewHandlerV1Alpha(reflector, options))
	return mux
}

// options are those of every service, so that no service has limits of its own.
func (s *stack) options() connect.HandlerOption {
	around := &interceptor{
		unaryTimeout: s.config.Limits.UnaryTimeout, maxStreams: int64(s.config.Limits.MaxStreams),
		maxResponseBytes: s.config.Limits.MaxResponseBytes, draining: s.draining, metrics: s.metrics, log: s.config.Log,
	}
	return connect.WithHandlerOptions(
		connect.WithInterceptors(around),
		connect.WithReadMaxBytes(s.config.Limits.MaxRequestBytes),
		connect.WithCompressMinBytes(minCompressedBytes),
	)
}

func (s *stack) reportUnreadable(r *http.Request) {
	s.metrics.refused.WithLabelValues(refusedUnreadable).Inc()
	s.config.Log.LogAttrs(r.Context(), slog.LevelInfo, "unreadable call",
		slog.String("path", r.URL.Path), slog.String("client", ClientAddress(r.Context()).String()))
}

func newCORS(origins []string) *cors.Cors {
	if len(origins) == 0 {
		origins = []string{"*"}
	}
	return cors.New(cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: connectcors.AllowedMethods(),
		AllowedHeaders: append(connectcors.AllowedHeaders(), RequestIDHeader),
		ExposedHeaders: append(connectcors.ExposedHeaders(), RequestIDHeader, "Retry-After"),
		MaxAge:         preflightSeconds,
	})
}
