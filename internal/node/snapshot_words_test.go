package node

import (
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"makechain/internal/abci"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/internal/snapshot"
	"makechain/internal/store"
)

// newSnapshotNode is as much of a node as takes and restores snapshots.
func newSnapshotNode(t *testing.T) *Node {
	t.Helper()
	s, err := store.OpenMemory(store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := &Node{config: Config{Home: t.TempDir(), Log: slog.New(slog.DiscardHandler)}, store: s}
	if err := n.openSnapshots(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	return n
}

// TestSnapshotWords hands a snapshot from one node to another through what the application is given.
//
// Rules: T1.1.
func TestSnapshotWords(t *testing.T) {
	t.Parallel()
	first, second := newSnapshotNode(t), newSnapshotNode(t)
	staged, err := first.store.Stage([]schema.Change{{Key: schema.AccountKey(ident.Address{1}), Value: []byte{8, 1}}})
	if err != nil {
		t.Fatal(err)
	}
	root := staged.Root()
	if err := staged.Commit(5); err != nil {
		t.Fatal(err)
	}
	from, to := snapshots{first.snapshots, 1}, restorer{second.restorer}
	if from.Newest() != nil || len(from.List()) != 0 {
		t.Errorf("before the first snapshot: %v", from.Newest())
	}
	latest := first.store.Snapshot()
	if err := errors.Join(first.snapshots.Take(latest), latest.Close()); err != nil {
		t.Fatal(err)
	}
	if newest := from.Newest(); newest.GetBlockNumber() != 5 || [32]byte(newest.GetStateRoot()) != root || newest.GetEntryCount() != 1 {
		t.Errorf("the newest snapshot is %v", newest)
	}
	offer := from.List()[0]
	if err := to.Begin(offer, root); err != nil {
		t.Fatal(err)
	}
	if err := to.Apply(0, []byte("bad")); !errors.Is(err, abci.ErrSnapshotChunk) {
		t.Errorf("error %v, want %v", err, abci.ErrSnapshotChunk)
	}
	chunk, err := from.Chunk(offer.Height, offer.Format, 0)
	if err != nil {
		t.Fatal(err)
	}
	if missing, err := from.Chunk(offer.Height, offer.Format, 1); missing != nil || err != nil {
		t.Errorf("a chunk too many: %x, %v", missing, err)
	}
	if err := to.Apply(0, chunk); err != nil {
		t.Fatal(err)
	}
	restored := second.store.Snapshot()
	if restored.Root() != root || restored.Height() != 5 {
		t.Errorf("restored at height %d with root %x", restored.Height(), restored.Root())
	}
	if err := restored.Close(); err != nil {
		t.Error(err)
	}
}

// TestInSnapshotWords translates every reason to refuse a snapshot, and nothing else.
func TestInSnapshotWords(t *testing.T) {
	t.Parallel()
	for theirs, ours := range map[error]error{
		snapshot.ErrFormat: abci.ErrSnapshotFormat, snapshot.ErrOffer: abci.ErrSnapshotOffer, snapshot.ErrChunk: abci.ErrSnapshotChunk,
		snapshot.ErrRows: abci.ErrSnapshotContent, snapshot.ErrRoot: abci.ErrSnapshotContent,
	} {
		if err := inSnapshotWords(fmt.Errorf("chunk 7: %w", theirs)); !errors.Is(err, ours) || !errors.Is(err, theirs) {
			t.Errorf("%v becomes %v", theirs, err)
		}
	}
	for _, err := range []error{nil, snapshot.ErrOrder, store.ErrNotEmpty} {
		if got := inSnapshotWords(err); !errors.Is(got, err) || errors.Is(got, abci.ErrSnapshotContent) {
			t.Errorf("%v becomes %v", err, got)
		}
	}
}

// TestPruneForSnapshots keeps the blocks after the oldest snapshot, however many that are, as long as snapshots are taken.
func TestPruneForSnapshots(t *testing.T) {
	t.Parallel()
	n := newSnapshotNode(t)
	n.config.RetainBlocks = 100
	for _, every := range []uint64{0, 10} {
		n.config.SnapshotEvery = every
		n.newPruner()
		if got := n.pruner.lowest(100); got != 0 {
			t.Errorf("at first, with one every %d: %d is the lowest", every, got)
		}
		if got := n.pruner.lowest(1_000); got != 901 {
			t.Errorf("without a snapshot, one every %d: %d is the lowest, want 901", every, got)
		}
	}
	staged, err := n.store.Stage([]schema.Change{{Key: schema.AccountKey(ident.Address{1}), Value: []byte{8, 1}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := staged.Commit(500); err != nil {
		t.Fatal(err)
	}
	state := n.store.Snapshot()
	if err := errors.Join(n.snapshots.Take(state), state.Close()); err != nil {
		t.Fatal(err)
	}
	for every, want := range map[uint64]uint64{0: 901, 10: 501} {
		n.config.SnapshotEvery = every
		n.newPruner()
		if got := n.pruner.lowest(1_000); got != want {
			t.Errorf("with one every %d: %d is the lowest, want %d", every, got, want)
		}
	}
}
