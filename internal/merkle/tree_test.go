package merkle_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"makechain/internal/merkle"
	"makechain/internal/merkle/merkletest"
	"makechain/internal/schema"
)

// TestRandomBatches compares every version after random batches with the model and with a tree built from the same
// rows, and checks that no node of older versions remains.
//
// Rules: T1.1, T1.2, T1.3, T2/update, T4.
func TestRandomBatches(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		tree := merkle.New(rapid.SampledFrom([]int{1, 2, 8}).Draw(r, "parallelism"))
		s := state{tree.Empty(), merkletest.NewRows()}
		for range rapid.IntRange(1, 12).Draw(r, "batches") {
			next := s.next(t, s.drawChanges(r))
			s.version.Release()
			s = next
			s.check(t)
			s.checkNodes(t)
			built, err := tree.Build(s.rows.All)
			if err != nil {
				r.Fatal(err)
			}
			state{built, s.rows}.check(t)
			built.Release()
		}
	})
}

// TestOrderIndependence checks that the same rows lead to the same root when they are written in random order and random
// batches, together with rows that are deleted again.
//
// Rules: T1.1, T4.
func TestOrderIndependence(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		final := merkletest.NewRows(anyRows(40).Draw(r, "rows")...)
		tree := merkle.New(2)
		s := state{tree.Empty(), merkletest.NewRows()}
		extra := anyRows(10).Draw(r, "extra")
		s = s.next(t, s.write(extra...))
		order := rapid.Permutation(final.List()).Draw(r, "order")
		for len(order) > 0 {
			n := rapid.IntRange(1, len(order)).Draw(r, "batch")
			s = s.next(t, s.write(order[:n]...))
			order = order[n:]
		}
		var deletions []schema.Change
		for _, row := range s.rows.List() {
			if value, _ := final.Get(row.Key); value == nil {
				deletions = append(deletions, schema.Change{Key: row.Key, Existed: true})
			}
		}
		s = s.next(t, deletions)
		if want := modelRoot(final.List()); s.version.Root() != want {
			r.Fatalf("root %x, want %x", s.version.Root(), want)
		}
	})
}

