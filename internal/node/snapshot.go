package node

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"

	pb "makechain/gen/makechain"
	"makechain/internal/abci"
	"makechain/internal/index"
	"makechain/internal/schema"
	"makechain/internal/snapshot"
	"makechain/internal/store"
)

// openSnapshots opens the copies of the state that peers begin with.
func (n *Node) openSnapshots() (err error) {
	n.snapshots, err = snapshot.Open(filepath.Join(n.config.Home, snapshotDir), snapshot.DefaultKeep, n.config.Log)
	if err != nil {
		return err
	}
	n.restorer = newRestorer(n.store)
	return nil
}

// newRestorer makes a restorer of a store that has no state.
func newRestorer(state *store.Store) *snapshot.Restorer {
	return snapshot.NewRestorer(func() (snapshot.Target, error) {
		target, err := state.Restore()
		if err != nil {
			return nil, err
		}
		return restoration{target}, nil
	})
}

// closeSnapshots ends what is being taken or restored, which needs the store.
func (n *Node) closeSnapshots() error {
	if n.snapshots == nil {
		return nil
	}
	n.snapshots.Close()
	return n.restorer.Close()
}

// snapshots are copies of the state as the application and the service see them.
type snapshots struct {
	*snapshot.Directory

	every uint64 // blocks
}

func (s snapshots) Take(state abci.Snapshot) { s.TakeIfDue(state, s.every) }

func (s snapshots) List() []abci.StateSnapshot {
	var list []abci.StateSnapshot
	for _, copied := range s.Directory.List() {
		hash := copied.Hash()
		list = append(list, abci.StateSnapshot{
			Height: copied.Height, Format: snapshot.Format, Chunks: uint32(len(copied.Chunks)), Hash: hash[:], Metadata: copied.Encode(),
		})
	}
	return list
}

func (s snapshots) Chunk(height uint64, format, part uint32) ([]byte, error) {
	chunk, err := s.Directory.Chunk(height, format, part)
	if errors.Is(err, snapshot.ErrNotFound) {
		return nil, nil
	}
	return chunk, err
}

func (s snapshots) Newest() *pb.GetSnapshotInfoResponse {
	newest, found := s.Directory.Newest()
	if !found {
		return nil
	}
	return &pb.GetSnapshotInfoResponse{
		BlockNumber: newest.Height, StateRoot: newest.Root[:],
		EntryCount: uint32(min(newest.Rows, math.MaxUint32)), EstimatedSizeBytes: newest.Size,
	}
}

// restorer makes a copy of the state that peers handed out the state of this node.
type restorer struct {
	*snapshot.Restorer
}

func (r restorer) Begin(offered abci.StateSnapshot, root [32]byte) error {
	return inSnapshotWords(r.Restorer.Begin(snapshot.Offer{
		Height: offered.Height, Format: offered.Format, Chunks: offered.Chunks, Hash: offered.Hash, Manifest: offered.Metadata,
	}, root))
}

func (r restorer) Apply(part uint32, chunk []byte) error {
	_, err := r.Restorer.Apply(part, chunk)
	return inSnapshotWords(err)
}

// inSnapshotWords says in the application's words what is wrong with a copy.
func inSnapshotWords(err error) error {
	for _, words := range []struct{ theirs, ours error }{
		{snapshot.ErrFormat, abci.ErrSnapshotFormat},
		{snapshot.ErrOffer, abci.ErrSnapshotOffer},
		{snapshot.ErrChunk, abci.ErrSnapshotChunk},
		{snapshot.ErrRows, abci.ErrSnapshotContent},
		{snapshot.ErrRoot, abci.ErrSnapshotContent},
	} {
		if errors.Is(err, words.theirs) {
			return fmt.Errorf("%w: %w", words.ours, err)
		}
	}
	return err
}

// restoration is a store that is being filled, with the indexes that follow from its state.
type restoration struct {
	*store.Restoration
}

func (r restoration) Finish(height uint64, root [32]byte, messages uint64) error {
	err := r.Restoration.Finish(height, root, func(state *store.Snapshot, emit func(schema.Change) error) error {
		return index.FromState(state, messages, emit)
	})
	if errors.Is(err, store.ErrRoot) {
		return fmt.Errorf("%w: %w", snapshot.ErrRoot, err)
	}
	return err
}
