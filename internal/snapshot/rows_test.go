package snapshot

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"makechain/internal/ledgertest"
	"makechain/internal/schema"
	"makechain/internal/store"
	"makechain/message"
)

// committing is a state whose scans commit a block each, as a node does between the chunks of a snapshot.
type committing struct {
	*store.Rows
	scans  int
	commit func()
}

func (s *committing) Scan(lower, upper []byte, visit func(key, value []byte) bool) error {
	s.scans++
	s.commit()
	return s.Rows.Scan(lower, upper, visit)
}

// TestTakeOfRows checks that a snapshot of several chunks that is taken of rows, while blocks are committed, has the bytes of one
// that was taken at rest, and that every chunk is a scan of its own.
//
// Rules: T2/reads, I1.
func TestTakeOfRows(t *testing.T) {
	t.Parallel()
	c := newChain(t, 1)
	c.commitSample()
	alice, project := c.Actor("alice"), c.project()
	const bundles, commits = 40, 100
	for i := range bundles {
		var made []message.Commit
		for j := range commits {
			commit := ledgertest.NewCommit(ledgertest.Hash(fmt.Sprintf("commit %d of %d", j, i)))
			commit.Title = strings.Repeat("x", 250)
			made = append(made, commit)
		}
		c.commit(c.Sign(alice, message.CommitBundle(project, message.Content{}, made...)))
	}
	atRest := openDir(t, t.TempDir(), 1)
	want := load(t, atRest, take(t, atRest, c.store))
	if len(want.chunks) < 2 {
		t.Fatalf("%d chunks", len(want.chunks))
	}
	blocks := 0
	state := &committing{Rows: c.store.Rows(), commit: func() {
		blocks++
		friend := ledgertest.Secret("friend", string(rune(blocks)))
		c.commit(c.Sign(alice, message.Follow([20]byte(friend[:20]))))
	}}
	during := openDir(t, t.TempDir(), 1)
	if err := errors.Join(during.Take(state), state.Close()); err != nil {
		t.Fatal(err)
	}
	prefixes := 0
	for p := schema.PrefixTombstone; p <= schema.LastPrefix; p++ {
		if p.Merkleized() {
			prefixes++
		}
	}
	if state.scans != prefixes+len(want.chunks)-1 {
		t.Errorf("%d scans for %d prefixes and %d chunks", state.scans, prefixes, len(want.chunks))
	}
	got := load(t, during, during.List()[0])
	if got.Height != want.Height || got.Root != want.Root || got.Rows != want.Rows || !slices.Equal(got.Chunks, want.Chunks) {
		t.Errorf("taken during commits: %+v, at rest: %+v", got.Manifest, want.Manifest)
	}
}
