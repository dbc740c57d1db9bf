// Package node builds a node from its parts: store, ledger, mempool, consensus, indexes, feed, server and gateway. It also
// has the operations on the home of a node that is not running: check, export and import.
package node

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	pb "makechain/gen/makechain"
	"makechain/internal/abci"
	"makechain/internal/comet"
	"makechain/internal/consensus"
	"makechain/internal/contentserver"
	"makechain/internal/feed"
	"makechain/internal/gateway"
	"makechain/internal/genesis"
	"makechain/internal/limit"
	"makechain/internal/mempool"
	"makechain/internal/server"
	"makechain/internal/snapshot"
	"makechain/internal/store"
	"makechain/message"
)

// Node is a running node.
type Node struct {
	config   Config
	genesis  *genesis.Genesis
	registry *prometheus.Registry
	metrics  *metrics
	store    *store.Store
	pool     *mempool.Pool
	app      *abci.App
	engine   *comet.Engine
	feed     *feed.Feed
	progress progress
	stall    stallDetector
	faucet   bool
	// unsupported receives that the next block has a version of the rules that this program does not have.
	unsupported chan error

	snapshots *snapshot.Directory
	restorer  *snapshot.Restorer

	content       *contentserver.Server // nil when there is none
	server        *server.Server
	gateway       *gateway.Gateway
	metricsServer *server.MetricsServer
}

// New starts a node: when it returns, the chain runs and the server listens. An empty home becomes a development chain.
// It returns a *HomeInUseError when a node runs in the home.
func New(ctx context.Context, config Config) (*Node, error) {
	n := &Node{config: config, registry: prometheus.NewRegistry(), unsupported: make(chan error, 1)}
	if err := n.start(ctx); err != nil {
		return nil, errors.Join(err, n.Close())
	}
	return n, nil
}

func (n *Node) start(ctx context.Context) (err error) {
	if n.genesis, err = prepareHome(n.config.Home, n.config.Genesis); err != nil {
		return err
	}
	if n.store, err = n.openStore(); err != nil {
		return err
	}
	n.snapshots, err = snapshot.Open(filepath.Join(n.config.Home, snapshotDir), snapshot.DefaultKeep, n.config.Log)
	if err != nil {
		return err
	}
	n.restorer = newRestorer(n.store)
	n.pool = mempool.New(mempool.Config{
		Params:    n.genesis.Params(),
		Latest:    func() mempool.Snapshot { return n.store.Snapshot() },
		Broadcast: func(transactions [][]byte) error { return n.engine.Announce(transactions) },
		Status:    func() consensus.Status { return n.engine.Status() },
		OnSubmit:  func(m *message.Envelope, refusal *message.Refusal) { n.metrics.countSubmitted(m, refusal) },
		Now:       time.Now,
		Capacity:  mempool.DefaultCapacity,
		TTL:       mempool.DefaultTTL,
		Workers:   runtime.GOMAXPROCS(0), // they yield to consensus after every message
		Client:    func(ctx context.Context) netip.Prefix { return limit.ClientNetwork(server.ClientAddress(ctx)) },
	})
	n.metrics = newMetrics(n.registry, n.pool)
	latest := n.store.Snapshot()
	height := latest.Height()
	if err := latest.Close(); err != nil {
		return err
	}
	if err := n.checkRules(ctx); err != nil {
		return err
	}
	n.feed = feed.New(blockSource{n}, height, feed.Options{})
	n.progress.height.Store(height)
	if err := n.startEngine(ctx, height); err != nil {
		return err
	}
	registerEngineMetrics(n.registry, n.engine)
	n.registry.MustRegister(newWrittenCollector(n.store, n.engine))
	if err := n.startContent(ctx); err != nil {
		return err
	}
	return n.startServer()
}

