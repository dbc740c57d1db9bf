package rpc_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/feed"
	"makechain/internal/genesis"
	"makechain/internal/ident"
	"makechain/internal/index"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/internal/mempool"
	"makechain/internal/rpc"
	"makechain/internal/store"
	"makechain/message"
)

// node is a node without a consensus engine; all other parts are real. Blocks are made by next, and the clock changes only
// by the test.
type node struct {
	testing.TB

	genesis  *genesis.Genesis
	store    *store.Store
	ledger   *ledger.Ledger
	pool     *mempool.Pool
	feed     *feed.Feed
	blocks   *blocks
	clock    atomic.Int64 // unix seconds
	stalled  atomic.Bool
	lag      int64  // of the block time behind clock
	restored uint64 // height of the snapshot that the state was restored from
	service  *rpc.Service
	handler  http.Handler
	client   makechainpbconnect.MakechainServiceClient

	actors   map[string]*ledgertest.Actor
	nonces   map[ident.Address]uint64
	payments int
}

// setup is the configuration of a node.
type setup struct {
	capacity  int                               // of the mempool
	broadcast func(transactions [][]byte) error // called by the mempool, if set
	latest    func(rpc.Snapshot) rpc.Snapshot   // wraps the latest state, if set
	readError func(key []byte) error            // called by the mempool before it reads a row, if set
	snapshots rpc.StateSnapshots
	ring      feed.Options
}

func newNode(t testing.TB, with setup) *node {
	t.Helper()
	n := &node{TB: t, blocks: newBlocks(), actors: map[string]*ledgertest.Actor{}, nonces: map[ident.Address]uint64{}}
	n.clock.Store(ledgertest.Start)
	n.genesis = &genesis.Genesis{
		ChainID: "test-1", Network: ledgertest.Network, Time: time.Unix(ledgertest.Start, 0),
		Settlement: ledgertest.Settlement(),
	}
	var err error
	if n.store, err = store.OpenMemory(store.Options{}); err != nil {
		t.Fatal(err)
	}
	n.ledger = ledger.New(n.genesis.Params())
	n.pool = n.newPool(with)
	n.feed = feed.New(n.blocks, 0, with.ring)
	n.serve(with)
	return n
}

// newPool returns an empty mempool on the node's store.
func (n *node) newPool(with setup) *mempool.Pool {
	if with.capacity == 0 {
		with.capacity = mempool.DefaultCapacity
	}
	if with.broadcast == nil {
		with.broadcast = func([][]byte) error { return nil }
	}
	return mempool.New(mempool.Config{
		Params: n.genesis.Params(), Latest: func() mempool.Snapshot { return failingState{n.store.Snapshot(), with.readError} },
		Broadcast: with.broadcast, Status: n.blocks.Status, Now: n.now,
		Capacity: with.capacity, TTL: mempool.DefaultTTL, Workers: 2,
	})
}

// failingState is a state some of whose rows cannot be read.
type failingState struct {
	mempool.Snapshot

	readError func(key []byte) error // nil if all rows can be read
}

func (s failingState) Get(key []byte) ([]byte, error) {
	if s.readError != nil {
		if err := s.readError(key); err != nil {
			return nil, err
		}
	}
	return s.Snapshot.Get(key)
}

// serve starts an HTTP server with the service. The end of the test closes everything and fails if a snapshot is still
// open.
func (n *node) serve(with setup) {
	n.Helper()
	n.service = rpc.NewService(rpc.Deps{
		Genesis: n.genesis, Chain: n.blocks, Pool: n.pool, Feed: n.feed, Snapshots: with.snapshots,
		RestoredHeight: func() (uint64, error) { return n.restored, nil }, Log: slog.New(slog.DiscardHandler),
		Latest: func() rpc.Snapshot {
			if with.latest != nil {
				return with.latest(n.store.Snapshot())
			}
			return n.store.Snapshot()
		},
		Now: n.now, Version: "v0.0.0-test", MaxWait: time.Minute, Stalled: n.stalled.Load,
	})
	path, handler := makechainpbconnect.NewMakechainServiceHandler(n.service)
	mux := http.NewServeMux()
	mux.Handle(path, handler)
	n.handler = mux
	server := httptest.NewServer(mux)
	n.client = makechainpbconnect.NewMakechainServiceClient(server.Client(), server.URL)
	n.Cleanup(func() {
		n.feed.Close()
		server.Close()
		if err := errors.Join(n.pool.Close(), n.store.Close()); err != nil {
			n.Error(err)
		}
	})
}

func (n *node) now() time.Time { return time.Unix(n.clock.Load(), 0) }

// stamp returns the time of the node as a timestamp.
func (n *node) stamp() uint32 { return uint32(n.clock.Load()) }

// next advances the clock by a second and commits a block of the candidates.
func (n *node) next() *ledger.Result {
	n.Helper()
	n.clock.Add(1)
	before := n.store.Snapshot()
	block := ledger.Block{Height: before.Height() + 1, Time: uint64(n.clock.Load() - n.lag)}
	candidates, reserved := n.pool.Candidates()
	result, err := n.ledger.Assemble(before, block, candidates, reserved)
	if err != nil {
		n.Fatal(err)
	}
	n.pool.Refuse(result.Refused)
	staged, err := n.store.Stage(result.Changes)
	if err != nil {
		n.Fatal(err)
	}
	committed := &ledger.Committed{Block: block, Root: staged.Root(), Applied: result.Applied, Changes: result.Changes}
	rows, err := index.Rows(before, committed, n.pool.DrainRefused())
	if err = errors.Join(err, before.Close()); err != nil {
		n.Fatal(err)
	}
	n.blocks.add(committed)
	if err := staged.Commit(block.Height, rows...); err != nil {
		n.Fatal(err)
	}
	n.pool.Committed(committed)
	n.feed.Committed(committed)
	return result
}

// submit submits messages that must be accepted.
func (n *node) submit(messages ...*message.Envelope) {
	n.Helper()
	results, err := n.pool.SubmitBatch(context.Background(), messages)
	if err != nil {
		n.Fatal(err)
	}
	for i, refusal := range results {
		if refusal != nil {
			n.Fatalf("%s: %v", messages[i].Type(), refusal)
		}
	}
}

// must submits messages and commits blocks until none is pending.
func (n *node) must(messages ...*message.Envelope) {
	n.Helper()
	n.submit(messages...)
	for n.pool.Len() > 0 {
		if result := n.next(); len(result.Refused) > 0 {
			n.Fatalf("%s: %v", result.Refused[0].Message.Type(), result.Refused[0].Refusal)
		}
	}
}
