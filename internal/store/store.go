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
	pacer  pacer // of its compactions and checkpoints
	tree   *merkle.Tree
	memory *memory // for the nodes of the tree and cached rows

	progress func(rows int) // of building the tree, may be nil

	committing  sync.Mutex   // held during a commit; guards the fields below
	restoring   bool         // a restoration is in progress
	checkpoints *checkpoints // nil for a store in memory
	evictError  string       // the last one that was logged

	mu     sync.Mutex // guards latest and the references of all snapshots
	latest *Snapshot
}

// Open opens the store in a directory, or creates one there. It restores the state tree from a checkpoint, or builds it from
// the rows if there is no valid one. It returns ErrLocked when the store is open elsewhere, ErrFormat for an unknown
// format, and ErrCorrupt when the rows do not have the stored root.
func Open(dir string, options Options) (*Store, error) {
	limitMalloc()
	s := &Store{memory: &memory{}, progress: options.Progress}
	settings := options.PebbleOptions()
	settings.FS = pacedFS{settings.FS, &s.pacer}
	s.checkpoints = options.checkpoints(settings.FS, dir)
	db, err := pebble.Open(dir, settings)
	if err != nil {
		// Pebble has no error value for a lock that this process holds itself.
		if errors.Is(err, syscall.EAGAIN) || strings.Contains(err.Error(), "lock held by current process") {
			err = fmt.Errorf("%w: %w", ErrLocked, err)
		}
		return nil, fmt.Errorf("open the store in %s: %w", dir, err)
	}
	s.db = db
	s.tree = merkle.NewWithOptions(s.treeOptions(options))
	if err := s.load(options.Rebuild); err != nil {
		return nil, fmt.Errorf("open the store in %s: %w", dir, errors.Join(err, s.closePages(), db.Close(), s.memory.release()))
	}
	return s, nil
}

// OpenMemory returns an empty store in memory.
func OpenMemory(options Options) (*Store, error) {
	options.fs, options.inMemory = vfs.NewMem(), true
	return Open("", options)
}

// load restores or builds the tree and compares its root with the head.
func (s *Store) load(rebuild bool) error {
	h, err := loadHead(s.db)
	if err != nil {
		return err
	}
	if err := s.clearUnfinished(); err != nil {
		return err
	}
	rows := s.db.NewSnapshot()
	version, err := s.loadTree(h, rows, rebuild)
	if err != nil {
		return errors.Join(err, rows.Close())
	}
	s.latest = s.firstSnapshot(h, version, rows)
	return nil
}

// firstSnapshot returns the first snapshot of a store that was opened or restored.
func (s *Store) firstSnapshot(h head, version *merkle.Version, rows *pebble.Snapshot) *Snapshot {
	cache := newRowCache(h.height, s.memory.take(rowCacheBytes), s.memory.take(neighbourBytes))
	return &Snapshot{store: s, height: h.height, version: version, rows: rows, cache: cache, refs: 1}
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
	s.committing.Lock()
	defer s.committing.Unlock()
	s.pacer.active.Store(false) // Pebble waits for compactions
	s.lastCheckpoint()
	err := errors.Join(s.latest.rows.Close(), s.db.Close(), s.closePages())
	if err != nil {
		return fmt.Errorf("close the store: %w", err)
	}
	return s.memory.release()
}
