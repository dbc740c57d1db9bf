// Package rest is the gateway: HTTP with JSON in front of the service of a node.
//
// It only translates. Every route is a call of MakechainService, made directly in a node and through a client in front of
// a remote one. Requests are validated against the schemas of the OpenAPI document before a call is made. Every error is a
// problem document with the same code as in gRPC; internal errors are only logged. The only state between requests are the
// recent events of the streams.
package rest

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"sync/atomic"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/prometheus/client_golang/prometheus"

	"makechain/gen/makechain/makechainpbconnect"
)

// Config configures a gateway. Only Upstream is required.
type Config struct {
	// Upstream is the node that answers requests.
	Upstream *Upstream
	// Version is the version of the program in the OpenAPI document.
	Version string
	// RequestID returns the id of the request that a context belongs to. Nil means that requests have none.
	RequestID func(context.Context) string
	// ClientAddress returns the address that the request of a context came from. Nil means that none is available.
	ClientAddress func(context.Context) netip.Addr
	// ForwardHeaders are headers of the upstream's responses that are copied to the gateway's. They replace those that a
	// server around the gateway has set.
	ForwardHeaders []string
	// Content describes the routes of a content service in the OpenAPI document. Another handler serves them.
	Content bool
	// Claims describes the route that collects claims of storage. Another handler serves it.
	Claims bool
	// Metrics is served at /metrics to clients on this machine only. Nil means that there are none.
	Metrics http.Handler
	// Log receives errors that clients must not see. Nil means the default logger.
	Log *slog.Logger
	// Registerer receives the metrics of the gateway. Nil means that they are not exported.
	Registerer prometheus.Registerer
	// Streams are the limits of the event streams.
	Streams StreamLimits
}

// Gateway serves the routes of the gateway.
type Gateway struct {
	config  Config
	service makechainpbconnect.MakechainServiceClient // of the upstream
	router  *router
	api     huma.API
	height  atomic.Uint64 // the highest block seen in a response
	streams *streams

	knownNetwork atomic.Int32 // of the chain; 0 until the node was asked
}

// New creates a gateway. It makes no calls until there are requests.
func New(config Config) (*Gateway, error) {
	if config.Upstream == nil {
		return nil, errors.New("the gateway has no upstream")
	}
	if config.RequestID == nil {
		config.RequestID = func(context.Context) string { return "" }
	}
	if config.ClientAddress == nil {
		config.ClientAddress = func(context.Context) netip.Addr { return netip.Addr{} }
	}
	if config.Log == nil {
		config.Log = slog.Default()
	}
	if config.Registerer == nil {
		config.Registerer = prometheus.NewRegistry()
	}
	streams, err := newStreams(config)
	if err != nil {
		return nil, err
	}
	g := &Gateway{config: config, service: config.Upstream.service, router: newRouter(), streams: streams}
	g.api = humago.New(g.router, apiConfig(config.Version))
	g.api.UseMiddleware(rejectRepeated, withRequest)
	g.registerProbes()
	g.registerMessages()
	g.registerProjects()
	g.registerRefs()
	g.registerCommits()
	g.registerMergeRequests()
	g.registerAccounts()
	g.registerKeys()
	g.registerLinks()
	g.registerBlocks()
	if err := g.registerProofs(); err != nil {
		return nil, err
	}
	g.registerNode()
	g.registerStreams()
	if err := errors.Join(g.registerDocument(), g.registerReference()); err != nil {
		return nil, err
	}
	return g, nil
}

// Handler returns the handler of all routes.
func (g *Gateway) Handler() http.Handler { return g.router }

// Close ends the streams and refuses new ones.
func (g *Gateway) Close() error {
	g.streams.close()
	return nil
}
