package merkle_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"makechain/internal/merkle"
	"makechain/internal/merkle/merkletest"
	"makechain/internal/schema"
)

// Row is a key with its value.
type Row = merkletest.Row

func kv(key, value []byte) Row { return Row{Key: key, Value: value} }

// state is a version with the rows it commits to.
type state struct {
	version *merkle.Version
	rows    *merkletest.Rows
}

// write returns the changes that write rows, in key order.
func (s state) write(rows ...Row) []schema.Change {
	var changes []schema.Change
	for _, r := range merkletest.NewRows(rows...).List() {
		old, _ := s.rows.Get(r.Key)
		changes = append(changes, schema.Change{Key: r.Key, Value: r.Value, Existed: old != nil})
	}
	return changes
}

// next applies changes, with rows that return hints from Near and with rows that do not. It does not release s.
func (s state) next(t testing.TB, changes []schema.Change) state {
	t.Helper()
	v, err := s.version.Tree().Update(s.version, changes, s.rows)
	if err != nil {
		t.Fatal(err)
	}
	hinted, err := s.version.Tree().Update(s.version, changes, hintedRows{s.rows})
	if err != nil {
		t.Fatal(err)
	}
	if hinted.Root() != v.Root() {
		t.Fatalf("root %x with hints, %x without", hinted.Root(), v.Root())
	}
	hinted.Release()
	return state{v, s.rows.Apply(changes)}
}

// hintedRows returns a nearby key for every key.
type hintedRows struct{ *merkletest.Rows }

func (r hintedRows) Near(key []byte) []byte {
	if value, _ := r.Get(key); value != nil {
		return key
	}
	below, above, _ := r.Neighbours(key)
	if above != nil {
		return above
	}
	return below
}

// check compares a version with the model: root, number of rows and the path of every row.
func (s state) check(t testing.TB) {
	t.Helper()
	if got, want := s.version.Root(), modelRoot(s.rows.List()); got != want {
		t.Fatalf("root %x, want %x", got, want)
	}
	s.checkPaths(t)
}

func (s state) checkPaths(t testing.TB) {
	t.Helper()
	if got, want := s.version.Len(), s.rows.Len(); got != want {
		t.Fatalf("%d rows, want %d", got, want)
	}
	for _, r := range s.rows.List() {
		steps, err := s.version.Path(r.Key, s.rows)
		if err != nil {
			t.Fatalf("path of %x: %v", r.Key, err)
		}
		if modelPath(r, steps) != s.version.Root() {
			t.Fatalf("the path of %x does not lead to the root", r.Key)
		}
		if s.version.Absent(r.Key) {
			t.Fatalf("row %x is reported absent", r.Key)
		}
	}
}

// checkNodes checks that only the nodes of s are held. All other versions must have been released.
func (s state) checkNodes(t testing.TB) {
	t.Helper()
	if got, want := s.version.Tree().Nodes(), max(0, s.rows.Len()-1); got != want {
		t.Fatalf("%d nodes held, want %d", got, want)
	}
}

// anyKey draws keys that are prefixes of one another, short random keys, and keys with a long common prefix.
func anyKey() *rapid.Generator[[]byte] {
	return rapid.OneOf(
		rapid.SliceOfN(rapid.SampledFrom([]byte{0x00, 0x01, 0x80, 0xff}), 0, 6),
		rapid.SliceOfN(rapid.Byte(), 1, 4),
		rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 2}), 0, 4), func(tail []byte) []byte {
			return slices.Concat([]byte("a long prefix"), tail[:len(tail)/2], []byte("that keys share"), tail[len(tail)/2:])
		}),
	)
}

func anyRows(n int) *rapid.Generator[[]Row] {
	row := rapid.Custom(func(t *rapid.T) Row {
		return kv(anyKey().Draw(t, "key"), rapid.SliceOfN(rapid.Byte(), 0, 3).Draw(t, "value"))
	})
	return rapid.SliceOfN(row, 0, n)
}

// drawChanges draws writes and deletions, of rows that exist and of rows that do not.
func (s state) drawChanges(t *rapid.T) []schema.Change {
	changes := s.write(anyRows(12).Draw(t, "rows")...)
	for i := range changes {
		if rapid.IntRange(0, 2).Draw(t, "delete") == 0 {
			changes[i].Value = nil
		}
	}
	for _, r := range s.rows.List() {
		if rapid.IntRange(0, 9).Draw(t, "delete old") == 0 {
			changes = append(changes, schema.Change{Key: r.Key, Existed: true})
		}
	}
	return inOrder(changes)
}

// inOrder sorts changes by key. The first of several changes with the same key wins.
func inOrder(changes []schema.Change) []schema.Change {
	slices.SortStableFunc(changes, func(a, b schema.Change) int { return bytes.Compare(a.Key, b.Key) })
	return slices.CompactFunc(changes, func(a, b schema.Change) bool { return bytes.Equal(a.Key, b.Key) })
}

// randomRows returns rows with random keys of 32 bytes.
func randomRows(seed uint64, n int) []Row {
	rng := rand.NewChaCha8([32]byte(binary.BigEndian.AppendUint64(make([]byte, 24), seed)))
	rows := make([]Row, n)
	for i := range rows {
		rows[i] = kv(make([]byte, 32), make([]byte, 8))
		_, _ = rng.Read(rows[i].Key) // never fails
		_, _ = rng.Read(rows[i].Value)
	}
	return rows
}
