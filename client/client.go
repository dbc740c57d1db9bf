package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
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

const (
	// DefaultPort is the port on which a node serves by default.
	DefaultPort = "50051"
	// DefaultTarget is the address of a node on this machine that serves on the default port.
	DefaultTarget = "localhost:" + DefaultPort

	// dialTimeout is the time within which a connection must be established.
	dialTimeout = 5 * time.Second
	// pingInterval is the time after which an idle connection is checked with a ping, and the timeout of the ping.
	// Without it a stream would wait forever on a connection that broke without notice.
	pingInterval = 15 * time.Second
	// maxResponse is the size of the largest response that is read, in bytes; nodes stay below it.
	maxResponse = 8 << 20
)

// Client is a connection to one node.
type Client struct {
	makechainpbconnect.MakechainServiceClient

	// Faucet grants storage for free. Only development chains have one.
	Faucet devpbconnect.FaucetServiceClient

	target  string
	http    *http.Client
	source  TrustSource
	onTrust func(*Client, finality.Trust) error // may be nil
	memory  BlockMemory                         // may be nil

	rootCAs         *x509.CertPool // nil for those of the system
	callTimeout     time.Duration
	rollbackTimeout time.Duration

	mu      sync.Mutex
	trust   *finality.Trust // guarded by mu; nil until the source has returned it
	highest uint64          // guarded by mu; the highest block that was certified to this client, as far as it has read the memory
}

// TrustSource returns the validators to trust. It is called once, when the first proof is verified.
type TrustSource func(context.Context, *Client) (finality.Trust, error)

// Option configures a Client.
type Option func(*Client)

// WithTrust makes the client verify proofs against the given validators.
func WithTrust(trust finality.Trust) Option {
	return WithTrustSource(func(context.Context, *Client) (finality.Trust, error) { return trust, nil })
}

// WithTrustSource makes the client verify proofs against the validators that source returns.
func WithTrustSource(source TrustSource) Option {
	return func(c *Client) { c.source = source }
}

// WithTrustUpdates makes the client call update with the newest trusted validators whenever it has followed a change,
// so that the caller can store them for later clients. update must not call methods of the client that need trust.
func WithTrustUpdates(update func(*Client, finality.Trust) error) Option {
	return func(c *Client) { c.onTrust = update }
}

// WithRootCAs makes the client accept certificates of nodes that these authorities have signed, instead of those of the system.
func WithRootCAs(roots *x509.CertPool) Option {
	return func(c *Client) { c.rootCAs = roots }
}

// WithCallTimeout sets the time limit of a call whose context has no deadline, with all its attempts. The default is one minute.
func WithCallTimeout(limit time.Duration) Option {
	return func(c *Client) { c.callTimeout = limit }
}

// WithRollbackTimeout sets how long the client repeats a read while the node returns a state before the highest known block
// (RollbackError). The default is 10 seconds.
func WithRollbackTimeout(limit time.Duration) Option {
	return func(c *Client) { c.rollbackTimeout = limit }
}

// New returns a client of the node at target, an address that ParseTarget accepts. It uses gRPC, without TLS unless
// the target is an https URL. It connects when it is first used.
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
	c := &Client{target: base.Host, callTimeout: callTimeout, rollbackTimeout: rollbackTimeout}
	for _, option := range options {
		option(c)
	}
	dialer := &net.Dialer{Timeout: dialTimeout}
	c.http = &http.Client{Transport: &http.Transport{
		Protocols: protocols, DialContext: dialer.DialContext, HTTP2: &http.HTTP2Config{SendPingTimeout: pingInterval, PingTimeout: pingInterval},
		TLSClientConfig: &tls.Config{RootCAs: c.rootCAs, MinVersion: tls.VersionTLS12},
	}}
	calls := []connect.ClientOption{
		connect.WithGRPC(), connect.WithReadMaxBytes(maxResponse), connect.WithInterceptors(retryInterceptor{c.callTimeout}),
	}
	c.MakechainServiceClient = makechainpbconnect.NewMakechainServiceClient(c.http, base.String(), calls...)
	c.Faucet = devpbconnect.NewFaucetServiceClient(c.http, base.String(), calls...)
	return c, nil
}

// Close closes the idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Target returns the host and port of the node.
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

// Call calls a method of the service, without the wrappers that connect puts around requests and responses.
func Call[Request, Response any](
	ctx context.Context, method func(context.Context, *connect.Request[Request]) (*connect.Response[Response], error), request *Request,
) (*Response, error) {
	response, err := method(ctx, connect.NewRequest(request))
	if err != nil {
		return nil, err
	}
	return response.Msg, nil
}
