package gateway

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"connectrpc.com/connect"

	"makechain/client"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/rest"
	"makechain/internal/server"
	"makechain/internal/settlement"
	"makechain/web"
)

const (
	// dialTimeout is the timeout for connecting to a remote node, and for the TLS handshake.
	dialTimeout = 5 * time.Second
	// callTimeout is the timeout of unary calls to a remote node: a little more than the node's own, so that the node's
	// error arrives.
	callTimeout = server.DefaultUnaryTimeout + 5*time.Second
	// pingInterval is how long a connection may be idle before the gateway sends a ping.
	pingInterval = 15 * time.Second
	// pingTimeout is how long the node may take to answer a ping.
	pingTimeout = 10 * time.Second
)

// Paths of a content service.
const (
	contentPath = "/v1/content"
	gitPath     = "/git/"
)

// Upstream is the node behind a gateway.
type Upstream struct {
	rest     *rest.Upstream
	accounts *server.Accounts               // of the node's clients; nil for a remote node
	mount    func(path string) server.Mount // passes the calls below a path through
	// content passes requests to the content service of a remote node through, with contentHost as their Host header, and those
	// for claims.
	content     []server.Mount
	contentHost string
	drain       func() // cancels streams that are passed through
	close       func()
}

// InProcess returns an upstream for the service of a node in this process and the server that serves it. Streams that are
// passed through to it end when that server closes. Requests to the gateway count towards the rate limit of that server.
func InProcess(service rest.Service, s *server.Server) *Upstream {
	return &Upstream{
		rest:     rest.Local(service, s),
		accounts: s.Accounts(),
		mount:    func(path string) server.Mount { return server.Passthrough(path, s.Services()) },
		drain:    func() {},
		close:    func() {},
	}
}

// Dial returns an upstream for a remote node at an address that client.ParseTarget accepts: plain text unless it is an
// https URL. It connects on the first call, and again after the connection broke.
func Dial(target string, log *slog.Logger) (*Upstream, error) {
	address, err := client.ParseTarget(target)
	if err != nil {
		return nil, err
	}
	transport := newTransport(address.Scheme == secureScheme)
	draining, drain := context.WithCancel(context.Background())
	through := newProxy(address, forwarding{transport}, draining, log)
	service := makechainpbconnect.NewMakechainServiceClient(&http.Client{Transport: forwarding{transport}}, address.String(), connect.WithGRPC())
	return &Upstream{
		rest:  rest.Remote(service, callTimeout, server.ReserveResponse),
		mount: func(path string) server.Mount { return server.Passthrough(path, through).Observed() },
		content: []server.Mount{
			server.Transfer(contentPath, through), server.Transfer(contentPath+"/", through), server.Transfer(gitPath, through),
			server.FromHandler(settlement.ClaimsPath, through),
		},
		contentHost: strings.ToLower(address.Host),
		drain:       drain,
		close:       transport.CloseIdleConnections,
	}, nil
}

// ContentHost returns the host that statements for the content service of the node name, "" if the gateway does not pass
// requests to it on.
func (u *Upstream) ContentHost() string { return u.contentHost }

// describe describes the web page of a gateway.
func (u *Upstream) describe(r *http.Request) (web.Description, error) {
	description, err := web.Describe(web.ServedByGateway)(r)
	if u.contentHost != "" {
		description.ContentHost = u.contentHost
	}
	return description, err
}

// newTransport returns a transport for HTTP/2 only: gRPC needs its trailers, and calls share one connection.
func newTransport(secure bool) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP2(secure)
	protocols.SetUnencryptedHTTP2(!secure)
	return &http.Transport{
		Protocols:           protocols,
		DialContext:         (&net.Dialer{Timeout: dialTimeout}).DialContext,
		TLSHandshakeTimeout: dialTimeout,
		DisableCompression:  true,
		HTTP2:               &http.HTTP2Config{SendPingTimeout: pingInterval, PingTimeout: pingTimeout},
	}
}

// forwarding adds the address of the client and the request id to the requests to the node.
type forwarding struct{ next http.RoundTripper }

func (f forwarding) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	out := req.WithContext(ctx)
	out.Header = req.Header.Clone()
	out.Header.Del("X-Forwarded-For")
	out.Header.Del("Forwarded")
	if client := server.ForwardedFor(ctx); client != "" {
		out.Header.Set("X-Forwarded-For", client)
	}
	if id := server.RequestID(ctx); id != "" {
		out.Header.Set(server.RequestIDHeader, id)
	}
	return f.next.RoundTrip(out)
}
