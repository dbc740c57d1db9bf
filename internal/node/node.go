// Package node puts a node together: store, ledger, mempool, consensus, indexes, feed, server and gateway.
//
// It is the only place that builds all of them, and holds no rules of its own.
package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	pb "makechain/gen/makechain"
	"makechain/internal/abci"
	"makechain/internal/comet"
	"makechain/internal/consensus"
	"makechain/internal/feed"
	"makechain/internal/gateway"
	"makechain/internal/genesis"
	"makechain/internal/mempool"
	"makechain/internal/server"
	"makechain/internal/snapshot"
	"makechain/internal/store"
	"makechain/message"
)

// Defaults of a node.
const (
	DefaultHome = "makechain-data"
	DefaultGRPC = "localhost:50051"
	DefaultP2P  = "127.0.0.1:0" // a chain of one has no peers; a network wants a fixed port
	// DefaultSnapshotEvery is how many blocks lie between two snapshots of the state.
	DefaultSnapshotEvery = 1_000

	maxWait        = 30 * time.Second // for SubmitMessage with wait
	engineHeadroom = 10_000           // places in the engine's mempool beyond the pool's own
)

// Config says how a node runs. Only Home is needed.
type Config struct {
	Home          string
	Genesis       string        // file of the chain to join; "" takes that of the home, or begins a chain
	GRPC          server.Config // its Ready, Log and Registerer are set by the node
	RESTAddr      string        // the gateway's, which is like GRPC in all else; none when empty
	MetricsAddr   string        // none when empty
	Profiles      bool          // served beside metrics, on a loopback address alone
	P2PAddr       string
	Peers         []string
	StateSync     *StateSync // nil executes the blocks since genesis
	BlockInterval time.Duration
	SnapshotEvery uint64 // blocks between two snapshots of the state; 0 takes none
	RetainBlocks  uint64 // newest blocks to keep; 0 keeps all
	Faucet        bool   // served on DEVNET alone
	Version       string
	Log           *slog.Logger

	// Pretend puts something between the engine and the application, to see what others make of a node that lies. It is
	// nil in an honest one.
	WrapApplication func(comet.Application) comet.Application
}

// Node is a running node.
type Node struct {
	config   Config
	genesis  *genesis.Genesis
	registry *prometheus.Registry
	metrics  *metrics
	store    *store.Store
	pool     *mempool.Pool
	engine   *comet.Engine
	feed     *feed.Feed
	progress progress
	faucet   bool

	snapshots *snapshot.Directory
	restorer  *snapshot.Restorer
	pruner    *pruner // nil when all blocks are kept

	server        *server.Server
	gateway       *gateway.Gateway
	metricsServer *server.MetricsServer
}

// New starts a node: when it returns, the chain runs and the server listens. A home that is empty becomes a
// development chain of its own.
func New(ctx context.Context, config Config) (*Node, error) {
	n := newNode(config)
	if err := n.start(ctx); err != nil {
		return nil, errors.Join(err, n.Close())
	}
	return n, nil
}

func newNode(config Config) *Node { return &Node{config: config, registry: prometheus.NewRegistry()} }

func (n *Node) start(ctx context.Context) error {
	if err := n.open(); err != nil {
		return err
	}
	if err := n.startEngine(ctx); err != nil {
		return err
	}
	n.measureProgress()
	return n.startServer()
}

