package server

import (
	"log/slog"
	"net/http"

	"connectrpc.com/connect"
)

// A Mount is something to serve below a path.
type Mount struct {
	build func(options ...connect.HandlerOption) (path string, handler http.Handler)
	kind  mountKind
	// observed and quiet say which lines the log gets.
	observed, quiet bool
}

// A mountKind says what the server does around a mount.
type mountKind int

const (
	// plainKind is for handlers of ordinary requests: the server logs, measures and bounds them.
	plainKind mountKind = iota
	// callKind is for handlers that speak the protocols of calls and see to themselves.
	callKind
	// serviceKind is for services, which get interceptors, and which reflection and health speak of.
	serviceKind
)

// Service mounts an implementation of a service with the constructor that was generated for it.
func Service[S any](constructor func(S, ...connect.HandlerOption) (string, http.Handler), implementation S) Mount {
	return Mount{
		build: func(options ...connect.HandlerOption) (string, http.Handler) {
			return constructor(implementation, options...)
		},
		kind: serviceKind,
	}
}

// Passthrough mounts a handler that speaks the protocols of calls, such as a proxy or the services of another
// server. It gets request ids, CORS, the rate limit and the time-outs of connections, and sees to the rest itself.
func Passthrough(path string, handler http.Handler) Mount {
	return Mount{build: func(...connect.HandlerOption) (string, http.Handler) { return path, handler }, kind: callKind}
}

// Observed gives the calls of a mount a line each in the log and metrics, as other requests have them. It is for calls
// that no interceptor of this process sees.
func (m Mount) Observed() Mount {
	m.observed = true
	return m
}

// FromHandler mounts a handler of ordinary requests, such as a gateway. Beyond what Passthrough gives, its requests
// have a line each in the log, metrics by the pattern that http.ServeMux matched last, bodies of bounded size, and
// panics that end nothing but the request.
func FromHandler(pattern string, handler http.Handler) Mount {
	return Mount{build: func(...connect.HandlerOption) (string, http.Handler) { return pattern, handler }, kind: plainKind}
}

// Quiet makes a mount log what went well for debugging alone. It is for what machines ask every few seconds.
func (m Mount) Quiet() Mount {
	m.quiet = true
	return m
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
		compressCalls(),
	)
}

func (s *stack) reportUnreadable(r *http.Request) {
	s.metrics.refused.WithLabelValues(refusedUnreadable).Inc()
	s.config.Log.LogAttrs(r.Context(), slog.LevelInfo, "unreadable call",
		slog.String("path", r.URL.Path), slog.String("client", ClientAddress(r.Context()).String()))
}
