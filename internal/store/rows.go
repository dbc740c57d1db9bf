package store

import (
	"github.com/cockroachdb/pebble/v2"

	"makechain/internal/merkle"
)

// Rows are the rows of the state at one height, without its tree. Unlike a Snapshot they do not keep the tree of their height in
// memory, so that they can be read for minutes while blocks are committed: all they retain are rows that later blocks have
// replaced or deleted, on disk. They may be read by several goroutines until they are closed.
type Rows struct {
	height uint64
	root   merkle.Hash
	rows   *pebble.Snapshot
	pacer  *pacer
}

// Rows returns the rows of the last committed block. They must be closed. It waits while a block is being committed.
func (s *Store) Rows() *Rows {
	s.committing.Lock() // the rows in Pebble are those of the latest snapshot
	defer s.committing.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	return &Rows{height: s.latest.height, root: s.latest.Root(), rows: s.db.NewSnapshot(), pacer: &s.pacer}
}

// Height returns the height of the last block of this state.
func (r *Rows) Height() uint64 { return r.height }

// Root returns the root of the state tree.
func (r *Rows) Root() merkle.Hash { return r.root }

// Busy reports whether a compaction or a checkpoint of the tree is being written. Who reads all rows should read slowly then: the
// two and a snapshot of the state took so much of two cores together that blocks took several times as long.
func (r *Rows) Busy() bool { return r.pacer.writing.Load() > 0 }

// Scan visits rows as Snapshot.Scan does. Meanwhile Pebble cannot free memtables and tables that it has replaced, so a long
// scan should be divided into several.
func (r *Rows) Scan(lower, upper []byte, visit func(key, value []byte) bool) error {
	return (&Snapshot{rows: r.rows}).Scan(lower, upper, visit)
}

// Close releases the rows.
func (r *Rows) Close() error { return r.rows.Close() }
