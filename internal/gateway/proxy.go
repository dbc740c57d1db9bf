package gateway

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"makechain/internal/server"
)

var errUnreachable = errors.New("the node cannot be reached")

// A proxy passes calls of all protocols through to a node unchanged, including streams and trailers.
type proxy struct {
	reverse     *httputil.ReverseProxy
	draining    context.Context //nolint:containedctx // it is canceled when the gateway starts to close
	errorWriter *connect.ErrorWriter
	log         *slog.Logger
}

func newProxy(
	node *url.URL, transport http.RoundTripper, draining context.Context, log *slog.Logger, //nolint:revive // draining is stored, not used
) *proxy {
	p := &proxy{draining: draining, errorWriter: connect.NewErrorWriter(), log: log}
	p.reverse = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(node)
			r.Out.Header.Del("Origin") // the gateway has applied CORS
		},
		Transport:     transport,
		FlushInterval: -1,
		ModifyResponse: func(response *http.Response) error {
			response.Header.Del(server.RequestIDHeader) // the gateway's server sets it
			return nil
		},
		ErrorHandler: p.fail,
		ErrorLog:     slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	return p
}

// ServeHTTP passes a call through. Streams are canceled when the gateway starts to close, unary calls may finish.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	method := findMethod(r.URL.Path)
	if method != nil {
		r.Pattern = r.URL.Path // a valid method, so that metrics have no labels made up by clients
	}
	if method == nil || method.IsStreamingServer() || method.IsStreamingClient() {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(p.draining, cancel)() //nolint:contextcheck // the gateway closes, not the call
		r = r.WithContext(ctx)
	}
	p.reverse.ServeHTTP(w, r)
}

// findMethod returns the method of a path, or nil if it is not registered in this program.
func findMethod(path string) protoreflect.MethodDescriptor {
	name := strings.ReplaceAll(strings.Trim(path, "/"), "/", ".")
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(name))
	if err != nil {
		return nil
	}
	method, _ := found.(protoreflect.MethodDescriptor)
	return method
}

// fail responds to a call that did not reach the node, in the protocol of the call.
func (p *proxy) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() == nil {
		p.log.LogAttrs(r.Context(), slog.LevelWarn, "the upstream cannot be reached", slog.String("error", err.Error()))
	}
	if !p.errorWriter.IsSupported(r) {
		http.Error(w, errUnreachable.Error(), http.StatusBadGateway)
		return
	}
	_ = p.errorWriter.Write(w, r, connect.NewError(connect.CodeUnavailable, errUnreachable)) // the client may have disconnected
}
