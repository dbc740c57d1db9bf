// Package gateway puts the gateway together: the routes of internal/rest, calls passed through to a node, and the
// server around both.
//
// It runs inside a node, where it needs no network, and alone in front of a remote one. Only the upstream differs.
// Whatever its server refuses by itself is a problem document on the paths of REST, and an error of the protocol on
// those of calls.
package gateway

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"

	"connectrpc.com/grpchealth"
	"connectrpc.com/grpcreflect"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"makechain/gen/makechain/dev/devpbconnect"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/rest"
	"makechain/internal/server"
)

// DefaultAddr is where a gateway listens that is not told otherwise.
const DefaultAddr = "localhost:8080"

const (
	plainScheme  = "http"
	secureScheme = "https"
)

// streamPaths begins the paths of event streams, whose headers must not wait for their first event.
const streamPaths = "/v1/stream/"

// Config says where a gateway listens, and for which node.
type Config struct {
	// Server is the server around the gateway. The gateway words its refusals.
	Server server.Config
	// Upstream is the node. The gateway closes it.
	Upstream *Upstream
	// Gatherer has the metrics that clients of this machine may read.
	Gatherer prometheus.Gatherer
	// Version is that of the program.
	Version string
}

// Gateway is a gateway that listens.
type Gateway struct {
	server   *server.Server
	routes   *rest.Gateway
	upstream *Upstream
	scheme   string
	close    func() error // shutDown, once
}

// New listens. Connections wait until Run is called.
func New(config Config) (*Gateway, error) {
	if config.Server.Log == nil {
		config.Server.Log = slog.Default()
	}
	routes, err := rest.New(rest.Config{
		Upstream:      config.Upstream.service,
		Version:       config.Version,
		RequestID:     server.RequestID,
		ClientAddress: server.ClientAddress,
		PassOn:        []string{server.BlockHeader, server.BehindHeader},
		Metrics:       promhttp.HandlerFor(config.Gatherer, promhttp.HandlerOpts{}),
		Log:           slog.New(server.LogHandler(config.Server.Log.Handler())),
		Registerer:    config.Server.Registerer,
	})
	if err != nil {
		return nil, err
	}
	mounts, err := mount(routes.Handler(), config.Upstream)
	if err != nil {
		return nil, errors.Join(err, routes.Close())
	}
	config.Server.Refuse = rest.Refuse
	g := &Gateway{routes: routes, upstream: config.Upstream, scheme: plainScheme}
	if config.Server.Secure() {
		g.scheme = secureScheme
	}
	if g.server, err = server.New(config.Server, mounts...); err != nil {
		return nil, errors.Join(err, routes.Close())
	}
	g.close = sync.OnceValue(g.shutDown)
	return g, nil
}

// mount lays out the port: calls by the name of their service, and REST on all other paths.
func mount(routes http.Handler, upstream *Upstream) ([]server.Mount, error) {
	compressed, err := server.Compress(routes)
	if err != nil {
		return nil, err
	}
	mounts := []server.Mount{
		server.FromHandler("/", compressed),
		server.FromHandler(streamPaths, routes),
	}
	for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
		mounts = append(mounts, server.FromHandler(path, routes).Quiet())
	}
	for _, service := range []string{
		makechainpbconnect.MakechainServiceName, devpbconnect.FaucetServiceName,
		grpchealth.HealthV1ServiceName, grpcreflect.ReflectV1ServiceName, grpcreflect.ReflectV1AlphaServiceName,
	} {
		mounts = append(mounts, upstream.mount("/"+service+"/"))
	}
	return mounts, nil
}

// URL is where clients find the gateway.
func (g *Gateway) URL() string { return g.scheme + "://" + g.server.Addr().String() }

// Run serves until ctx ends or the gateway is closed. An orderly end is no error.
func (g *Gateway) Run(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() { _ = g.Close() })()
	return errors.Join(g.server.Serve(context.WithoutCancel(ctx)), g.Close())
}

// Close ends streams, lets other requests finish for a while, and lets go of the node. Calling it again waits for
// the first.
func (g *Gateway) Close() error { return g.close() }

func (g *Gateway) shutDown() error {
	g.upstream.drain()
	err := errors.Join(g.routes.Close(), g.server.Close())
	g.upstream.close()
	return err
}
