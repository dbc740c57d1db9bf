package store

import (
	"bytes"
	"errors"
	"fmt"
	"sort"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"makechain/internal/merkle"
	"makechain/internal/schema"
)

const (
	// replayBatch is the number of changed keys that are applied at a time when a tree is restored from a checkpoint. After
	// each batch the rows in memory are reduced to their limit.
	replayBatch = 1 << 16
	// replayReaders is the number of goroutines that read the values of a batch, so that several reads wait for the disk at the
	// same time.
	replayReaders = 16
	// maxEvictRounds bounds the calls of Evict after a batch.
	maxEvictRounds = 64
	// progressRows is the number of rows between two calls of Options.Progress.
	progressRows = 1 << 16
)

// recoverTree returns the tree of a state from the last checkpoint and the keys changed since. It returns errNoCheckpoint if
// there is none.
func (s *Store) recoverTree(latest head, rows *pebble.Snapshot) (*merkle.Version, error) {
	start := time.Now()
	from, version, err := s.checkpoints.read(s.tree, latest)
	if err != nil {
		return nil, err
	}
	loaded := time.Now()
	keys, err := readKeyLog(rows, from, latest)
	if err == nil {
		version, err = s.replay(version, keys, rows)
	}
	if err == nil && version.Root() != latest.root {
		err = fmt.Errorf("%w: with the %d keys changed since height %d the root is %x, but %x is stored",
			errCheckpoint, len(keys), from.height, version.Root(), latest.root)
	}
	if err != nil {
		version.Release()
		return nil, err
	}
	c := s.checkpoints
	c.tried, c.changed, c.durable, c.logging, c.obsolete = true, len(keys), from.height, true, true
	if c.log != nil {
		c.log.Info("the state tree was read from a checkpoint", "rows", version.Len(), "height", from.height, "read", loaded.Sub(start),
			"changed_keys", len(keys), "applied", time.Since(loaded))
	}
	return version, nil
}

// replay applies the changes of keys to a version, with the values of the rows. It releases the version and returns another
// one, or after an error one that leads to nothing.
func (s *Store) replay(version *merkle.Version, keys []changedKey, rows *pebble.Snapshot) (*merkle.Version, error) {
	existing := nextExisting(keys)
	for from := 0; from < len(keys); from += replayBatch {
		batch := keys[from:min(len(keys), from+replayBatch)]
		changes, err := readChanges(rows, batch)
		if err != nil {
			return version, err
		}
		next, err := s.tree.Update(version, changes, replayRows{rows: rows, keys: keys, existing: existing, from: from})
		if err != nil {
			return version, err
		}
		version.Release()
		version = s.evictAll(next)
	}
	return version, nil
}

// evictAll reduces the rows in memory to their limit. It releases the version and returns another one.
func (s *Store) evictAll(version *merkle.Version) *merkle.Version {
	for range maxEvictRounds {
		next := s.evict(version)
		if next == version {
			break
		}
		version = next
	}
	return version
}

// evict reduces the rows in memory by a bounded number. It returns the version, or releases it and returns another one with
// the same rows. Where pages cannot be written, the rows stay in memory.
func (s *Store) evict(version *merkle.Version) *merkle.Version {
	if s.checkpoints == nil {
		return version
	}
	next, err := s.tree.Evict(version)
	if err != nil {
		if reason := err.Error(); reason != s.evictError {
			s.evictError = reason
			s.checkpoints.warn("cannot move the state tree out of memory", err)
		}
		return version
	}
	version.Release()
	return next
}

// readChanges reads the values of keys.
func readChanges(rows *pebble.Snapshot, keys []changedKey) ([]schema.Change, error) {
	changes := make([]schema.Change, len(keys))
	errs := make([]error, replayReaders)
	var readers sync.WaitGroup
	for reader := range replayReaders {
		readers.Go(func() {
			for i := reader; i < len(keys) && errs[reader] == nil; i += replayReaders {
				changes[i], errs[reader] = readChange(rows, keys[i])
			}
		})
	}
	readers.Wait()
	return changes, errors.Join(errs...)
}

