package abci_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	cmt "github.com/cometbft/cometbft/abci/types"

	"makechain/internal/abci"
	"makechain/internal/genesis"
	"makechain/internal/ident"
	"makechain/internal/index"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/internal/mempool"
	"makechain/internal/schema"
	"makechain/internal/snapshot"
	"makechain/internal/store"
	"makechain/message"
)

// node is an application with all that it works with, driven as CometBFT drives it.
type node struct {
	testing.TB
	*abci.App

	store     *store.Store
	pool      *mempool.Pool
	snapshots *snapshot.Directory
	clock     int64
}

// newNode makes a node of a chain, whose genesis can be edited. It takes a snapshot after every block that every divides.
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
	g := &genesis.Genesis{
		ChainID: "test-1", Network: ledgertest.Network, Time: time.Unix(ledgertest.Start, 0),
		Settlement: genesis.Settlement{Threshold: ledgertest.Threshold},
	}
	for i := range ledgertest.Attesters {
		key := message.NewAuthor(ledgertest.Attester(i), ledgertest.Network, ident.Address{}).Key()
		g.Settlement.Attesters = append(g.Settlement.Attesters, key)
	}
	for _, edit := range edits {
		edit(g)
	}
	n.pool = mempool.New(mempool.Config{
		Params: g.Params(), Latest: func() mempool.Snapshot { return s.Snapshot() },
		Broadcast: func([]byte) error { return nil }, Now: n.now,
		Capacity: mempool.DefaultCapacity, TTL: mempool.DefaultTTL, Workers: 1,
	})
	restore := snapshot.NewRestorer(func() (snapshot.Target, error) {
		target, err := s.Restore()
		return restoration{target}, err
	})
	n.App = abci.New(abci.Config{
		Genesis: g, State: state{s}, Pool: n.pool, Index: indexer{n.pool}, Observers: []abci.Observer{n.pool},
		Log: slog.New(slog.DiscardHandler), Snapshots: snapshots{n.snapshots}, SnapshotEvery: every, Restorer: restorer{restore},
	})
	t.Cleanup(func() {
		n.snapshots.Close()
		if err := errors.Join(restore.Close(), n.pool.Close(), s.Close()); err != nil {
			t.Error(err)
		}
	})
	return n
}

func (n *node) now() time.Time { return time.Unix(n.clock, 0) }

// block is a decided block.
type block struct {
	*cmt.RequestFinalizeBlock
	root []byte
}

// propose submits messages and makes a block of them, which all must be in.
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
		n.Fatalf("%d of %d messages are in the block", len(prepared.Txs), len(messages))
	}
	b := block{RequestFinalizeBlock: &cmt.RequestFinalizeBlock{Height: height, Time: n.now(), Txs: prepared.Txs, Hash: make([]byte, ident.HashSize)}}
	b.root = n.take(b)
	return b
}

// take takes a decided block over, and gives the root after it.
func (n *node) take(b block) []byte {
	n.Helper()
	root := call(n, n.FinalizeBlock, b.RequestFinalizeBlock).AppHash
	call(n, n.Commit, &cmt.RequestCommit{})
	return root
}

// call makes a call that must not fail.
func call[Request, Response any](t testing.TB, method func(context.Context, Request) (Response, error), request Request) Response {
	t.Helper()
	response, err := method(t.Context(), request)
	if err != nil {
		t.Fatalf("%T: %v", request, err)
	}
	return response
}

// state is the store as the application sees it.
type state struct{ *store.Store }

func (s state) Snapshot() abci.Snapshot { return s.Store.Snapshot() }

func (s state) Stage(changes []schema.Change) (abci.Staged, error) { return s.Store.Stage(changes) }

// indexer is the index as the application sees it.
type indexer struct{ pool *mempool.Pool }

func (i indexer) Rows(view ledger.View, block *ledger.Committed) ([]schema.Change, error) {
	return index.Rows(view, block, i.pool.DrainRefused())
}

// snapshots are copies of the state as the application sees them.
type snapshots struct{ *snapshot.Directory }

func (s snapshots) Take(state abci.Snapshot) { s.TakeAsync(state) }

func (s snapshots) List() []abci.StateSnapshot {
	var list []abci.StateSnapshot
	for _, copied := range s.Directory.List() {
		hash := copied.Hash()
		list = append(list, abci.StateSnapshot{
			Height: copied.Height, Format: snapshot.Format, Chunks: uint32(len(copied.Chunks)), Hash: hash[:], Metadata: copied.Encode(),
		})
	}
	return list
}

// restorer restores as the application sees it.
type restorer struct{ *snapshot.Restorer }

func (r restorer) Begin(o abci.StateSnapshot, root [32]byte) error {
	return inWords(r.Restorer.Begin(snapshot.Offer{Height: o.Height, Format: o.Format, Chunks: o.Chunks, Hash: o.Hash, Manifest: o.Metadata}, root))
}

func (r restorer) Apply(index uint32, chunk []byte) error {
	_, err := r.Restorer.Apply(index, chunk)
	return inWords(err)
}

func inWords(err error) error {
	for _, words := range []struct{ theirs, ours error }{
		{snapshot.ErrFormat, abci.ErrSnapshotFormat},
		{snapshot.ErrOffer, abci.ErrSnapshotOffer},
		{snapshot.ErrChunk, abci.ErrSnapshotChunk},
		{snapshot.ErrRows, abci.ErrSnapshotContent},
		{snapshot.ErrRoot, abci.ErrSnapshotContent},
	} {
		if errors.Is(err, words.theirs) {
			return fmt.Errorf("%w: %w", words.ours, err)
		}
	}
	return err
}

// restoration is a store that is being filled.
type restoration struct{ *store.Restoration }

func (r restoration) Finish(height uint64, root [32]byte, messages uint64) error {
	err := r.Restoration.Finish(height, root, func(state *store.Snapshot, emit func(schema.Change) error) error {
		return index.FromState(state, messages, emit)
	})
	if errors.Is(err, store.ErrRoot) {
		return fmt.Errorf("%w: %w", snapshot.ErrRoot, err)
	}
	return err
}

func (s snapshots) Chunk(height uint64, format, part uint32) ([]byte, error) {
	chunk, err := s.Directory.Chunk(height, format, part)
	if errors.Is(err, snapshot.ErrNotFound) {
		return nil, nil
	}
	return chunk, err
}