// TestKnownRoots compares roots with those of an independent implementation.
//
// Rules: T1.1, T1.2, T1.3.
func TestKnownRoots(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../testdata/vectors/known/tree.json")
	if err != nil {
		t.Fatal(err)
	}
	var sets []struct {
		Name string
		Root string
		Rows []struct{ Key, Value string }
	}
	if err := json.Unmarshal(data, &sets); err != nil {
		t.Fatal(err)
	}
	if len(sets) == 0 {
		t.Fatal("no vectors")
	}
	for _, set := range sets {
		t.Run(set.Name, func(t *testing.T) {
			t.Parallel()
			var rows []Row
			for _, r := range set.Rows {
				rows = append(rows, kv(unhex(t, r.Key), unhex(t, r.Value)))
			}
			tree := merkle.New(1)
			s := state{tree.Empty(), merkletest.NewRows()}
			for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(len(rows)) {
				s = s.next(t, s.write(rows[i]))
			}
			s.checkPaths(t)
			built, err := tree.Build(s.rows.All)
			if err != nil {
				t.Fatal(err)
			}
			for how, v := range map[string]*merkle.Version{"row by row": s.version, "built": built} {
				if got := v.Root(); hex.EncodeToString(got[:]) != set.Root {
					t.Errorf("%s: root %x, want %s", how, got, set.Root)
				}
			}
		})
	}
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestParallelism checks that the root does not depend on the number of goroutines.
//
// Rules: T1.1, T2/update, I1.
func TestParallelism(t *testing.T) {
	t.Parallel()
	old, fresh := randomRows(1, 6000), randomRows(2, 6000)
	batches := func(s state) [][]schema.Change {
		second := state{nil, s.rows.Apply(s.write(old...))}
		changes := second.write(slices.Concat(fresh, old[:3000])...)
		for i := range changes {
			if changes[i].Existed && i%3 == 0 {
				changes[i].Value = nil
			}
		}
		return [][]schema.Change{s.write(old...), changes}
	}
	var want merkle.Hash
	for _, parallelism := range []int{1, 2, 8} {
		tree := merkle.NewWithOptions(merkle.Options{
			Parallelism: parallelism, Alloc: func(bytes int) []byte { return make([]byte, bytes) },
		})
		s := state{tree.Empty(), merkletest.NewRows()}
		for _, changes := range batches(s) {
			s = s.next(t, changes)
		}
		s.checkPaths(t)
		if parallelism == 1 {
			want = modelRoot(s.rows.List())
		}
		built, err := tree.Build(s.rows.All)
		if err != nil {
			t.Fatal(err)
		}
		if s.version.Root() != want || built.Root() != want {
			t.Errorf("parallelism %d: updated to %x, built as %x, want %x", parallelism, s.version.Root(), built.Root(), want)
		}
	}
}

// worstKeys returns the keys that lead to the longest path: one that differs from the first key at each of its bits.
func worstKeys(size int) []Row {
	base := bytes.Repeat([]byte{0x55}, size)
	rows := []Row{kv(base, []byte("base"))}
	for i := range size {
		rows = append(rows, kv(base[:i], []byte("prefix")))
		for bit := range 8 {
			key := bytes.Clone(base)
			key[i] ^= 1 << bit
			rows = append(rows, kv(key, []byte("flipped")))
		}
	}
	return rows
}

// TestWorstKeys checks the deepest possible trees, and that no path is longer than the published proof spec allows.
//
// Rules: T1.4, T4.
func TestWorstKeys(t *testing.T) {
	t.Parallel()
	tree := merkle.New(2)
	s := state{tree.Empty(), merkletest.NewRows()}
	s = s.next(t, s.write(worstKeys(32)...))
	s.check(t)

	for _, size := range []int{merkle.MaxKeySize - 1, merkle.MaxKeySize} {
		rows := worstKeys(size)
		s := state{tree.Empty(), merkletest.NewRows()}
		for batch := range slices.Chunk(rows, 500) {
			s = s.next(t, s.write(batch...))
		}
		built, err := tree.Build(s.rows.All)
		if err != nil {
			t.Fatal(err)
		}
		if built.Root() != s.version.Root() {
			t.Error("built and updated trees differ")
		}
		steps, err := s.version.Path(rows[0].Key, s.rows)
		if err != nil {
			t.Fatal(err)
		}
		if len(steps) != size*merkle.BitsPerByte || len(steps) > merkle.MaxDepth {
			t.Errorf("%d steps, want %d", len(steps), size*merkle.BitsPerByte)
		}
		if modelPath(rows[0], steps) != s.version.Root() {
			t.Error("the longest path leads elsewhere")
		}
		var deletions []schema.Change
		for _, r := range s.rows.List()[1:] {
			deletions = append(deletions, schema.Change{Key: r.Key, Existed: true})
		}
		s.next(t, deletions).check(t)
	}
}

// TestNoOpDeletion checks that deleting rows that did not exist changes nothing.
//
// Rules: T1.1.
func TestNoOpDeletion(t *testing.T) {
	t.Parallel()
	s := state{merkle.New(1).Empty(), merkletest.NewRows()}
	s = s.next(t, []schema.Change{{Key: []byte("a")}, {Key: []byte("b"), Value: []byte("v")}, {Key: []byte("c")}})
	s.check(t)
	s = s.next(t, []schema.Change{{Key: []byte("a")}, {Key: []byte("b"), Existed: true}, {Key: []byte("c")}})
	if s.version.Root() != merkle.EmptyRoot() || s.version.Len() != 0 {
		t.Errorf("root %x with %d rows, want an empty tree", s.version.Root(), s.version.Len())
	}
}

// TestAbsentPath checks that Path returns ErrAbsent for keys without a row.
//
// Rules: T1.2.
func TestAbsentPath(t *testing.T) {
	t.Parallel()
	s := state{merkle.New(1).Empty(), merkletest.NewRows()}
	if _, err := s.version.Path([]byte("a"), s.rows); !errors.Is(err, merkle.ErrAbsent) {
		t.Errorf("empty tree: error %v, want %v", err, merkle.ErrAbsent)
	}
	s = s.next(t, s.write(kv([]byte("aa"), nil), kv([]byte("ab"), nil)))
	for _, key := range []string{"", "a", "b", "aA", "ac"} {
		if _, err := s.version.Path([]byte(key), s.rows); !errors.Is(err, merkle.ErrAbsent) {
			t.Errorf("key %q: error %v, want %v", key, err, merkle.ErrAbsent)
		}
	}
}
