package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"connectrpc.com/connect"

	"makechain/gen/makechain/dev/devpbconnect"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/proof/finality"
)

// DefaultPort is where nodes serve unless they are told otherwise.
const DefaultPort = "50051"

const (
	// dialPatience bounds how long it may take until a connection stands.
	dialTimeout = 5 * time.Second
	// pingAfter is how long a connection may be silent before it is asked for a sign of life, and how long that may
	// take. Without it a stream over a connection that died unnoticed would wait for ever.
	pingInterval = 15 * time.Second
	// maxAnswer is the largest answer that is read, in bytes; nodes stay below it.
	maxResponse = 8 << 20
)

// Client is a connection to one node.
type Client struct {
	makechainpbconnect.MakechainServiceClient

	// Faucet gives storage away; development chains alone have one.
	Faucet devpbconnect.FaucetServiceClient

	target  string
	http    *http.Client
	source  TrustSource
	onTrust func(*Client, finality.Trust) error // nil for none

	mu    sync.Mutex
	trust *finality.Trust // guarded by mu; nil until it is needed
}

// TrustSource says which validators to trust. It is asked once, when a proof has to be checked for the first time.
type TrustSource func(context.Context, *Client) (finality.Trust, error)

// Option changes what New makes.
type Option func(*Client)

// WithTrust makes the client check proofs against validators that the caller knows.
func WithTrust(trust finality.Trust) Option {
	return WithTrustSource(func(context.Context, *Client) (finality.Trust, error) { return trust, nil })
}

// WithTrustFrom is WithTrust for a caller that has to look first.
func WithTrustSource(source TrustSource) Option {
	return func(c *Client) { c.source = source }
}

// WithTrustKept has the client hand out whom it trusts from now on, whenever validators have changed, for a caller that
// keeps it for the next client. It must not ask the client for anything that needs trust.
func WithTrustUpdates(keep func(*Client, finality.Trust) error) Option {
	return func(c *Client) { c.onTrust = keep }
}

// New makes a client of the node at target: host, host:port, or a URL with http:// or https://. It speaks gRPC,
// in plain text unless the URL says https. It connects when it is first used.
func New(target string, options ...Option) (*Client, error) {
	base, err := ParseTarget(target)
	if err != nil {
		return nil, err
	}
	protocols := new(http.Protocols)
	if base.Scheme == "https" {
		protocols.SetHTTP2(true)
	} else {
		protocols.SetUnencryptedHTTP2(true)
	}
	dialer := &net.Dialer{Timeout: dialTimeout}
	c := &Client{
		target: base.Host,
		http: &http.Client{Transport: &http.Transport{
			Protocols: protocols, DialContext: dialer.DialContext, HTTP2: &http.HTTP2Config{SendPingTimeout: pingInterval, PingTimeout: pingInterval},
		}},
	}
	for _, option := range options {
		option(c)
	}
	calls := []connect.ClientOption{
		connect.WithGRPC(), connect.WithReadMaxBytes(maxResponse), connect.WithInterceptors(retryInterceptor{}),
	}
	c.MakechainServiceClient = makechainpbconnect.NewMakechainServiceClient(c.http, base.String(), calls...)
	c.Faucet = devpbconnect.NewFaucetServiceClient(c.http, base.String(), calls...)
	return c, nil
}

// Close gives up the connections that are idle.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Target is the host and port of the node.
func (c *Client) Target() string { return c.target }

// ParseTarget returns the URL of a node, which consists of a scheme, a host and a port. The target is a host with an
// optional port, or a URL with http:// or https://. The scheme is http unless it is given; the port is then DefaultPort,
// and for https that of HTTPS.
func ParseTarget(target string) (*url.URL, error) {
	if !strings.Contains(target, "://") {
		target = "http://" + target
	}
	base, err := url.Parse(target)
	switch {
	case err != nil:
		return nil, fmt.Errorf("node address: %w", err)
	case base.Scheme != "http" && base.Scheme != "https":
		return nil, fmt.Errorf("node address %q: want host:port, http:// or https://", target)
	case base.Hostname() == "":
		return nil, fmt.Errorf("node address %q has no host: want host:port, http:// or https://", target)
	case base.Path != "" && base.Path != "/", base.RawQuery != "", base.Fragment != "", base.User != nil:
		// The address may contain a password, so it is not repeated.
		return nil, errors.New("a node address consists of a host and a port only")
	}
	if base.Port() == "" && base.Scheme == "http" {
		base.Host = net.JoinHostPort(base.Hostname(), DefaultPort)
	}
	return &url.URL{Scheme: base.Scheme, Host: base.Host}, nil
}

// Call calls a method with a bare request and gives the bare answer.
func Call[Request, Response any](
	ctx context.Context, method func(context.Context, *connect.Request[Request]) (*connect.Response[Response], error), request *Request,
) (*Response, error) {
	answer, err := method(ctx, connect.NewRequest(request))
	if err != nil {
		return nil, err
	}
	return answer.Msg, nil
}
