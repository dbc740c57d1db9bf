package merkle

import (
	"bytes"
	"slices"
	"sort"

	"makechain/internal/schema"
)

// Row is a key with its value.
type Row struct{ Key, Value []byte }

// MemRows is an ordered set of rows in memory, for tests and for small states. It never changes, so it can be read
// beside the version that commits to it.
type MemRows struct{ rows []Row }

// NewMemRows makes a set from rows in any order. Of rows with the same key the last one counts.
func NewMemRows(rows ...Row) *MemRows {
	sorted := slices.Clone(rows)
	slices.SortStableFunc(sorted, func(a, b Row) int { return bytes.Compare(a.Key, b.Key) })
	unique := sorted[:0]
	for i, r := range sorted {
		if i+1 == len(sorted) || !bytes.Equal(r.Key, sorted[i+1].Key) {
			unique = append(unique, Row{bytes.Clone(r.Key), append([]byte{}, r.Value...)})
		}
	}
	return &MemRows{rows: unique}
}

// Len returns the number of rows.
func (m *MemRows) Len() int { return len(m.rows) }

// Get returns the value under a key, nil when there is no such row.
func (m *MemRows) Get(key []byte) ([]byte, error) {
	i := m.find(key)
	if !m.at(i, key) {
		return nil, nil
	}
	return m.rows[i].Value, nil
}

// Neighbours returns the rows next to a key on either side, nil where there is none. The row under the key itself is
// neither of them.
func (m *MemRows) Neighbours(key []byte) (below, above []byte, err error) {
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
func (m *MemRows) Scan(lower, upper []byte, visit func(key, value []byte) bool) error {
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

// All visits every row in order, as Tree.Build takes it.
func (m *MemRows) All(visit func(key, value []byte) error) error {
	for _, r := range m.rows {
		if err := visit(r.Key, r.Value); err != nil {
			return err
		}
	}
	return nil
}

// Apply returns the rows after changes, which need no order. Existed is not looked at.
func (m *MemRows) Apply(changes []schema.Change) *MemRows {
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
	return &MemRows{rows: append(next, m.rows[i:]...)}
}

// Near implements Rows. It knows of nothing, so that whoever wants a key has to seek it.
func (m *MemRows) Near([]byte) []byte { return nil }

// Seeker implements Rows.
func (m *MemRows) Seeker() (Seeker, error) { return memSeeker{m}, nil }

type memSeeker struct{ rows *MemRows }

func (s memSeeker) SeekGE(lower []byte) ([]byte, error) {
	if i := s.rows.find(lower); i < len(s.rows.rows) {
		return s.rows.rows[i].Key, nil
	}
	return nil, nil
}

func (memSeeker) Close() error { return nil }

// find returns the index of the first row at or behind a key.
func (m *MemRows) find(key []byte) int {
	return sort.Search(len(m.rows), func(i int) bool { return bytes.Compare(m.rows[i].Key, key) >= 0 })
}

func (m *MemRows) at(i int, key []byte) bool {
	return i < len(m.rows) && bytes.Equal(m.rows[i].Key, key)
}
