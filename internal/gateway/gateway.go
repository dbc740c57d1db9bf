// Package gateway wires the gateway: the routes of internal/rest, calls that are passed through to the node, and the
// server around both.
//
// It runs in a node, where it calls the service directly, or standalone in front of a remote node. Only the upstream
// differs. Requests that the server itself rejects get a problem document on REST paths, and an error of their protocol on
// RPC paths.
package gateway

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
	"sync"

	"connectrpc.com/grpchealth"
	"connectrpc.com/grpcreflect"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"makechain/gen/makechain/dev/devpbconnect"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/limit"
	"makechain/internal/rest"
	"makechain/internal/server"
	"makechain/web"
)

// DefaultAddr is the default address of a gateway.
const DefaultAddr = "localhost:8080"

const (
	plainScheme  = "http"
	secureScheme = "https"
)

// streamPaths is the prefix of the paths of event streams, whose headers must be sent before their first event.
const streamPaths = "/v1/stream/"

// Config configures a gateway.
type Config struct {
	// Server configures the server around the gateway, except WriteError, Accounts and IsLarge, which the gateway sets.
	Server server.Config
	// Upstream is the node. Close closes it.
	Upstream *Upstream
	// Mounts are further ones: claims of storage, and those of a content service, which the OpenAPI document describes if Content
	// is set.
	Mounts  []server.Mount
	Content bool
	// Gatherer provides the metrics that clients on this machine may read.
	Gatherer prometheus.Gatherer
	// Version is the version of the program.
	Version string
	// Describe describes who serves the web page. Nil means a gateway.
	Describe web.Describer
}

// Gateway is a gateway that listens on an address.
type Gateway struct {
	server   *server.Server
	routes   *rest.Gateway
	upstream *Upstream
	scheme   string
	close    func() error // shutDown, once
}

// New creates a gateway and listens. Connections are accepted when Run is called.
func New(config Config) (*Gateway, error) {
	if config.Server.Log == nil {
		config.Server.Log = slog.Default()
	}
	routes, err := rest.New(rest.Config{
		Upstream:       config.Upstream.rest,
		Version:        config.Version,
		Content:        config.Content || config.Upstream.content != nil,
		Claims:         true,
		RequestID:      server.RequestID,
		ClientAddress:  server.ClientAddress,
		ForwardHeaders: []string{server.BlockHeader, server.BehindHeader},
		Metrics:        promhttp.HandlerFor(config.Gatherer, promhttp.HandlerOpts{}),
		Log:            slog.New(server.LogHandler(config.Server.Log.Handler())),
		Registerer:     config.Server.Registerer,
		Streams:        rest.StreamLimits{LimitLoopback: config.Server.Limits.LimitLoopback},
	})
	if err != nil {
		return nil, err
	}
	if config.Describe == nil {
		config.Describe = config.Upstream.describe
	}
	page, err := web.New(config.Describe, rest.WriteError)
	if err != nil {
		return nil, errors.Join(err, routes.Close())
	}
	mounts, err := newMounts(routes.Handler(), page, config.Upstream)
	if err != nil {
		return nil, errors.Join(err, routes.Close())
	}
	config.Server.WriteError, config.Server.Accounts, config.Server.IsLarge = rest.WriteError, config.Upstream.accounts, limit.IsLarge
	g := &Gateway{routes: routes, upstream: config.Upstream, scheme: plainScheme}
	if config.Server.Secure() {
		g.scheme = secureScheme
	}
	if g.server, err = server.New(config.Server, append(mounts, config.Mounts...)...); err != nil {
		return nil, errors.Join(err, routes.Close())
	}
	g.close = sync.OnceValue(g.shutDown)
	return g, nil
}

// newMounts returns the mounts: calls by the name of their service, the files of the web page, and REST on all other paths.
func newMounts(routes http.Handler, page *web.Page, upstream *Upstream) ([]server.Mount, error) {
	compressed, err := server.Compress(routes)
	if err != nil {
		return nil, err
	}
	mounts := []server.Mount{
		server.FromHandler("/", compressed),
		server.FromHandler(streamPaths, routes),
	}
	for _, path := range page.Paths() {
		if path == "/" {
			path = "/{$}"
		}
		mounts = append(mounts, server.FromHandler(path, page))
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		mounts = append(mounts, server.FromHandler(path, routes).Probe())
	}
	mounts = append(mounts, server.FromHandler("/metrics", routes).Probe().Private())
	for _, service := range []string{
		makechainpbconnect.MakechainServiceName, devpbconnect.FaucetServiceName,
		grpchealth.HealthV1ServiceName, grpcreflect.ReflectV1ServiceName, grpcreflect.ReflectV1AlphaServiceName,
	} {
		mounts = append(mounts, upstream.mount("/"+service+"/"))
	}
	return append(mounts, upstream.content...), nil
}

// URL returns the URL of the gateway.
func (g *Gateway) URL() string { return g.scheme + "://" + g.server.Addr().String() }

// LocalURL returns the URL to open in a browser on this machine. It names localhost instead of an IP address where it can,
// because passkeys need the name of a host.
func (g *Gateway) LocalURL() string {
	address, err := netip.ParseAddrPort(g.server.Addr().String())
	if err != nil || !address.Addr().IsLoopback() && !address.Addr().IsUnspecified() {
		return g.URL()
	}
	return g.scheme + "://localhost:" + strconv.Itoa(int(address.Port()))
}

// Run serves until ctx is done or the gateway is closed. It returns nil after an orderly shutdown.
func (g *Gateway) Run(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() { _ = g.Close() })()
	return errors.Join(g.server.Serve(context.WithoutCancel(ctx)), g.Close())
}

// Close ends streams, waits for other requests up to the shutdown timeout, and closes the upstream. A second call waits for
// the first and returns its result.
func (g *Gateway) Close() error { return g.close() }

func (g *Gateway) shutDown() error {
	g.upstream.drain()
	err := errors.Join(g.routes.Close(), g.server.Close())
	g.upstream.close()
	return err
}
