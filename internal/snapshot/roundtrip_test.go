package snapshot

import (
	"errors"
	"testing"

	"makechain/internal/fsck"
	"makechain/internal/ident"
	"makechain/internal/index"
	"makechain/internal/store"
	"makechain/message"
)

// TestRoundTrip restores the state of a chain in an empty store and checks that it has the same rows, including derived rows
// and indexes, the same root and counts, that earlier messages cannot be committed again without their history, and that
// the next block leads to the same root.
//
// Rules: P6.2, T1.1, I2.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	c := newChain(t, 2)
	c.commitSample()
	d := openDir(t, t.TempDir(), DefaultKeep)
	p := load(t, d, take(t, d, c.store))
	restored := newStore(t, 1)
	if err := p.restore(restorerOf(restored), c.roots[p.Height]); err != nil {
		t.Fatal(err)
	}
	checkSame(t, c.store, restored)

	c.Next(10)
	latest := restored.Snapshot()
	result, err := c.Ledger.Assemble(latest, c.Block, c.messages, nil)
	if err := errors.Join(err, latest.Close()); err != nil {
		t.Fatal(err)
	}
	for _, again := range result.Applied {
		t.Errorf("%s applied again", again.Message.Type())
	}

	block := c.Propose(10, c.Sign(c.Actor("alice"), message.Star(c.project())))
	if a, b := commitTo(t, c.store, c.Block, block), commitTo(t, restored, c.Block, block); a != b || a == p.Root {
		t.Errorf("the next block leads to %x and %x", a, b)
	}
	checkSame(t, c.store, restored)
}

// project returns the ID of the project of commitSample.
func (c *chain) project() ident.Hash {
	c.Helper()
	for _, m := range c.messages {
		if m.Data.GetProjectCreate().GetName() == "hello" {
			return m.Hash
		}
	}
	c.Fatalf("there is no project hello")
	return ident.Hash{}
}

// stateOnly is a snapshot without the indexes.
type stateOnly struct{ *store.Snapshot }

func (s stateOnly) Scan(lower, upper []byte, visit func(key, value []byte) bool) error {
	if upper == nil {
		upper = []byte{store.FirstIndexPrefix}
	}
	return s.Snapshot.Scan(lower, upper, visit)
}

// checkSame compares two stores, and checks the invariants of the second.
func checkSame(t *testing.T, want, got *store.Store) {
	t.Helper()
	if diff := diffRows(rowsOf(t, want), rowsOf(t, got)); diff != "" {
		t.Errorf("taken (-) and restored (+) rows differ:\n%s", diff)
	}
	a, b := want.Snapshot(), got.Snapshot()
	if a.Height() != b.Height() || a.Root() != b.Root() || a.Len() != b.Len() {
		t.Errorf("taken at height %d with root %x and %d rows, restored at %d with %x and %d",
			a.Height(), a.Root(), a.Len(), b.Height(), b.Root(), b.Len())
	}
	stats, err := index.NewReader(a).Stats()
	restored, err2 := index.NewReader(b).Stats()
	stats.Messages, restored.Messages = 0, 0 // a restored store counts them from its snapshot on
	if stats != restored || err != nil || err2 != nil {
		t.Errorf("taken with %+v, restored with %+v; %v, %v", stats, restored, err, err2)
	}
	if report, err := fsck.Check(stateOnly{b}); err != nil || !report.Clean() {
		t.Errorf("the restored rows: %v\n%v", err, report)
	}
	if err := errors.Join(a.Close(), b.Close()); err != nil {
		t.Error(err)
	}
}