// startEngine starts the consensus engine, which first replays the blocks that are not durable in the store.
func (n *Node) startEngine(ctx context.Context, height uint64) error {
	lightBlocks, err := n.stateSyncSource(ctx, height)
	if err != nil {
		return err
	}
	taker := &snapshot.Taker{
		Directory: n.snapshots, Interval: n.config.SnapshotEvery, Latest: func() snapshot.State { return n.store.Rows() },
	}
	config := abci.Config{
		Genesis:      n.genesis,
		Latest:       func() abci.Snapshot { return n.store.Snapshot() },
		Stage:        n.stage,
		Pool:         n.pool,
		Observers:    []abci.Observer{n.pool, n.metrics, &n.progress, n.feed, taker},
		Log:          n.config.Log,
		Snapshots:    n.snapshots,
		Restorer:     n.restorer,
		RetainBlocks: n.config.RetainBlocks,
		Unsupported:  n.unsupportedRules,
	}
	if n.config.SnapshotEvery > 0 {
		config.OldestSnapshot = n.snapshots.Oldest
	}
	n.app = abci.New(config)
	var wrapped comet.Application = n.app
	if n.config.WrapApplication != nil {
		wrapped = n.config.WrapApplication(n.app)
	}
	n.engine, err = comet.Start(ctx, comet.Config{
		Home:            n.config.Home,
		BlockInterval:   n.config.BlockInterval,
		Heartbeat:       n.config.Heartbeat,
		ListenAddress:   n.config.P2PAddr,
		PersistentPeers: n.config.Peers,
		PeersPerHost:    n.config.PeersPerHost,
		Pool:            n.app,
		StateSync:       lightBlocks,
	}, wrapped, n.config.Log)
	if err != nil {
		return err
	}
	n.app.StartPruning(comet.UncachedBlocks{Engine: n.engine})
	return nil
}

// ChainID returns the chain ID.
func (n *Node) ChainID() string { return n.genesis.ChainID }

// Network returns the network of the chain.
func (n *Node) Network() pb.Network { return n.genesis.Network }

// Run serves until ctx ends or consensus fails, and then closes the node.
func (n *Node) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var serving errgroup.Group
	serving.Go(func() error {
		defer cancel()
		return n.server.Serve(ctx)
	})
	serving.Go(func() error { return n.maintain(ctx) })
	if n.content != nil {
		serving.Go(func() error { return n.content.Run(ctx) })
	}
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
	case unsupported := <-n.unsupported:
		stopped = unsupported
	case <-n.engine.Done():
		stopped = fmt.Errorf("consensus stopped: %w", n.engine.Err())
	}
	n.feed.Close()
	cancel()
	return errors.Join(stopped, serving.Wait(), n.Close())
}

// maintain is the maintenance loop: it detects that no block is produced, rechecks the mempool, broadcasts old messages
// again and submits the queued validator change, until ctx ends. Except for the first it pauses while the node catches up
// and its state is old.
func (n *Node) maintain(ctx context.Context) error {
	ticker := time.NewTicker(maintenanceInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		pending := n.pool.Len()
		if height := n.progress.height.Load(); n.stall.observe(time.Now(), height, pending) {
			n.config.Log.WarnContext(ctx, "no block is produced although messages are pending", "height", height, "pending", pending)
		}
		if n.engine.Status().CatchingUp {
			continue
		}
		if err := n.submitQueuedChange(ctx); err != nil {
			n.config.Log.ErrorContext(ctx, "cannot submit the queued validator change", "error", err)
		}
		transactions, err := n.pool.Recheck()
		if err != nil {
			n.config.Log.ErrorContext(ctx, "cannot recheck the mempool", "error", err)
			continue
		}
		n.engine.Rebroadcast(transactions)
	}
}

// Close stops the node: the servers first, then consensus, then the store. It also closes a node that failed to start.
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
	if n.content != nil {
		err = errors.Join(err, n.content.Close())
	}
	if n.engine != nil {
		err = errors.Join(err, n.engine.Stop())
	}
	if n.pool != nil {
		err = errors.Join(err, n.pool.Close())
	}
	if n.snapshots != nil {
		n.snapshots.Close()
	}
	if n.restorer != nil {
		err = errors.Join(err, n.restorer.Close())
	}
	if n.store != nil {
		err = errors.Join(err, n.store.Close())
	}
	return err
}