func readChange(rows *pebble.Snapshot, key changedKey) (schema.Change, error) {
	if len(key.key) == 0 || !schema.Prefix(key.key[0]).Merkleized() {
		return schema.Change{}, fmt.Errorf("%w: key %x", errKeyLog, key.key)
	}
	change := schema.Change{Key: key.key, Existed: key.existed}
	value, closer, err := rows.Get(key.key)
	if errors.Is(err, pebble.ErrNotFound) {
		return change, nil
	}
	if err != nil {
		return change, fmt.Errorf("read row %x: %w", key.key, err)
	}
	change.Value = append([]byte{}, value...)
	return change, closer.Close()
}

// replayRows are the keys of the state after a part of the changes: those of the latest state, without the keys that later
// changes add, and with the keys that later changes delete. It implements merkle.Rows. The values are those of the latest
// state; the tree needs values only to compute a damaged page, and finds out by its hash that they are others.
type replayRows struct {
	rows     *pebble.Snapshot
	keys     []changedKey // in ascending order
	existing []int32      // for each key, the index of the first from it on whose row existed
	from     int          // the first change that is not in the state
}

// nextExisting returns for each key the index of the first from it on whose row existed.
func nextExisting(keys []changedKey) []int32 {
	next := make([]int32, len(keys)+1)
	next[len(keys)] = int32(len(keys))
	for i := len(keys) - 1; i >= 0; i-- {
		next[i] = next[i+1]
		if keys[i].existed {
			next[i] = int32(i)
		}
	}
	return next
}

// Near implements merkle.Rows.
func (replayRows) Near([]byte) []byte { return nil }

// Seeker implements merkle.Rows.
func (r replayRows) Seeker() (merkle.Seeker, error) {
	cursor, err := newTreeCursor(r.rows)
	if err != nil {
		return nil, err
	}
	return &replaySeeker{treeCursor: cursor, state: r}, nil
}

// find returns the index of the first change that is not in the state and whose key is not less than key.
func (r replayRows) find(key []byte) int {
	return r.from + sort.Search(len(r.keys)-r.from, func(i int) bool { return bytes.Compare(r.keys[r.from+i].key, key) >= 0 })
}

// isNew reports whether a later change adds a key.
func (r replayRows) isNew(key []byte) bool {
	i := r.find(key)
	return i < len(r.keys) && !r.keys[i].existed && bytes.Equal(r.keys[i].key, key)
}

// replaySeeker is a cursor over replayRows.
type replaySeeker struct {
	*treeCursor

	state replayRows
}

// SeekGE implements merkle.Seeker.
func (c *replaySeeker) SeekGE(lower []byte) ([]byte, error) {
	var existing []byte // the first key from lower on that a later change changes or deletes
	if i := int(c.state.existing[c.state.find(lower)]); i < len(c.state.keys) {
		existing = c.state.keys[i].key
	}
	for ok := c.seekGE(lower); ok; ok = c.next() {
		key := c.iter.Key()
		if existing != nil && bytes.Compare(key, existing) >= 0 {
			return existing, nil
		}
		if !c.state.isNew(key) {
			return key, nil
		}
	}
	return existing, c.iter.Error()
}

// Scan implements merkle.Seeker.
func (c *replaySeeker) Scan(lower []byte, visit func(key, value []byte) bool) error {
	return c.treeCursor.Scan(lower, func(key, value []byte) bool { return c.state.isNew(key) || visit(key, value) })
}

// scanRows visits all rows of the state tree and reports progress.
func (s *Store) scanRows(rows pebble.Reader) merkle.Scan {
	return func(visit func(key, value []byte) error) error {
		count := 0
		return scanTree(rows, func(key, value []byte) error {
			if count++; s.progress != nil && count%progressRows == 0 {
				s.progress(count)
			}
			return visit(key, value)
		})
	}
}
