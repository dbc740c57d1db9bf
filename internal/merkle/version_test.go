package merkle_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"makechain/internal/merkle"
	"makechain/internal/merkle/merkletest"
	"makechain/internal/schema"
)

// TestVersionsAreIndependent creates versions from versions, releases them in random order, and checks after every step
// that the others are unchanged.
//
// Rules: T2/reads, T1.1.
func TestVersionsAreIndependent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		tree := merkle.New(2)
		held := []state{{tree.Empty(), merkletest.NewRows()}}
		for range rapid.IntRange(1, 30).Draw(r, "steps") {
			i := rapid.IntRange(0, len(held)-1).Draw(r, "version")
			if len(held) > 1 && rapid.Bool().Draw(r, "release") {
				held[i].version.Release()
				held = slices.Delete(held, i, i+1)
			} else {
				held = append(held, held[i].next(t, held[i].drawChanges(r)))
			}
			for _, s := range held {
				s.check(t)
			}
		}
		for len(held) > 1 {
			i := rapid.IntRange(0, len(held)-1).Draw(r, "version to release")
			held[i].version.Release()
			held = slices.Delete(held, i, i+1)
		}
		held[0].check(t)
		held[0].checkNodes(t)
		held[0].version.Release()
		if n := tree.Nodes(); n != 0 {
			r.Fatalf("%d nodes remain after all versions were released", n)
		}
	})
}

// TestSlotsAreReclaimed checks that memory does not grow with the number of updates, also while an old version is
// held and others are dropped.
//
// Rules: T2/memory, T2/reads.
func TestSlotsAreReclaimed(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds large trees")
	}
	const rows, writes, updates = 3000, 200, 300
	tree := merkle.New(2)
	start := state{tree.Empty(), merkletest.NewRows()}
	old := start.next(t, start.write(randomRows(1, rows)...))
	start.version.Release()
	current := state{old.version.Retain(), old.rows}
	rng := rand.New(rand.NewPCG(1, 1))
	for range updates {
		var changes []schema.Change
		for _, row := range current.rows.List() {
			if rng.IntN(rows) < writes {
				changes = append(changes, schema.Change{Key: row.Key, Value: []byte{byte(rng.Uint32())}, Existed: true})
			}
		}
		dropped := current.next(t, changes[:len(changes)/2])
		next := current.next(t, changes)
		dropped.version.Release()
		current.version.Release()
		current = next
	}
	current.checkPaths(t)
	old.checkPaths(t)
	if got, most := tree.Nodes(), 2*rows; got > most {
		t.Errorf("%d nodes held for two versions, want at most %d", got, most)
	}
	// A path has about 13 nodes. Three versions and the slots that workers allocate ahead are live at a time.
	if got, most := tree.SlotsUsed(), 2*rows+2*writes*13+4*merkle.SlotBatch; got > most {
		t.Errorf("%d slots in use after %d updates, want at most %d", got, updates, most)
	}
	old.version.Release()
	current.checkNodes(t)
}

// TestReadersDuringUpdates reads paths of versions while new ones are computed and old ones released.
//
// Rules: T2/reads.
func TestReadersDuringUpdates(t *testing.T) {
	t.Parallel()
	tree := merkle.New(2)
	s := state{tree.Empty(), merkletest.NewRows()}
	s = s.next(t, s.write(randomRows(1, 2000)...))
	var readers sync.WaitGroup
	for i := range uint64(8) {
		reading := state{s.version.Retain(), s.rows}
		readers.Go(func() {
			reading.checkPaths(t)
			reading.version.Release()
		})
		next := s.next(t, s.write(slices.Concat(randomRows(2+i, 600), s.rows.List()[:600])...))
		s.version.Release()
		s = next
	}
	readers.Wait()
	s.checkPaths(t)
	s.checkNodes(t)
}

// TestAbsent checks that Absent is false for existing rows and true for nearly all others.
func TestAbsent(t *testing.T) {
	t.Parallel()
	const rows, queries = 20_000, 10_000
	s := state{merkle.New(1).Empty(), merkletest.NewRows()}
	if !s.version.Absent([]byte("any")) {
		t.Error("an empty tree does not report a key as absent")
	}
	s = s.next(t, s.write(randomRows(1, rows)...))
	reported := 0
	for _, r := range randomRows(2, queries) {
		if s.version.Absent(r.Key) {
			reported++
		}
	}
	if reported < queries*99/100 {
		t.Errorf("%d of %d absent keys are reported", reported, queries)
	}
}
