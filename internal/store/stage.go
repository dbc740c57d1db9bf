package store

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"makechain/internal/merkle"
	"makechain/internal/schema"
)

// Errors of a block that cannot be staged or committed. The state is unchanged.
var (
	// ErrPrefix is returned for a key outside the state, or outside the indexes for an index row.
	ErrPrefix = errors.New("key outside its range")
	// ErrStale is returned by Commit when another block was committed since this one was staged, or when the height is not
	// above the last one.
	ErrStale = errors.New("block does not follow the last one")
)

// Staged is a block that is not durable yet: its changes and the root they lead to. It must be committed or discarded.
type Staged struct {
	base    *Snapshot
	changes []schema.Change
	inTree  []schema.Change // without derived rows
	version *merkle.Version
}

// Stage computes the state that changes, in ascending order of their keys, lead to from the last committed block. It
// writes no rows: several blocks may be staged, and at most one of them committed. It may write pages of the tree, which are
// freed when the block is discarded. The changes must not be modified.
func (s *Store) Stage(changes []schema.Change) (*Staged, error) {
	inTree, err := treeChanges(changes)
	if err != nil {
		return nil, err
	}
	base := s.Snapshot()
	version, err := s.tree.Update(base.version, inTree, base)
	if err != nil {
		return nil, errors.Join(err, base.Close())
	}
	return &Staged{base: base, changes: changes, inTree: inTree, version: version}, nil
}

// Root returns the root after the block.
func (b *Staged) Root() merkle.Hash { return b.version.Root() }

// Discard drops the block.
func (b *Staged) Discard() error {
	b.version.Release()
	return b.base.Close()
}

// Commit makes the block durable together with index rows, which it sorts, and the latest state for readers. After an error the
// block is discarded.
func (b *Staged) Commit(height uint64, index ...schema.Change) error {
	s := b.base.store
	s.committing.Lock()
	defer s.committing.Unlock()
	if err := b.write(height, index); err != nil {
		return errors.Join(err, b.Discard())
	}
	b.base.cache.commit(height, b.changes)
	version := s.evict(b.version)
	s.checkpoint(head{height: height, root: version.Root()}, version, len(b.inTree))
	next := &Snapshot{store: s, height: height, version: version, rows: s.db.NewSnapshot(), cache: b.base.cache, refs: 1}
	s.mu.Lock()
	before := s.latest
	s.latest = next
	s.mu.Unlock()
	err := errors.Join(before.Close(), b.base.Close())
	s.sweepPages()
	s.pacer.update(s.db)
	return err
}

// write writes the rows and the head in one synced batch, the index sorted by key, which is the order in which Pebble inserts
// rows fastest. The changes of the state are sorted already. s.committing must be held.
func (b *Staged) write(height uint64, index []schema.Change) error {
	s := b.base.store
	if s.restoring {
		return ErrRestoring
	}
	s.mu.Lock()
	latest := s.latest
	s.mu.Unlock()
	if latest != b.base || height <= latest.height {
		return fmt.Errorf("%w: height %d, staged on %d, the last is %d", ErrStale, height, b.base.height, latest.height)
	}
	if err := checkIndex(index); err != nil {
		return err
	}
	slices.SortFunc(index, func(a, b schema.Change) int { return bytes.Compare(a.Key, b.Key) })
	keyLog := s.keyLog(b, height)
	batch := s.db.NewBatchWithSize(batchSize(b.changes) + batchSize(index) + batchSize(keyLog))
	if err := errors.Join(s.dropKeyLog(batch), addChanges(batch, keyLog), addChanges(batch, b.changes), addChanges(batch, index)); err != nil {
		return errors.Join(err, batch.Close())
	}
	h := head{height: height, root: b.Root()}
	if err := batch.Set(headKey(), h.encode(), nil); err != nil {
		return errors.Join(fmt.Errorf("write the head: %w", err), batch.Close())
	}
	if err := batch.Commit(pebble.Sync); err != nil {
		return errors.Join(fmt.Errorf("commit height %d: %w", height, err), batch.Close())
	}
	return batch.Close()
}

func addChanges(batch *pebble.Batch, changes []schema.Change) error {
	for _, c := range changes {
		var err error
		if c.Value == nil {
			err = batch.Delete(c.Key, nil)
		} else {
			err = batch.Set(c.Key, c.Value, nil)
		}
		if err != nil {
			return fmt.Errorf("write row %x: %w", c.Key, err)
		}
	}
	return nil
}

// checkIndex refuses index rows with a key of the state.
func checkIndex(index []schema.Change) error {
	for _, c := range index {
		if len(c.Key) == 0 || c.Key[0] < FirstIndexPrefix {
			return fmt.Errorf("%w: index key %x", ErrPrefix, c.Key)
		}
	}
	return nil
}

// batchSize returns the size of a batch, which is allocated once.
func batchSize(changes []schema.Change) int {
	const (
		batchHead = 12 // sequence number and count
		rowHead   = 1 + 3 + 3
	)
	size := batchHead + rowHead + headSize + 1
	for _, c := range changes {
		size += rowHead + len(c.Key) + len(c.Value)
	}
	return size
}

// treeChanges returns the changes without those of derived rows. It refuses keys outside the state.
func treeChanges(changes []schema.Change) ([]schema.Change, error) {
	derived := 0
	for _, c := range changes {
		switch {
		case len(c.Key) == 0:
			return nil, fmt.Errorf("%w: empty key", ErrPrefix)
		case schema.Prefix(c.Key[0]).Merkleized():
		case isDerived(c.Key):
			derived++
		default:
			return nil, fmt.Errorf("%w: key %x", ErrPrefix, c.Key)
		}
	}
	if derived == 0 {
		return changes, nil
	}
	kept := make([]schema.Change, 0, len(changes)-derived)
	for _, c := range changes {
		if !isDerived(c.Key) {
			kept = append(kept, c)
		}
	}
	return kept, nil
}

func isDerived(key []byte) bool {
	p := schema.Prefix(key[0])
	return p == schema.PrefixAge || p == schema.PrefixMergeRequestPair
}
