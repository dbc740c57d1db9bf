package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"makechain/internal/merkle"
	"makechain/internal/merkle/merkletest"
	"makechain/internal/schema"
)

// testChain generates blocks and has the rows after each.
type testChain struct {
	rng   *rand.Rand
	wide  bool               // tens of thousands of keys instead of some hundred
	rows  []*merkletest.Rows // by height, derived rows too
	roots []merkle.Hash      // by height
}

func newTestChain(seed uint64) *testChain {
	return &testChain{
		rng:   rand.New(rand.NewPCG(seed, 0)),
		rows:  []*merkletest.Rows{merkletest.NewRows()},
		roots: []merkle.Hash{merkle.EmptyRoot()},
	}
}

func (c *testChain) height() uint64 { return uint64(len(c.rows) - 1) }

// block returns the changes of the next block: additions, changes and deletions, some of derived rows.
func (c *testChain) block(writes int) []schema.Change {
	rows := c.rows[len(c.rows)-1]
	var changes []schema.Change
	for range writes {
		change := schema.Change{Key: c.key(), Value: fmt.Appendf(nil, "value %d", c.rng.Uint32())}
		old, _ := rows.Get(change.Key)
		change.Existed = old != nil
		if change.Existed && c.rng.IntN(2) == 0 {
			change.Value = nil
		}
		changes = append(changes, change)
	}
	slices.SortFunc(changes, func(a, b schema.Change) int { return bytes.Compare(a.Key, b.Key) })
	changes = slices.CompactFunc(changes, func(a, b schema.Change) bool { return bytes.Equal(a.Key, b.Key) })
	rows = rows.Apply(changes)
	c.rows = append(c.rows, rows)
	c.roots = append(c.roots, rootOf(rows))
	return changes
}

// key draws one of a limited number of keys, so that rows are changed repeatedly.
func (c *testChain) key() []byte {
	prefix := schema.LastPrefix + 1
	for !prefix.Merkleized() && prefix != schema.PrefixAge && prefix != schema.PrefixMergeRequestPair {
		prefix = schema.PrefixTombstone + schema.Prefix(c.rng.IntN(int(schema.LastPrefix-schema.PrefixTombstone)+1))
	}
	key := append([]byte{byte(prefix)}, "the same for all keys of a prefix"...)
	if c.wide {
		key = append(key, byte(c.rng.IntN(256)))
	}
	return append(key, byte(c.rng.IntN(20)), byte(c.rng.IntN(2)))
}

// rootOf returns the root of the tree of the rows.
func rootOf(rows *merkletest.Rows) merkle.Hash {
	v, err := merkle.New(1).Build(func(visit func(key, value []byte) error) error {
		return rows.All(func(key, value []byte) error {
			if !schema.Prefix(key[0]).Merkleized() {
				return nil
			}
			return visit(key, value)
		})
	})
	if err != nil {
		panic(err)
	}
	return v.Root()
}

// commit commits a block with an index row for its height.
func commit(t testing.TB, s *Store, height uint64, changes []schema.Change) {
	t.Helper()
	staged, err := s.Stage(changes)
	if err != nil {
		t.Fatal(err)
	}
	if err := staged.Commit(height, schema.Change{Key: indexKey(height), Value: []byte{}}); err != nil {
		t.Fatal(err)
	}
}

func indexKey(height uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{FirstIndexPrefix}, height)
}

// check compares a snapshot with the chain at its height.
func (c *testChain) check(t testing.TB, s *Snapshot) {
	t.Helper()
	for height := range s.Height() + 2 {
		indexed, err := s.Get(indexKey(height))
		if want := height > 0 && height <= s.Height(); err != nil || (indexed != nil) != want {
			t.Fatalf("at height %d: height %d is indexed: %v, %v", s.Height(), height, indexed != nil, err)
		}
	}
	want := c.rows[s.Height()]
	if s.Root() != c.roots[s.Height()] {
		t.Fatalf("height %d: root %x, want %x", s.Height(), s.Root(), c.roots[s.Height()])
	}
	var got []merkletest.Row
	err := s.Scan(nil, rowsEnd(), func(key, value []byte) bool {
		got = append(got, merkletest.Row{Key: bytes.Clone(key), Value: bytes.Clone(value)})
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	i, inTree := 0, 0
	_ = want.All(func(key, value []byte) error {
		if i >= len(got) || !bytes.Equal(got[i].Key, key) || !bytes.Equal(got[i].Value, value) {
			t.Fatalf("height %d: row %d is not %x", s.Height(), i, key)
		}
		if schema.Prefix(key[0]).Merkleized() {
			inTree++
			checkRow(t, s, key, value)
		}
		i++
		return nil
	})
	if i != len(got) || s.Len() != inTree {
		t.Fatalf("height %d: %d rows, %d in the tree, want %d and %d", s.Height(), len(got), s.Len(), i, inTree)
	}
}

// checkRow reads a row and follows its path to the root.
func checkRow(t testing.TB, s *Snapshot, key, value []byte) {
	t.Helper()
	got, err := s.Get(key)
	if err != nil || !bytes.Equal(got, value) {
		t.Fatalf("row %x is %x, %v; want %x", key, got, err, value)
	}
	steps, err := s.Path(key)
	if err != nil {
		t.Fatal(err)
	}
	h := merkle.LeafHash(key, value)
	for _, step := range steps {
		if step.Right {
			h = merkle.InnerHash(h, step.Hash)
		} else {
			h = merkle.InnerHash(step.Hash, h)
		}
	}
	if h != s.Root() {
		t.Fatalf("the path of %x does not lead to the root", key)
	}
}

func open(t testing.TB, fs vfs.FS) *Store {
	t.Helper()
	s, err := Open("state", Options{fs: fs})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func closeStore(t testing.TB, s interface{ Close() error }) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// checkLatest compares the latest state with the chain at a height.
func (c *testChain) checkLatest(t testing.TB, s *Store, height uint64) {
	t.Helper()
	snapshot := s.Snapshot()
	if snapshot.Height() != height {
		t.Fatalf("height %d, want %d", snapshot.Height(), height)
	}
	c.check(t, snapshot)
	closeStore(t, snapshot)
}
