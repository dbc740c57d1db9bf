package index_test

import (
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/index"
	"makechain/internal/ledger"
	"makechain/internal/store"
	"makechain/message"
)

// committed returns the committed block of a result.
func committed(block ledger.Block, result *ledger.Result) *ledger.Committed {
	return &ledger.Committed{Block: block, Applied: result.Applied, Changes: result.Changes}
}

// TestOneSnapshot commits blocks to a store, and checks that every snapshot has the indexes of its own block while others
// are committed.
//
// Rules: P10.6.
func TestOneSnapshot(t *testing.T) {
	t.Parallel()
	s, err := store.OpenMemory(store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := newChain(t) // constructs messages and keeps blocks; its own rows are not used
	commitTo(t, s, c, c.join("alice", 3)...)
	before := s.Snapshot()
	create := c.sign("alice", message.ProjectCreate("hello", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	commitTo(t, s, c, create)
	after := s.Snapshot()

	for _, view := range []struct {
		*store.Snapshot
		found    bool
		messages uint64
		projects int
	}{{before, false, 3, 0}, {after, true, 4, 1}} {
		r := index.NewReader(view)
		if _, found, err := r.Position(create.Hash); err != nil || found != view.found {
			t.Errorf("block %d: found %t, %v", view.Height(), found, err)
		}
		stats, err := r.Stats()
		if err != nil || stats.Messages != view.messages || stats.StateEntries != uint64(view.Len()) {
			t.Errorf("block %d: %+v, %v; the tree has %d rows", view.Height(), stats, err, view.Len())
		}
		names, err := r.SearchProjects("he", nil, 10, nil)
		if err != nil || len(names) != view.projects {
			t.Errorf("block %d: %v, %v", view.Height(), names, err)
		}
		if _, err := index.Check(view, view.Height(), c); err != nil {
			t.Errorf("block %d: %v", view.Height(), err)
		}
		if err := view.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// commitTo commits a block to a store.
func commitTo(t *testing.T, s *store.Store, c *chain, messages ...*message.Envelope) {
	t.Helper()
	view := s.Snapshot()
	result, err := c.ledger.Assemble(view, c.block, messages, nil)
	if err != nil || len(result.Applied) != len(messages) {
		t.Fatalf("%+v, %v", result, err)
	}
	rows, err := index.Rows(view, committed(c.block, result), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := view.Close(); err != nil {
		t.Fatal(err)
	}
	staged, err := s.Stage(result.Changes)
	if err != nil {
		t.Fatal(err)
	}
	if err := staged.Commit(c.block.Height, rows...); err != nil {
		t.Fatal(err)
	}
	transactions := make([][]byte, len(messages))
	for i, a := range result.Applied {
		transactions[i] = a.Message.Transaction()
	}
	c.transactions = append(c.transactions, transactions)
	c.block.Height++
	c.block.Time++
}
