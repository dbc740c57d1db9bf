package store

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"makechain/internal/merkle"
	"makechain/internal/schema"
	"makechain/proof"
)

// Snapshot is the state at one height: its rows and its tree. It may be read by several goroutines until it is closed.
type Snapshot struct {
	store   *Store
	height  uint64
	version *merkle.Version
	rows    *pebble.Snapshot
	cache   *rowCache // shared with the snapshots of other heights
	refs    int       // guarded by store.mu
}

// Height returns the height of the last block of this state.
func (s *Snapshot) Height() uint64 { return s.height }

// Root returns the root of the state tree.
func (s *Snapshot) Root() merkle.Hash { return s.version.Root() }

// Len returns the number of rows in the state tree.
func (s *Snapshot) Len() int { return s.version.Len() }

// Path returns the path from a row to the root. The row must exist; Path does not always detect that it does not.
func (s *Snapshot) Path(key []byte) ([]proof.Sibling, error) { return s.version.Path(key, s) }

// Get returns the value at a key, nil when there is no such row. It must not be modified.
func (s *Snapshot) Get(key []byte) ([]byte, error) {
	if !cached(key) {
		return s.read(key)
	}
	if value, found := s.cache.get(key, s.height); found {
		return value, nil
	}
	// The tree shows of most absent rows that they are absent, at little cost. To cache them would displace others.
	if schema.Prefix(key[0]).Merkleized() && s.version.Absent(key) {
		return nil, nil
	}
	value, err := s.read(key)
	if err != nil {
		return nil, err
	}
	s.cache.put(key, value, s.height)
	return value, nil
}

func (s *Snapshot) read(key []byte) ([]byte, error) {
	stored, closer, err := s.rows.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read row %x: %w", key, err)
	}
	value := append([]byte{}, stored...)
	return value, closer.Close()
}

// Scan visits the rows with lower <= key < upper in order until visit returns false, including derived rows and indexes.
// A nil bound means none. The arguments of visit are valid until it returns.
func (s *Snapshot) Scan(lower, upper []byte, visit func(key, value []byte) bool) error {
	if bytes.Compare(lower, firstRow()) < 0 {
		lower = firstRow()
	}
	if scope := schema.AgeScope(lower); len(scope) == len(lower) && bytes.Equal(upper, schema.After(scope)) {
		return s.scanAges(scope, visit)
	}
	return s.scan(lower, upper, visit)
}

// scanAges visits the age rows of a scope. It reads the first one from the cache: most scans end with it.
func (s *Snapshot) scanAges(scope []byte, visit func(key, value []byte) bool) error {
	lower, upper := scope, schema.After(scope)
	switch first, known := s.cache.first(scope, s.height); {
	case !known:
	case first.deleted:
		lower = first.key
	case first.key == nil || !visit(first.key, schema.Present):
		return nil
	default:
		return s.scan(append(bytes.Clone(first.key), 0), upper, visit)
	}
	visited := false
	err := s.scan(lower, upper, func(key, value []byte) bool {
		if !visited {
			visited = true
			s.cache.putFirst(scope, key, s.height)
		}
		return visit(key, value)
	})
	if err == nil && !visited {
		s.cache.putFirst(scope, nil, s.height)
	}
	return err
}

func (s *Snapshot) scan(lower, upper []byte, visit func(key, value []byte) bool) error {
	iter, err := s.rows.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: upper})
	if err != nil {
		return fmt.Errorf("open an iterator: %w", err)
	}
	for ok := iter.First(); ok; ok = iter.Next() {
		value, err := iter.ValueAndErr()
		if err != nil {
			return errors.Join(fmt.Errorf("read row %x: %w", iter.Key(), err), iter.Close())
		}
		if !visit(iter.Key(), value) {
			break
		}
	}
	if err := iter.Close(); err != nil {
		return fmt.Errorf("scan from %x: %w", lower, err)
	}
	return nil
}

// Neighbours returns the keys next to a key in the state tree, nil where there is none. The key itself is neither.
func (s *Snapshot) Neighbours(key []byte) (below, above []byte, err error) {
	c, err := newTreeCursor(s.rows)
	if err != nil {
		return nil, nil, err
	}
	if c.seekLT(key) {
		below = bytes.Clone(c.iter.Key())
	}
	if c.seekGE(append(bytes.Clone(key), 0)) {
		above = bytes.Clone(c.iter.Key())
	}
	if err := c.Close(); err != nil {
		return nil, nil, fmt.Errorf("seek the neighbours of %x: %w", key, err)
	}
	return below, above, nil
}

// Near returns a key of the state tree that belongs to the same account or project as the given one, nil when none is
// cached.
func (s *Snapshot) Near(key []byte) []byte { return s.cache.near(key, s.height) }

// Seeker returns a cursor over the keys of the state tree.
func (s *Snapshot) Seeker() (merkle.Seeker, error) { return newTreeCursor(s.rows) }

// Close releases the snapshot.
func (s *Snapshot) Close() error {
	s.store.mu.Lock()
	s.refs--
	last := s.refs == 0
	s.store.mu.Unlock()
	if !last {
		return nil
	}
	s.version.Release()
	return s.rows.Close()
}
