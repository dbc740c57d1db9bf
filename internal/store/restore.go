package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"makechain/internal/merkle"
	"makechain/internal/schema"
)

// Errors of a restoration.
var (
	// ErrNotEmpty says that a store has a state already.
	ErrNotEmpty = errors.New("store is not empty")
	// ErrRestoring says that the store is being filled and takes no blocks meanwhile.
	ErrRestoring = errors.New("store is being restored")
	// ErrRoot says that the rows that were added do not give the root they should.
	ErrRoot = errors.New("rows give another root")
)

// restoreBatchBytes bounds what a restoration holds in memory before it writes.
const restoreBatchBytes = 4 << 20

// originSize is that of a height.
const originSize = 8

// restoringKey marks a store whose rows belong to no state yet. Opening such a store empties it.
func restoringKey() []byte { return []byte{headPrefix, 1} }

// originKey holds the height at which the state was taken over from elsewhere. It is absent from a store that has seen
// every block since genesis.
func originKey() []byte { return []byte{headPrefix, 2} }

// Origin is the height at which the state was taken over from elsewhere, 0 when every block since genesis was committed
// here.
func (s *Store) RestoredHeight() (uint64, error) {
	value, closer, err := s.db.Get(originKey())
	if errors.Is(err, pebble.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the origin: %w", err)
	}
	if len(value) != originSize {
		return 0, errors.Join(fmt.Errorf("%w: the origin has %d bytes", ErrCorrupt, len(value)), closer.Close())
	}
	return binary.BigEndian.Uint64(value), closer.Close()
}

// Restoration fills an empty store with the rows of a state that was worked out elsewhere. Readers see the empty store
// until Finish, and so does whoever opens the store after a crash. It is for one goroutine, and ends by Finish or Abort.
type Restoration struct {
	store *Store
	batch *pebble.Batch
}

// Restore begins to fill a store that has no state, and refuses any other with ErrNotEmpty.
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
		return nil, fmt.Errorf("%w: it is at height %d", ErrNotEmpty, height)
	}
	if err := s.db.Set(restoringKey(), nil, pebble.Sync); err != nil {
		return nil, fmt.Errorf("mark the store: %w", err)
	}
	s.restoring = true
	return &Restoration{store: s, batch: s.db.NewBatch()}, nil
}

// Add adds a row of the state tree or a derived one, in any order.
func (r *Restoration) Add(row schema.Change) error {
	if _, err := treeChanges([]schema.Change{row}); err != nil {
		return err
	}
	return r.write(row)
}

// Index emits the index rows that follow from a state.
type Index func(state *Snapshot, emit func(schema.Change) error) error

// Finish makes what was added the state at a height, durable and the latest, with the rows of an index. Rows that do
// not give the root are refused with ErrRoot. After any error the store is as empty as before.
func (r *Restoration) Finish(height uint64, root merkle.Hash, index Index) error {
	h := head{height: height, root: root}
	version, err := r.build(h)
	if err != nil {
		return errors.Join(err, r.Abort())
	}
	if err := r.commit(h, version, index); err != nil {
		version.Release()
		return errors.Join(err, r.Abort())
	}
	return r.publish(h, version)
}

// build makes the tree of all that was added.
func (r *Restoration) build(h head) (*merkle.Version, error) {
	if h.height == 0 {
		return nil, fmt.Errorf("%w: the state of genesis is empty", ErrStale)
	}
	if err := r.flush(); err != nil {
		return nil, err
	}
	version, err := r.store.tree.Build(func(visit func(key, value []byte) error) error { return scanTree(r.store.db, visit) })
	if err != nil {
		return nil, err
	}
	if version.Root() != h.root {
		defer version.Release()
		return nil, fmt.Errorf("%w: the %d rows of height %d give %x, want %x", ErrRoot, version.Len(), h.height, version.Root(), h.root)
	}
	return version, nil
}

// commit adds the index, and then the head and the origin in place of the mark, in one synced batch behind all others.
func (r *Restoration) commit(h head, version *merkle.Version, index Index) error {
	if err := r.addIndex(h, version, index); err != nil {
		return err
	}
	err := errors.Join(
		r.batch.Set(headKey(), h.encode(), nil),
		r.batch.Set(originKey(), binary.BigEndian.AppendUint64(nil, h.height), nil),
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

// publish makes what is durable now the latest state.
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

func (r *Restoration) addIndex(h head, version *merkle.Version, index Index) error {
	state := r.store.firstSnapshot(h, version, r.store.db.NewSnapshot())
	err := index(state, func(row schema.Change) error {
		if err := checkIndex([]schema.Change{row}); err != nil {
			return err
		}
		return r.write(row)
	})
	return errors.Join(err, state.rows.Close())
}

// Abort gives up, and leaves the store as empty as it was.
func (r *Restoration) Abort() error {
	s := r.store
	s.committing.Lock()
	defer s.committing.Unlock()
	if err := errors.Join(r.batch.Close(), s.clear()); err != nil {
		return fmt.Errorf("give up a restoration: %w", err)
	}
	s.restoring = false
	return nil
}

// write adds a row to the batch. Batches are not synced: what a crash loses of them it loses with the mark in place.
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

// clear deletes all rows and the mark.
func (s *Store) clear() error {
	iter, err := s.db.NewIter(&pebble.IterOptions{LowerBound: firstRow()})
	if err != nil {
		return fmt.Errorf("look for rows: %w", err)
	}
	var end []byte
	if iter.Last() {
		end = append(bytes.Clone(iter.Key()), 0)
	}
	if err := iter.Close(); err != nil {
		return fmt.Errorf("look for rows: %w", err)
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

// clearUnfinished empties a store whose restoration did not come to an end.
func (s *Store) clearUnfinished() error {
	_, closer, err := s.db.Get(restoringKey())
	if errors.Is(err, pebble.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for a restoration: %w", err)
	}
	return errors.Join(closer.Close(), s.clear())
}
