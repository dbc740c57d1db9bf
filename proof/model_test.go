package proof_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	ics23 "github.com/cosmos/ics23/go"

	"makechain/proof"
)

// model is a source that builds the tree of its rows from scratch, directly by the definition in T1.
type model struct {
	rows  []modelRow // by key
	bits  []string
	root  [32]byte
	paths [][]proof.Sibling
}

type modelRow struct{ key, value []byte }

func newModel(rows ...modelRow) *model {
	m := &model{rows: slices.Clone(rows), root: proof.EmptyRoot(), paths: make([][]proof.Sibling, len(rows))}
	slices.SortFunc(m.rows, func(a, b modelRow) int { return bytes.Compare(a.key, b.key) })
	for _, row := range m.rows {
		var b strings.Builder
		for _, c := range row.key {
			fmt.Fprintf(&b, "1%08b", c)
		}
		m.bits = append(m.bits, b.String()+"0")
	}
	if len(rows) > 0 {
		m.root = m.build(0, len(rows))
	}
	return m
}

// build hashes the rows from lo up to hi, which agree in all bits before the first in which the first and last row differ.
func (m *model) build(lo, hi int) [32]byte {
	if hi-lo == 1 {
		return m.leafHash(lo)
	}
	mid := m.split(lo, hi)
	left, right := m.build(lo, mid), m.build(mid, hi)
	for i := lo; i < hi; i++ {
		if i < mid {
			m.paths[i] = append(m.paths[i], proof.Sibling{Hash: right, Right: true})
		} else {
			m.paths[i] = append(m.paths[i], proof.Sibling{Hash: left})
		}
	}
	return sha256.Sum256(slices.Concat([]byte{1}, left[:], right[:]))
}

// split returns the first row of the right child of the node with the rows from lo up to hi.
func (m *model) split(lo, hi int) int {
	first, last, at := m.bits[lo], m.bits[hi-1], 0
	for first[at] == last[at] {
		at++
	}
	for m.bits[lo][at] == '0' {
		lo++
	}
	return lo
}

func (m *model) leafHash(i int) [32]byte {
	leaf := binary.AppendUvarint([]byte{0}, uint64(len(m.rows[i].key)))
	leaf = append(append(leaf, m.rows[i].key...), 32)
	return sha256.Sum256(append(leaf, sha256Of(m.rows[i].value)...))
}

// subtreeHash returns the hash of the node with the rows from lo up to hi.
func (m *model) subtreeHash(lo, hi int) [32]byte {
	if hi-lo == 1 {
		return m.leafHash(lo)
	}
	mid := m.split(lo, hi)
	left, right := m.subtreeHash(lo, mid), m.subtreeHash(mid, hi)
	return sha256.Sum256(slices.Concat([]byte{1}, left[:], right[:]))
}

func sha256Of(value []byte) []byte {
	digest := sha256.Sum256(value)
	return digest[:]
}

func (m *model) find(key []byte) (int, bool) {
	return slices.BinarySearchFunc(m.rows, key, func(r modelRow, k []byte) int { return bytes.Compare(r.key, k) })
}

func (m *model) Root() [32]byte { return m.root }

func (m *model) Path(key []byte) ([]proof.Sibling, error) {
	i, ok := m.find(key)
	if !ok {
		return nil, errors.New("no such row")
	}
	return m.paths[i], nil
}

func (m *model) Get(key []byte) ([]byte, error) {
	if i, ok := m.find(key); ok {
		return m.rows[i].value, nil
	}
	return nil, nil
}

func (m *model) Neighbours(key []byte) (left, right []byte, err error) {
	i, ok := m.find(key)
	if i > 0 {
		left = m.rows[i-1].key
	}
	if ok {
		i++
	}
	if i < len(m.rows) {
		right = m.rows[i].key
	}
	return left, right, nil
}

func (m *model) Scan(lower, upper []byte, fn func(key, value []byte) bool) error {
	i, _ := m.find(lower)
	for ; i < len(m.rows) && (upper == nil || bytes.Compare(m.rows[i].key, upper) < 0); i++ {
		if !fn(m.rows[i].key, m.rows[i].value) {
			return nil
		}
	}
	return nil
}

// exists returns the encoded existence proof of the i-th row.
func (m *model) exists(t testing.TB, i int) []byte {
	t.Helper()
	answer, err := proof.Exists(m, m.rows[i].key)
	if err != nil || answer == nil {
		t.Fatalf("exists %x: %v", m.rows[i].key, err)
	}
	return answer.GetProof()
}

// alphabet returns every key of at most length letters after the ref prefix. Some keys are prefixes of others, some
// differ in the first or in the last bit, and some contain the bytes that end a key.
func alphabet(length int) [][]byte {
	keys := [][]byte{{0x0D}}
	for from := 0; length > 0; length-- {
		to := len(keys)
		for _, key := range keys[from:to] {
			for _, letter := range []byte{0x00, 0x01, 0xFF} {
				keys = append(keys, append(bytes.Clone(key), letter))
			}
		}
		from = to
	}
	return keys
}

// sample returns a model in which each key has a row with probability one in n.
func sample(rng *rand.Rand, keys [][]byte, n int) *model {
	var rows []modelRow
	for _, key := range keys {
		if rng.IntN(n) == 0 {
			rows = append(rows, modelRow{key, fmt.Appendf(nil, "value of %x, %d", key, rng.IntN(10))})
		}
	}
	return newModel(rows...)
}

// wantSteps checks that err is a chain of step errors that starts with these steps.
func wantSteps(t *testing.T, err error, steps ...string) {
	t.Helper()
	rest := err
	for _, step := range steps {
		var failed *proof.StepError
		if !errors.As(rest, &failed) || failed.Step != step {
			t.Fatalf("error %v: want steps %q", err, steps)
		}
		rest = failed.Err
	}
}

func decodeProof(t testing.TB, encoded []byte) *ics23.CommitmentProof {
	t.Helper()
	decoded := new(ics23.CommitmentProof)
	if err := decoded.Unmarshal(encoded); err != nil {
		t.Fatal(err)
	}
	return decoded
}

func encodeProof(t testing.TB, decoded *ics23.CommitmentProof) []byte {
	t.Helper()
	encoded, err := decoded.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}
