package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"makechain/internal/index"
	"makechain/internal/merkle"
	"makechain/internal/schema"
	"makechain/internal/statesync"
)

// Errors of a restoration.
var (
	// ErrNotEmpty is returned by Restore when the store has a state.
	ErrNotEmpty = errors.New("store is not empty")
	// ErrRestoring is returned by Restore and Commit while a restoration is in progress.
	ErrRestoring = errors.New("store is being restored")
)

// restoreBatchBytes is the size at which a restoration writes its batch.
const restoreBatchBytes = 4 << 20

// restoredHeightSize is the size of the value at restoredHeightKey.
const restoredHeightSize = 8

// restoringKey marks a store with an unfinished restoration. Opening such a store deletes its rows.
func restoringKey() []byte { return []byte{headPrefix, 1} }

// restoredHeightKey is the key of the height of the snapshot from which the store was restored. It is absent from a store
// that executed every block since genesis.
func restoredHeightKey() []byte { return []byte{headPrefix, 2} }

// RestoredHeight returns the height of the snapshot from which the store was restored, 0 when every block since genesis
// was committed here.
func (s *Store) RestoredHeight() (uint64, error) {
	value, closer, err := s.db.Get(restoredHeightKey())
	if errors.Is(err, pebble.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the restored height: %w", err)
	}
	if len(value) != restoredHeightSize {
		return 0, errors.Join(fmt.Errorf("%w: the restored height has %d bytes", ErrCorrupt, len(value)), closer.Close())
	}
	return binary.BigEndian.Uint64(value), closer.Close()
}

// Restoration fills an empty store with the rows of a snapshot. Readers see the empty store until Finish, also after a
// crash. It is for one goroutine, and must be ended by Finish or Abort.
type Restoration struct {
	store *Store
	batch *pebble.Batch
}

// Restore starts to fill the store. It returns ErrNotEmpty when the store has a state.
func (s *Store) Restore() (*Restoration, error) {
	s.committing.Lock()
	defer s.committing.Unlock()
	latest := s.Snapshot()
	height := latest.Height()
	if err := latest.Close(); err != nil {
		return nil, err
	}
	switch {
	case s.restoring:
		return nil, ErrRestoring
	case height != 0:
		return nil, fmt.Errorf("%w: it has the state of height %d", ErrNotEmpty, height)
	}
	if err := s.db.Set(restoringKey(), nil, pebble.Sync); err != nil {
		return nil, fmt.Errorf("start a restoration: %w", err)
	}
	s.restoring = true
	return &Restoration{store: s, batch: s.db.NewBatch()}, nil
}

// Add adds a row of the state tree or a derived row, in any order.
func (r *Restoration) Add(row schema.Change) error {
	if _, err := treeChanges([]schema.Change{row}); err != nil {
		return err
	}
	return r.write(row)
}

// buildIndexFunc emits the index rows of a state.
type buildIndexFunc = func(state index.View, emit func(schema.Change) error) error

// Finish makes the rows that were added the state at a height: durable together with the index rows that buildIndex emits,
// and the latest state for readers. It returns statesync.ErrRoot when the rows have a different root. After an error the
// store is empty.
func (r *Restoration) Finish(height uint64, root merkle.Hash, buildIndex buildIndexFunc) error {
	h := head{height: height, root: root}
	version, err := r.build(h)
	if err != nil {
		return errors.Join(err, r.Abort())
	}
	if err := r.commit(h, version, buildIndex); err != nil {
		version.Release()
		return errors.Join(err, r.Abort())
	}
	return r.publish(h, version)
}

