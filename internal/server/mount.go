package server

import (
	"net/http"

	"connectrpc.com/connect"
)

// A Mount is a handler with its path.
type Mount struct {
	build func(options ...connect.HandlerOption) (path string, handler http.Handler)
	kind  mountKind
	// observed and probe set what is logged.
	observed, probe bool
	private         bool
	transfer        bool
}

// A mountKind selects the middleware of a mount.
type mountKind int

const (
	// plainKind is a handler of ordinary requests: the server logs, measures and limits them.
	plainKind mountKind = iota
	// callKind is a handler that speaks the RPC protocols and does its own logging.
	callKind
	// serviceKind is a service: it gets the interceptor, and reflection and health list it.
	serviceKind
)

// Service mounts an implementation of a service with its generated constructor.
func Service[S any](constructor func(S, ...connect.HandlerOption) (string, http.Handler), implementation S) Mount {
	return Mount{
		build: func(options ...connect.HandlerOption) (string, http.Handler) {
			return constructor(implementation, options...)
		},
		kind: serviceKind,
	}
}

// Passthrough mounts a handler that speaks the RPC protocols, such as a proxy or the services of another server. It gets
// request ids, CORS, the rate limit and deadlines, but no interceptor.
func Passthrough(path string, handler http.Handler) Mount {
	return Mount{build: func(...connect.HandlerOption) (string, http.Handler) { return path, handler }, kind: callKind}
}

// Observed returns the mount with a log line and metrics for each call, as other requests have them. It is for calls that
// no interceptor of this process sees.
func (m Mount) Observed() Mount {
	m.observed = true
	return m
}

// FromHandler mounts a handler of ordinary requests, such as a gateway. In addition to what Passthrough adds, each request
// has a log line, metrics by the pattern that http.ServeMux matched last and a limit on its body, and panics end only the
// request.
func FromHandler(pattern string, handler http.Handler) Mount {
	return Mount{build: func(...connect.HandlerOption) (string, http.Handler) { return pattern, handler }, kind: plainKind}
}

// Probe returns the mount with successful requests logged at debug level, and served from the capacity that is reserved for
// health checks. It is for small responses that operators request every few seconds.
func (m Mount) Probe() Mount {
	m.probe = true
	return m
}

// Private returns the mount without CORS: web pages cannot read its responses.
func (m Mount) Private() Mount {
	m.private = true
	return m
}

// Transfer mounts a handler of ordinary requests whose bodies and responses may be of any size, such as files. It gets what
// FromHandler adds, except the limit on the body and the time in which it has to arrive: instead, a client has to send and
// accept data at a minimum rate. The handler must bound the body, and must not keep it in memory.
func Transfer(pattern string, handler http.Handler) Mount {
	m := FromHandler(pattern, handler)
	m.transfer = true
	return m
}
