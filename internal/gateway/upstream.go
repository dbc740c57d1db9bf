package gateway

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"connectrpc.com/connect"

	"makechain/client"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/rest"
	"makechain/internal/server"
)

const (
	// dialTimeout is how long a remote node may take to accept a connection, and again to agree on TLS.
	dialTimeout = 5 * time.Second
	// callTimeout is how long a remote node may take to answer: a little more than it gives itself, so that its own
	// words are heard.
	callTimeout = server.DefaultUnaryTimeout + 5*time.Second
	// pingInterval is how long a connection may be silent before the node is asked whether it lives.
	pingInterval = 15 * time.Second
	// pingTimeout is how long the node may take to answer that.
	pingTimeout = 10 * time.Second

	// inProcessURL names a node that needs no network. Nobody looks it up.
	inProcessURL = "http://node"
)

// Upstream is the node that a gateway is for.
type Upstream struct {
	service makechainpbconnect.MakechainServiceClient
	mount   func(path string) server.Mount // passes the calls below a path through
	drain   func()                         // ends streams that are passed through
	close   func()
}

// InProcess is a node in this process, known by the services of its server. Streams that are passed through to it
// end when that server closes.
func InProcess(services http.Handler) *Upstream {
	return &Upstream{
		service: makechainpbconnect.NewMakechainServiceClient(rest.InProcess(services), inProcessURL, withoutCompression()),
		mount:   func(path string) server.Mount { return server.Passthrough(path, services) },
		drain:   func() {},
		close:   func() {},
	}
}

// withoutCompression asks for none, which would only cost time between two parts of a program.
func withoutCompression() connect.ClientOption {
	return connect.WithAcceptCompression("gzip", nil, nil)
}

// Dial returns the upstream for a node at an address that client.ParseTarget accepts: plain text unless it is an https
// URL. It connects when the first call is made, and again after the connection broke.
func Dial(target string, log *slog.Logger) (*Upstream, error) {
	address, err := client.ParseTarget(target)
	if err != nil {
		return nil, err
	}
	transport := newTransport(address.Scheme == secureScheme)
	draining, drain := context.WithCancel(context.Background())
	through := newProxy(address, forwarding{transport}, draining, log)
	httpClient := &http.Client{Transport: forwarding{transport}}
	return &Upstream{
		service: makechainpbconnect.NewMakechainServiceClient(httpClient, address.String(), connect.WithGRPC(), connect.WithInterceptors(impatience())),
		mount:   func(path string) server.Mount { return server.Passthrough(path, through).Observed() },
		drain:   drain,
		close:   transport.CloseIdleConnections,
	}, nil
}

// newTransport speaks HTTP/2 alone: gRPC needs its trailers, and many calls share a connection.
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

// impatience gives up on a node that does not answer. Streams may be silent.
func impatience() connect.UnaryInterceptorFunc {
	return func(next connect.UnaryFunc) connect.UnaryFunc {
		return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
			ctx, cancel := context.WithTimeout(ctx, callTimeout)
			defer cancel()
			return next(ctx, req)
		}
	}
}

// forwarding tells the node on whose behalf it is asked, and under which id.
type forwarding struct{ next http.RoundTripper }

func (f forwarding) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	out := req.WithContext(ctx)
	out.Header = req.Header.Clone()
	out.Header.Del("X-Forwarded-For")
	if address := server.ClientAddress(ctx); address.IsValid() {
		out.Header.Set("X-Forwarded-For", address.String())
	}
	if id := server.RequestID(ctx); id != "" {
		out.Header.Set(server.RequestIDHeader, id)
	}
	return f.next.RoundTrip(out)
}
