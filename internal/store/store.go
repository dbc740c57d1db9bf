package store

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"makechain/internal/merkle"
)

// Store stores the state. Its methods may be called by several goroutines; blocks are committed one at a time.
type Store struct {
	db     *pebble.DB
	tree   *merkle.Tree
	memory *memory // for the nodes of the tree

	committing sync.Mutex // held during a commit; guards restoring
	restoring  bool       // a restoration is in progress

	mu     sync.Mutex // guards latest and the references of all snapshots
	latest *Snapshot
}

// Open opens the store in a directory, or creates one there, and builds the state tree from the rows. It returns ErrLocked
// when the store is open elsewhere, ErrFormat for an unknown format, and ErrCorrupt when the rows do not have the stored
// root.
func Open(dir string, options Options) (*Store, error) {
	db, err := pebble.Open(dir, options.PebbleOptions())
	if err != nil {
		// Pebble has no error value for a lock that this process holds itself.
		if errors.Is(err, syscall.EAGAIN) || strings.Contains(err.Error(), "lock held by current process") {
			err = fmt.Errorf("%w: %w", ErrLocked, err)
		}
		return nil, fmt.Errorf("open the store in %s: %w", dir, err)
	}
	nodes := &memory{}
	s := &Store{db: db, tree: merkle.NewWithOptions(merkle.Options{Parallelism: options.parallelism(), Alloc: nodes.take}), memory: nodes}
	if err := s.load(); err != nil {
		return nil, fmt.Errorf("open the store in %s: %w", dir, errors.Join(err, db.Close(), nodes.release()))
	}
	return s, nil
}

// OpenMemory returns an empty store in memory.
func OpenMemory(options Options) (*Store, error) {
	options.fs = vfs.NewMem()
	return Open("", options)
}

// load builds the tree and compares its root with the head.
func (s *Store) load() error {
	h, err := loadHead(s.db)
	if err != nil {
		return err
	}
	if err := s.clearUnfinished(); err != nil {
		return err
	}
	rows := s.db.NewSnapshot()
	version, err := s.tree.Build(func(visit func(key, value []byte) error) error { return scanTree(rows, visit) })
	if err != nil {
		return errors.Join(err, rows.Close())
	}
	if version.Root() != h.root {
		err := fmt.Errorf("%w: at height %d the %d rows have root %x, but %x is stored",
			ErrCorrupt, h.height, version.Len(), version.Root(), h.root)
		return errors.Join(err, rows.Close())
	}
	s.latest = s.firstSnapshot(h, version, rows)
	return nil
}

// firstSnapshot returns the first snapshot of a store that was opened or restored.
func (s *Store) firstSnapshot(h head, version *merkle.Version, rows *pebble.Snapshot) *Snapshot {
	return &Snapshot{store: s, height: h.height, version: version, rows: rows, cache: newRowCache(h.height), refs: 1}
}

// Snapshot returns the state of the last committed block. It must be closed.
func (s *Store) Snapshot() *Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.latest.refs++
	return s.latest
}

// Close closes the store. All snapshots must be closed before.
func (s *Store) Close() error {
	err := errors.Join(s.latest.rows.Close(), s.db.Close())
	if err != nil {
		return fmt.Errorf("close the store: %w", err)
	}
	return s.memory.release()
}
