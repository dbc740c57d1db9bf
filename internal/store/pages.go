package store

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"makechain/internal/merkle"
	"makechain/internal/schema"
)

// treeOptions returns the options of the state tree.
func (s *Store) treeOptions(options Options) merkle.Options {
	o := merkle.Options{Parallelism: options.parallelism(), Alloc: s.memory.take}
	if s.checkpoints == nil {
		return o
	}
	o.Pages, o.MemoryRows = s.checkpoints.segments, options.treeMemoryRows()
	var damaged atomic.Uint64
	o.Damaged = func(number uint32, reason error) {
		// A lost file has tens of thousands of pages: the first, second, fourth and so on are logged.
		if n := damaged.Add(1); n&(n-1) == 0 {
			s.checkpoints.warn("a page of the state tree was damaged and is computed from its rows",
				fmt.Errorf("page %d, %d pages since the start: %w", number, n, reason))
		}
	}
	return o
}

// loadTree returns the tree of the latest state: from a checkpoint, or built from all rows, in which case the checkpoint and
// the pages are deleted.
func (s *Store) loadTree(latest head, rows *pebble.Snapshot, rebuild bool) (*merkle.Version, error) {
	if s.checkpoints == nil {
		return s.buildTree(latest, rows)
	}
	if !rebuild {
		version, err := s.recoverTree(latest, rows)
		if err == nil {
			return version, s.checkpoints.segments.removeUnused()
		}
		if !errors.Is(err, errNoCheckpoint) {
			s.checkpoints.warn("the state tree is built from its rows, because the checkpoint cannot be used", err)
		}
	}
	if err := s.removePages(); err != nil {
		return nil, err
	}
	return s.buildTree(latest, rows)
}

// buildTree builds the tree from all rows and compares its root.
func (s *Store) buildTree(latest head, rows *pebble.Snapshot) (*merkle.Version, error) {
	version, err := s.tree.Build(s.scanRows(rows))
	if err != nil {
		return nil, err
	}
	if version.Root() != latest.root {
		defer version.Release()
		return nil, fmt.Errorf("%w: at height %d the %d rows have root %x, but %x is stored",
			ErrCorrupt, latest.height, version.Len(), version.Root(), latest.root)
	}
	return version, nil
}

// removePages deletes the checkpoint, the pages and the key log.
func (s *Store) removePages() error {
	if err := s.checkpoints.remove(); err != nil {
		return err
	}
	iter, err := s.db.NewIter(&pebble.IterOptions{LowerBound: keyLogKey(0), UpperBound: keyLogEnd()})
	if err != nil {
		return fmt.Errorf("read the log of changed keys: %w", err)
	}
	found := iter.First()
	if err := iter.Close(); err != nil {
		return fmt.Errorf("read the log of changed keys: %w", err)
	}
	if !found {
		return nil
	}
	if err := s.db.DeleteRange(keyLogKey(0), keyLogEnd(), pebble.Sync); err != nil {
		return fmt.Errorf("delete the log of changed keys: %w", err)
	}
	return nil
}

// keyLog returns the row of a block in the key log, if blocks write one. s.committing must be held.
func (s *Store) keyLog(b *Staged, height uint64) []schema.Change {
	if s.checkpoints == nil || !s.checkpoints.logging {
		return nil
	}
	before := head{height: b.base.height, root: b.base.Root()}
	return []schema.Change{{Key: keyLogKey(height), Value: encodeKeyLog(before, b.inTree)}}
}

// dropKeyLog deletes the rows of the key log that the last checkpoint contains. s.committing must be held.
func (s *Store) dropKeyLog(batch *pebble.Batch) error {
	if s.checkpoints == nil || !s.checkpoints.obsolete {
		return nil
	}
	s.checkpoints.obsolete = false
	if err := batch.DeleteRange(keyLogKey(0), keyLogKey(s.checkpoints.durable+1), nil); err != nil {
		return fmt.Errorf("delete the log of changed keys: %w", err)
	}
	return nil
}

// checkpoint starts a checkpoint if it is due after a block that changed a number of keys. s.committing must be held.
func (s *Store) checkpoint(h head, version *merkle.Version, keys int) {
	if s.checkpoints != nil && s.checkpoints.due(version.Len(), keys) {
		s.checkpoints.start(h, version)
	}
}

// sweepPages deletes a file of pages that are not used any more, if there is one, after a block. s.committing must be held.
func (s *Store) sweepPages() {
	if s.checkpoints == nil {
		return
	}
	s.checkpoints.segments.sweep(func(err error) { s.checkpoints.warn("cannot delete unused pages of the state tree", err) })
}

// lastCheckpoint writes a checkpoint of the latest state before the store is closed, so that the next start need not apply
// changes. s.committing must be held.
func (s *Store) lastCheckpoint() {
	c := s.checkpoints
	if c == nil {
		return
	}
	c.wait()
	if s.restoring {
		return
	}
	if s.latest.version.Len() >= c.minRows && c.durable != s.latest.height {
		c.start(head{height: s.latest.height, root: s.latest.Root()}, s.latest.version)
		c.wait()
	}
	if !c.obsolete {
		return
	}
	batch := s.db.NewBatch()
	if err := errors.Join(s.dropKeyLog(batch), batch.Commit(pebble.NoSync), batch.Close()); err != nil {
		c.warn("cannot delete the log of changed keys", err)
	}
}

// closePages closes the files of pages.
func (s *Store) closePages() error {
	if s.checkpoints == nil {
		return nil
	}
	s.checkpoints.wait()
	return s.checkpoints.segments.close()
}
