// Package merkletest provides rows in memory for tests of the state tree and of proofs.
package merkletest

import (
	"bytes"
	"slices"
	"sort"

	"makechain/internal/merkle"
	"makechain/internal/schema"
)

// Row is a key with its value.
type Row struct{ Key, Value []byte }

// Rows is an immutable set of rows in key order. It implements merkle.Rows, and the views that ledger, index and proof
// read.
type Rows struct{ rows []Row }

// NewRows returns a set of the given rows, which may be in any order. The last of several rows with the same key wins.
func NewRows(rows ...Row) *Rows {
	sorted := slices.Clone(rows)
	slices.SortStableFunc(sorted, func(a, b Row) int { return bytes.Compare(a.Key, b.Key) })
	unique := sorted[:0]
	for i, r := range sorted {
		if i+1 == len(sorted) || !bytes.Equal(r.Key, sorted[i+1].Key) {
			unique = append(unique, Row{bytes.Clone(r.Key), append([]byte{}, r.Value...)})
		}
	}
	return &Rows{rows: unique}
}

// Len returns the number of rows.
func (m *Rows) Len() int { return len(m.rows) }

// List returns the rows in key order. The caller must not modify them.
func (m *Rows) List() []Row { return m.rows }

// Get returns the value at key, nil when there is no such row.
func (m *Rows) Get(key []byte) ([]byte, error) {
	i := m.find(key)
	if !m.at(i, key) {
		return nil, nil
	}
	return m.rows[i].Value, nil
}

// Neighbours returns the closest keys below and above key, nil where there is none. The key itself is neither.
func (m *Rows) Neighbours(key []byte) (below, above []byte, err error) {
	i := m.find(key)
	if i > 0 {
		below = m.rows[i-1].Key
	}
	if m.at(i, key) {
		i++
	}
	if i < len(m.rows) {
		above = m.rows[i].Key
	}
	return below, above, nil
}

// Scan visits the rows with lower <= key < upper in order until visit returns false. A nil upper means no end.
func (m *Rows) Scan(lower, upper []byte, visit func(key, value []byte) bool) error {
	for i := m.find(lower); i < len(m.rows); i++ {
		if upper != nil && bytes.Compare(m.rows[i].Key, upper) >= 0 {
			return nil
		}
		if !visit(m.rows[i].Key, m.rows[i].Value) {
			return nil
		}
	}
	return nil
}

// All visits every row in order. It is a merkle.Scan.
func (m *Rows) All(visit func(key, value []byte) error) error {
	for _, r := range m.rows {
		if err := visit(r.Key, r.Value); err != nil {
			return err
		}
	}
	return nil
}

// Apply returns the rows after changes, which may be in any order. Existed is ignored.
func (m *Rows) Apply(changes []schema.Change) *Rows {
	written := make([]Row, 0, len(changes))
	for _, c := range changes {
		written = append(written, Row{c.Key, c.Value})
	}
	slices.SortStableFunc(written, func(a, b Row) int { return bytes.Compare(a.Key, b.Key) })
	next := make([]Row, 0, len(m.rows)+len(written))
	i := 0
	for j, w := range written {
		if j+1 < len(written) && bytes.Equal(w.Key, written[j+1].Key) {
			continue
		}
		for ; i < len(m.rows) && bytes.Compare(m.rows[i].Key, w.Key) < 0; i++ {
			next = append(next, m.rows[i])
		}
		if m.at(i, w.Key) {
			i++
		}
		if w.Value != nil {
			next = append(next, Row{bytes.Clone(w.Key), append([]byte{}, w.Value...)})
		}
	}
	return &Rows{rows: append(next, m.rows[i:]...)}
}

// Near implements merkle.Rows. It always returns nil, so that an update has to seek.
func (m *Rows) Near([]byte) []byte { return nil }

// Seeker implements merkle.Rows.
func (m *Rows) Seeker() (merkle.Seeker, error) { return seeker{m}, nil }

type seeker struct{ rows *Rows }

func (s seeker) SeekGE(lower []byte) ([]byte, error) {
	if i := s.rows.find(lower); i < len(s.rows.rows) {
		return s.rows.rows[i].Key, nil
	}
	return nil, nil
}

func (s seeker) Scan(lower []byte, visit func(key, value []byte) bool) error {
	return s.rows.Scan(lower, nil, visit)
}

func (seeker) Close() error { return nil }

// find returns the index of the first row whose key is not less than key.
func (m *Rows) find(key []byte) int {
	return sort.Search(len(m.rows), func(i int) bool { return bytes.Compare(m.rows[i].Key, key) >= 0 })
}

func (m *Rows) at(i int, key []byte) bool {
	return i < len(m.rows) && bytes.Equal(m.rows[i].Key, key)
}
