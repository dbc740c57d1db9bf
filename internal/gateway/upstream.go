package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"connectrpc.com/connect"

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

// Dial is a node somewhere else: "host:port" or "http://host:port" in plain text, "https://host" with TLS. It connects
// when it is needed, and again after the connection broke.
func Dial(target string, log *slog.Logger) (*Upstream, error) {
	address, err := parseTarget(target)
	if err != nil {
		return nil, err
	}
	transport := newTransport(address.Scheme == secureScheme)
	draining, drain := context.WithCancel(context.Background())
	through := newProxy(address, forwarding{transport}, draining, log)
	client := &http.Client{Transport: forwarding{transport}}
	return &Upstream{
		service: makechainpbconnect.NewMakechainServiceClient(client, address.String(), connect.WithGRPC(), connect.WithInterceptors(impatience())),
		mount:   func(path string) server.Mount { return server.Passthrough(path, through).Observed() },
		drain:   drain,
		close:   transport.CloseIdleConnections,
	}, nil
}

func parseTarget(target string) (*url.URL, error) {
	if !strings.Contains(target, "://") {
		target = plainScheme + "://" + target
	}
	address, err := url.Parse(target)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the address of the node: %w", err)
	case address.Scheme != plainScheme && address.Scheme != secureScheme:
		return nil, fmt.Errorf("the address of the node: %q is neither http nor https", address.Scheme)
	case address.Hostname() == "":
		return nil, errors.New("the address of the node names no host")
	case address.Scheme == plainScheme && address.Port() == "":
		return nil, fmt.Errorf("the address of the node: %q names no port", address.Host)
	case strings.Trim(address.Path, "/") != "" || address.RawQuery != "" || address.User != nil:
		return nil, errors.New("the address of the node has more to it than a host and a port")
	}
	return &url.URL{Scheme: address.Scheme, Host: address.Host}, nil
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
	if client := server.ClientAddress(ctx); client.IsValid() {
		out.Header.Set("X-Forwarded-For", client.String())
	}
	if id := server.RequestID(ctx); id != "" {
		out.Header.Set(server.RequestIDHeader, id)
	}
	return f.next.RoundTrip(out)
}
