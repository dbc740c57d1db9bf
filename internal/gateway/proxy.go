package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"makechain/internal/rest"
	"makechain/internal/settlement"
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
			for _, name := range []string{
				"Origin",                // the gateway has applied CORS
				"Cookie",                // belongs to the host of the gateway; on localhost, to all programs
				"Upgrade", "Connection", // no other protocols
				"Referer", "Sec-Fetch-Dest", "Sec-Fetch-Mode", "Sec-Fetch-Site", "Sec-Fetch-User",
			} {
				r.Out.Header.Del(name)
			}
		},
		Transport:      transport,
		FlushInterval:  -1,
		ModifyResponse: isolate,
		ErrorHandler:   p.fail,
		ErrorLog:       slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	return p
}

// isolate removes what a node could use to take over the origin of the gateway in a browser, where the web page verifies what the
// node returns: all headers that calls and files do not need, such as cookies, and redirects. The policy is that of the content
// service.
func isolate(response *http.Response) error {
	if status := response.StatusCode; status >= http.StatusMultipleChoices && status < http.StatusBadRequest && status != http.StatusNotModified {
		return fmt.Errorf("the node redirects: %s", response.Status)
	}
	for name := range response.Header {
		if !isForwarded(name) {
			response.Header.Del(name)
		}
	}
	response.Header.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	response.Header.Set("X-Content-Type-Options", "nosniff")
	return nil
}

// isForwarded reports whether a header of a response, in canonical form, is passed on.
func isForwarded(name string) bool {
	for _, prefix := range []string{"Connect-", "Grpc-", "Makechain-", "Trailer-"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return slices.Contains([]string{
		"Accept-Ranges", "Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Length", "Content-Range", "Content-Type", "Etag", "Expires",
		"Last-Modified", "Pragma", "Retry-After", "Trailer", "Vary", "Www-Authenticate",
	}, name)
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
	isPath := func(prefix string) bool { return strings.HasPrefix(r.URL.Path, prefix) }
	if isPath(contentPath) || isPath(gitPath) || isPath(settlement.ClaimsPath) || !p.errorWriter.IsSupported(r) {
		rest.WriteError(w, r, http.StatusServiceUnavailable, errUnreachable.Error())
		return
	}
	_ = p.errorWriter.Write(w, r, connect.NewError(connect.CodeUnavailable, errUnreachable)) // the client may have disconnected
}