// build builds the tree of the rows that were added.
func (r *Restoration) build(h head) (*merkle.Version, error) {
	if h.height == 0 {
		return nil, fmt.Errorf("%w: a restored state cannot have height 0", ErrStale)
	}
	if err := r.flush(); err != nil {
		return nil, err
	}
	version, err := r.store.tree.Build(r.store.scanRows(r.store.db))
	if err != nil {
		return nil, err
	}
	if version.Root() != h.root {
		defer version.Release()
		return nil, fmt.Errorf("%w: the %d rows of height %d have root %x, want %x", statesync.ErrRoot, version.Len(), h.height, version.Root(), h.root)
	}
	return version, nil
}

// commit writes the index rows, and then replaces the mark of the restoration by the head in one synced batch.
func (r *Restoration) commit(h head, version *merkle.Version, buildIndex buildIndexFunc) error {
	state := r.store.firstSnapshot(h, version, r.store.db.NewSnapshot())
	err := buildIndex(state, func(row schema.Change) error {
		if err := checkIndex([]schema.Change{row}); err != nil {
			return err
		}
		return r.write(row)
	})
	if err = errors.Join(err, state.rows.Close()); err != nil {
		return err
	}
	err = errors.Join(
		r.batch.Set(headKey(), h.encode(), nil),
		r.batch.Set(restoredHeightKey(), binary.BigEndian.AppendUint64(nil, h.height), nil),
		r.batch.Delete(restoringKey(), nil),
	)
	if err == nil {
		err = r.batch.Commit(pebble.Sync)
	}
	if err != nil {
		return fmt.Errorf("write the head of height %d: %w", h.height, err)
	}
	return nil
}

// publish makes the restored state the latest state for readers.
func (r *Restoration) publish(h head, version *merkle.Version) error {
	s := r.store
	s.committing.Lock()
	defer s.committing.Unlock()
	s.restoring = false
	s.mu.Lock()
	before := s.latest
	s.latest = s.firstSnapshot(h, version, s.db.NewSnapshot())
	s.mu.Unlock()
	return errors.Join(r.batch.Close(), before.Close())
}

// Abort deletes the rows that were added.
func (r *Restoration) Abort() error {
	s := r.store
	s.committing.Lock()
	defer s.committing.Unlock()
	if err := errors.Join(r.batch.Close(), s.clear()); err != nil {
		return fmt.Errorf("abort a restoration: %w", err)
	}
	s.restoring = false
	return nil
}

// write adds a row to the batch. Batches are not synced: after a crash, Open deletes the rows of the marked store.
func (r *Restoration) write(row schema.Change) error {
	if err := addChanges(r.batch, []schema.Change{row}); err != nil {
		return err
	}
	if r.batch.Len() < restoreBatchBytes {
		return nil
	}
	return r.flush()
}

func (r *Restoration) flush() error {
	err := errors.Join(r.batch.Commit(pebble.NoSync), r.batch.Close())
	r.batch = r.store.db.NewBatch()
	if err != nil {
		return fmt.Errorf("write rows: %w", err)
	}
	return nil
}

// clear deletes all rows and the mark of the restoration.
func (s *Store) clear() error {
	iter, err := s.db.NewIter(&pebble.IterOptions{LowerBound: firstRow()})
	if err != nil {
		return fmt.Errorf("read the last row: %w", err)
	}
	var end []byte
	if iter.Last() {
		end = append(bytes.Clone(iter.Key()), 0)
	}
	if err := iter.Close(); err != nil {
		return fmt.Errorf("read the last row: %w", err)
	}
	batch := s.db.NewBatch()
	if end != nil {
		err = batch.DeleteRange(firstRow(), end, nil)
	}
	if err = errors.Join(err, batch.Delete(restoringKey(), nil)); err == nil {
		err = batch.Commit(pebble.Sync)
	}
	return errors.Join(err, batch.Close())
}

// clearUnfinished deletes the rows of an unfinished restoration.
func (s *Store) clearUnfinished() error {
	_, closer, err := s.db.Get(restoringKey())
	if errors.Is(err, pebble.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the mark of a restoration: %w", err)
	}
	return errors.Join(closer.Close(), s.clear())
}
