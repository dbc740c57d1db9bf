package vectors

import (
	"bytes"
	"encoding/binary"
	"testing"

	"makechain/internal/merkle"
	"makechain/internal/merkle/merkletest"
	"makechain/internal/schema"
	"makechain/proof"
)

// rowVector is one row of the state.
type rowVector struct {
	Key   hexBytes `json:"key"`
	Value hexBytes `json:"value"`
}

// treeVector is a set of rows and its root.
type treeVector struct {
	Name string      `json:"name"`
	Rows []rowVector `json:"rows"`
	Root hexBytes    `json:"root"`
}

// state is a set of rows with its tree, the source of proofs.
type state struct {
	*merkletest.Rows
	version *merkle.Version
}

func newState(t *testing.T, rows []rowVector) *state {
	t.Helper()
	list := make([]merkletest.Row, len(rows))
	for i, row := range rows {
		list[i] = merkletest.Row{Key: row.Key, Value: row.Value}
	}
	stored := merkletest.NewRows(list...)
	return &state{stored, must[*merkle.Version](t)(merkle.New(1).Build(stored.All))}
}

// Root returns the root of the tree.
func (s *state) Root() [32]byte { return s.version.Root() }

// Path returns the path from a row to the root.
func (s *state) Path(key []byte) ([]proof.Sibling, error) { return s.version.Path(key, s) }

// treeOf returns the vector of rows in any order.
func treeOf(t *testing.T, name string, rows []rowVector) treeVector {
	t.Helper()
	root := newState(t, rows).Root()
	return treeVector{name, rows, root[:]}
}

// TestTrees generates tree.json: sets of rows with their roots.
//
// Rules: T1.1, T1.2, T1.3, T1.4.
func TestTrees(t *testing.T) {
	t.Parallel()
	golden(t, "tree.json", []treeVector{
		treeOf(t, "no rows", []rowVector{}),
		treeOf(t, "one row", someRows("0d01")),
		treeOf(t, "two rows that part in their last bit", someRows("0a00", "0a01")),
		treeOf(t, "two rows that part in their first bit", someRows("03", "1c")),
		treeOf(t, "one key begins the other", someRows("0dff", "0dff00")),
		treeOf(t, "keys of one byte repeated", repeatedKeys(0xff, 20)),
		treeOf(t, "keys of zeros", repeatedKeys(0, 20)),
		treeOf(t, "key of 300 bytes", []rowVector{{bytes.Repeat([]byte{0x0d}, 300), []byte("v")}, {[]byte{0x0d}, []byte("w")}}),
		treeOf(t, "empty and long values", []rowVector{{[]byte{4, 1}, []byte{}}, {[]byte{4, 2}, bytes.Repeat([]byte{7}, 5000)}}),
		treeOf(t, "a thousand rows", randomRows(1000)),
		treeOf(t, "refs that each begin the next", chainOfRefs(254)),
		treeOf(t, "commits that part one bit after another", chainOfCommits()),
	})
}

func someRows(keys ...string) []rowVector {
	rows := make([]rowVector, len(keys))
	for i, key := range keys {
		rows[i] = rowVector{mustHex(key), []byte("value of " + key)}
	}
	return rows
}

func repeatedKeys(b byte, count int) []rowVector {
	rows := make([]rowVector, count)
	for i := range rows {
		rows[i] = rowVector{append([]byte{0x0d}, bytes.Repeat([]byte{b}, i)...), []byte{byte(i + 1)}}
	}
	return rows
}

// randomRows returns rows with keys of every length under every prefix, unordered.
func randomRows(count int) []rowVector {
	rows := make([]rowVector, count)
	for i := range rows {
		seed := secret("row " + string(binary.BigEndian.AppendUint32(nil, uint32(i))))
		prefix := schema.PrefixTombstone + schema.Prefix(seed[0]%0x15)
		key := append(append([]byte{byte(prefix)}, seed[1:2+seed[1]%20]...), byte(i>>8), byte(i))
		rows[i] = rowVector{key, seed[:1+seed[2]%32]}
	}
	return rows
}

// chainOfRefs returns the deepest tree that ref names can make: one level for each.
func chainOfRefs(count int) []rowVector {
	rows := make([]rowVector, count)
	for i := range rows {
		rows[i] = rowVector{schema.RefKey(someHash("a project"), bytes.Repeat([]byte{'r'}, i+1)), []byte{8, byte(i + 1)}}
	}
	return rows
}

// chainOfCommits returns commits whose hashes agree in more and more bits.
func chainOfCommits() []rowVector {
	rows := make([]rowVector, 256)
	for i := range rows {
		var hash [32]byte
		hash[i/8] = 0x80 >> (i % 8)
		rows[i] = rowVector{schema.CommitKey(someHash("a project"), hash), []byte{8, byte(i)}}
	}
	return rows
}
