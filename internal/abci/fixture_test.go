package abci_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	cmt "github.com/cometbft/cometbft/abci/types"

	"makechain/internal/abci"
	"makechain/internal/genesis"
	"makechain/internal/ident"
	"makechain/internal/ledgertest"
	"makechain/internal/mempool"
	"makechain/internal/schema"
	"makechain/internal/snapshot"
	"makechain/internal/store"
	"makechain/message"
)

// node is an application with its store, mempool and snapshots. Tests call it like CometBFT.
type node struct {
	testing.TB
	*abci.App

	store     *store.Store
	memory    memory // instead of a store
	pool      *mempool.Pool
	snapshots *snapshot.Directory
	clock     int64
}

// newNode returns a node of a chain, whose genesis can be edited. It takes a snapshot every so many blocks, none if 0.
func newNode(t testing.TB, every uint64, edits ...func(*genesis.Genesis)) *node {
	t.Helper()
	s, err := store.OpenMemory(store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := &node{TB: t, store: s, clock: ledgertest.Start}
	if n.snapshots, err = snapshot.Open(t.TempDir(), snapshot.DefaultKeep, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	g := newGenesis()
	for _, edit := range edits {
		edit(g)
	}
	n.pool = mempool.New(mempool.Config{
		Params: g.Params(), Latest: func() mempool.Snapshot { return s.Snapshot() },
		Broadcast: func([][]byte) error { return nil }, Now: n.now,
		Capacity: mempool.DefaultCapacity, TTL: mempool.DefaultTTL, Workers: 1,
	})
	restorer := snapshot.NewRestorer(func() (snapshot.Target, error) { return s.Restore() })
	taker := &snapshot.Taker{Directory: n.snapshots, Interval: every, Latest: func() snapshot.State { return s.Rows() }}
	n.App = abci.New(abci.Config{
		Genesis: g, Pool: n.pool,
		Latest:    func() abci.Snapshot { return s.Snapshot() },
		Stage:     func(changes []schema.Change) (abci.Staged, error) { return s.Stage(changes) },
		Observers: []abci.Observer{n.pool, taker}, Log: slog.New(slog.DiscardHandler), Snapshots: n.snapshots, Restorer: restorer,
	})
	t.Cleanup(func() {
		n.snapshots.Close()
		if err := errors.Join(restorer.Close(), n.pool.Close(), s.Close()); err != nil {
			t.Error(err)
		}
	})
	return n
}

func newGenesis() *genesis.Genesis {
	return &genesis.Genesis{
		ChainID: "test-1", Network: ledgertest.Network, Time: time.Unix(ledgertest.Start, 0),
		Settlement: ledgertest.Settlement(),
	}
}

func (n *node) now() time.Time { return time.Unix(n.clock, 0) }

// block is a decided block.
type block struct {
	*cmt.RequestFinalizeBlock
	root []byte
}

// propose submits messages, and proposes and commits a block that must contain all of them.
func (n *node) propose(messages ...*message.Envelope) block {
	n.Helper()
	for _, m := range messages {
		if refusal, err := n.pool.Submit(n.Context(), m); refusal != nil || err != nil {
			n.Fatalf("%s: %v, %v", m.Type(), refusal, err)
		}
	}
	n.clock++
	info := call(n, n.Info, &cmt.RequestInfo{})
	height := info.LastBlockHeight + 1
	prepared := call(n, n.PrepareProposal, &cmt.RequestPrepareProposal{Height: height, Time: n.now()})
	if len(prepared.Txs) != len(messages) {
		n.Fatalf("the block has %d of %d messages", len(prepared.Txs), len(messages))
	}
	b := block{RequestFinalizeBlock: &cmt.RequestFinalizeBlock{Height: height, Time: n.now(), Txs: prepared.Txs, Hash: make([]byte, ident.HashSize)}}
	b.root = n.commit(b)
	return b
}

// commit executes and commits a decided block and returns the root after it.
func (n *node) commit(b block) []byte {
	n.Helper()
	root := call(n, n.FinalizeBlock, b.RequestFinalizeBlock).AppHash
	call(n, n.Commit, &cmt.RequestCommit{})
	return root
}

// call calls a method that must not fail.
func call[Request, Response any](t testing.TB, method func(context.Context, Request) (Response, error), request Request) Response {
	t.Helper()
	response, err := method(t.Context(), request)
	if err != nil {
		t.Fatalf("%T: %v", request, err)
	}
	return response
}