// open opens the parts of a node that consensus needs. The engine does not run yet, so the mempool and the feed call it
// by closures.
func (n *Node) open() (err error) {
	home := n.config.Home
	if err := join(home, n.config.Genesis); err != nil {
		return err
	}
	if n.genesis, err = prepare(home); err != nil {
		return err
	}
	if n.store, err = n.openStore(); err != nil {
		return err
	}
	if err := n.openSnapshots(); err != nil {
		return err
	}
	n.pool = mempool.New(mempool.Config{
		Params:    n.genesis.Params(),
		Latest:    func() mempool.Snapshot { return n.store.Snapshot() },
		Broadcast: func(tx []byte) error { return n.engine.Submit(tx) },
		Status:    func() consensus.Status { return n.engine.Status() },
		OnSubmit:  func(m *message.Envelope, refusal *message.Refusal) { n.metrics.submitted(m, refusal) },
		Now:       time.Now,
		Capacity:  mempool.DefaultCapacity,
		TTL:       mempool.DefaultTTL,
		// One core is left to consensus, without which all submissions wait.
		Workers: max(1, runtime.GOMAXPROCS(0)-1),
	})
	n.metrics = newMetrics(n.registry, func() float64 { return float64(n.pool.Len()) })
	latest := n.store.Snapshot()
	n.feed = feed.New(blockSource{n}, latest.Height(), feed.Options{})
	n.progress.height.Store(latest.Height())
	return latest.Close()
}

// application is the chain as consensus sees it.
func (n *Node) application() *abci.App {
	return abci.New(abci.Config{
		Genesis:   n.genesis,
		State:     timedStore{n.store, n.metrics},
		Pool:      n.pool,
		Index:     indexer{n.pool},
		Observers: []abci.Observer{n.pool, n.metrics, &n.progress, n.feed},
		Log:       n.config.Log,

		Snapshots:     snapshots{n.snapshots, n.config.SnapshotEvery},
		SnapshotEvery: n.config.SnapshotEvery,
		Restorer:      restorer{n.restorer},
		Pruner:        n.newPruner(),
	})
}

// startEngine starts consensus, which begins by replaying what is not durable yet.
func (n *Node) startEngine(ctx context.Context) error {
	stateSource, err := n.stateSource(ctx, n.progress.height.Load())
	if err != nil {
		return err
	}
	var app comet.Application = n.application()
	if n.config.WrapApplication != nil {
		app = n.config.WrapApplication(app)
	}
	n.engine, err = comet.Start(ctx, comet.Config{
		Home:            n.config.Home,
		BlockInterval:   n.config.BlockInterval,
		ListenAddress:   n.config.P2PAddr,
		PersistentPeers: n.config.Peers,
		MempoolSize:     mempool.DefaultCapacity + engineHeadroom,
		AdmitGossip:     n.pool.AdmitGossip,
		StateSync:       stateSource,
	}, app, n.config.Log)
	if err == nil && n.pruner != nil {
		n.pruner.engine.Store(n.engine)
	}
	return err
}

// ChainID names the chain.
func (n *Node) ChainID() string { return n.genesis.ChainID }

// Network is the network of the chain.
func (n *Node) Network() pb.Network { return n.genesis.Network }

// Run serves until ctx ends or the node cannot go on, and then closes it.
func (n *Node) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var serving errgroup.Group
	serving.Go(func() error {
		defer cancel()
		return n.server.Serve(ctx)
	})
	serving.Go(func() error { return n.maintain(ctx) })
	if n.gateway != nil {
		serving.Go(func() error {
			defer cancel()
			return n.gateway.Run(ctx)
		})
	}
	if n.metricsServer != nil {
		serving.Go(func() error {
			defer cancel()
			return n.metricsServer.Serve(ctx)
		})
	}
	var stopped error
	select {
	case <-ctx.Done():
	case <-n.engine.Done():
		stopped = fmt.Errorf("consensus stopped: %w", n.engine.Err())
	}
	n.feed.Close()
	cancel()
	return errors.Join(stopped, serving.Wait(), n.Close())
}

// Close stops the node: first what takes requests, then the chain, then the store.
func (n *Node) Close() error {
	var err error
	if n.gateway != nil {
		err = n.gateway.Close()
	}
	if n.server != nil {
		err = errors.Join(err, n.server.Close())
	}
	if n.metricsServer != nil {
		err = errors.Join(err, n.metricsServer.Close())
	}
	if n.engine != nil {
		err = errors.Join(err, n.engine.Stop())
	}
	if n.pool != nil {
		err = errors.Join(err, n.pool.Close())
	}
	err = errors.Join(err, n.closeSnapshots())
	if n.store != nil {
		err = errors.Join(err, n.store.Close())
	}
	return err
}
