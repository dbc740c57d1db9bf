// Package rest is the gateway: HTTP and JSON in front of the service of a node.
//
// It translates and decides nothing. Every route is one call of MakechainService through a client, so the same code
// runs inside a node and in front of a remote one. Requests are checked against the schemas that the OpenAPI document
// shows before any call is made. Whatever goes wrong is a problem document with the code that gRPC gives, and none of
// them says what only the log may know. Nothing is kept between two requests but the recent events of the streams.
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

// Config says whom a gateway asks and how it is watched. Only Upstream is needed.
type Config struct {
	// Upstream answers every request. It may be in this process (InProcess) or far away.
	Upstream makechainpbconnect.MakechainServiceClient
	// Version is that of the program, as the OpenAPI document names it.
	Version string
	// RequestID is the id of the request that a context belongs to. Nil means that requests have none.
	RequestID func(context.Context) string
	// ClientAddress is the address that the request of a context came from. Nil means that none is known.
	ClientAddress func(context.Context) netip.Addr
	// PassOn names headers of the upstream's answers that clients get too. One that a server around the gateway has set
	// is replaced.
	PassOn []string
	// Metrics is served at /metrics to clients of this machine alone. Nil means that there are none.
	Metrics http.Handler
	// Log gets what clients must not see. Nil means the default logger.
	Log *slog.Logger
	// Registerer gets the metrics of the gateway. Nil means that nobody reads them.
	Registerer prometheus.Registerer
	// Streams bounds the event streams.
	Streams StreamLimits
}

// Gateway serves the routes of the gateway.
type Gateway struct {
	config   Config
	upstream makechainpbconnect.MakechainServiceClient
	router   *router
	api      huma.API
	height   atomic.Uint64 // the highest block that was heard of
	streams  *streams
}

// New makes a gateway. It calls nobody until it is asked.
func New(config Config) (*Gateway, error) {
	if config.Upstream == nil {
		return nil, errors.New("a gateway needs a service to ask")
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
	g := &Gateway{config: config, upstream: config.Upstream, router: newRouter(), streams: streams}
	g.api = humago.New(g.router, apiConfig(config.Version))
	g.api.UseMiddleware(refuseRepeated, noteOperation, letPass)
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
	registerStreams(g.api, g)
	if err := errors.Join(g.registerDocument(), g.registerReference()); err != nil {
		return nil, err
	}
	return g, nil
}

// Handler serves everything but the passthrough of RPCs.
func (g *Gateway) Handler() http.Handler { return g.router }

// Close ends the streams, and refuses new ones.
func (g *Gateway) Close() error {
	g.streams.close()
	return nil
}
