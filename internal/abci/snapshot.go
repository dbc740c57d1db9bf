package abci

import (
	"context"
	"errors"
	"fmt"

	abci "github.com/cometbft/cometbft/abci/types"

	"makechain/internal/ident"
	"makechain/internal/statesync"
)

// Snapshots are the snapshots that this node serves to peers.
type Snapshots interface {
	// Offers returns the snapshots, newest first.
	Offers() []statesync.Offer
	// Chunk returns a chunk of a snapshot, or statesync.ErrNotFound.
	Chunk(height uint64, format, index uint32) ([]byte, error)
}

// Restorer restores the state of this node, which must be empty, from a snapshot. It returns the errors of
// internal/statesync when a snapshot is refused; any other error means that this node failed.
type Restorer interface {
	// Begin starts a restoration. The restored state must have the root, which the validators signed.
	Begin(offer statesync.Offer, root [32]byte) error
	// Apply applies the next chunk and reports whether the state is restored.
	Apply(index uint32, chunk []byte) (done bool, err error)
}

// ListSnapshots returns the snapshots that a peer can start with.
func (a *App) ListSnapshots(context.Context, *abci.RequestListSnapshots) (*abci.ResponseListSnapshots, error) {
	answer := &abci.ResponseListSnapshots{}
	if a.Snapshots == nil {
		return answer, nil
	}
	for _, o := range a.Snapshots.Offers() {
		answer.Snapshots = append(answer.Snapshots, &abci.Snapshot{
			Height: o.Height, Format: o.Format, Chunks: o.Chunks, Hash: o.Hash, Metadata: o.Manifest,
		})
	}
	return answer, nil
}

// LoadSnapshotChunk returns a chunk for a peer, empty when this node does not have it. A chunk that cannot be read is
// logged for the operator; the peer fetches it from another node.
func (a *App) LoadSnapshotChunk(_ context.Context, req *abci.RequestLoadSnapshotChunk) (*abci.ResponseLoadSnapshotChunk, error) {
	answer := &abci.ResponseLoadSnapshotChunk{}
	if a.Snapshots == nil {
		return answer, nil
	}
	chunk, err := a.Snapshots.Chunk(req.Height, req.Format, req.Chunk)
	if err != nil && !errors.Is(err, statesync.ErrNotFound) {
		a.Log.Error("cannot read a snapshot chunk", "height", req.Height, "chunk", req.Chunk, "error", err)
	}
	answer.Chunk = chunk // nil after an error
	return answer, nil
}

// OfferSnapshot starts to restore a snapshot that peers offer. CometBFT's light client has verified the root.
func (a *App) OfferSnapshot(_ context.Context, req *abci.RequestOfferSnapshot) (*abci.ResponseOfferSnapshot, error) {
	root, ok := ident.HashFrom(req.AppHash)
	switch {
	case a.Restorer == nil:
		return &abci.ResponseOfferSnapshot{Result: abci.ResponseOfferSnapshot_ABORT}, nil
	case !ok:
		return nil, fmt.Errorf("abci: the verified root has %d bytes, want 32", len(req.AppHash))
	case req.Snapshot == nil:
		return &abci.ResponseOfferSnapshot{Result: abci.ResponseOfferSnapshot_REJECT}, nil
	}
	err := a.Restorer.Begin(statesync.Offer{
		Height: req.Snapshot.Height, Format: req.Snapshot.Format, Chunks: req.Snapshot.Chunks,
		Hash: req.Snapshot.Hash, Manifest: req.Snapshot.Metadata,
	}, root)
	answer := &abci.ResponseOfferSnapshot{Result: abci.ResponseOfferSnapshot_ACCEPT}
	switch {
	case err == nil:
		return answer, nil
	case errors.Is(err, statesync.ErrFormat):
		answer.Result = abci.ResponseOfferSnapshot_REJECT_FORMAT
	case errors.Is(err, statesync.ErrOffer):
		answer.Result = abci.ResponseOfferSnapshot_REJECT_SENDER
	case errors.Is(err, statesync.ErrRoot):
		answer.Result = abci.ResponseOfferSnapshot_REJECT
	default:
		return nil, fmt.Errorf("abci: restore a snapshot: %w", err)
	}
	a.Log.Warn("rejected a snapshot", "height", req.Snapshot.Height, "reason", err)
	return answer, nil
}

// ApplySnapshotChunk applies a chunk. CometBFT fetches an invalid one again, from a different peer.
func (a *App) ApplySnapshotChunk(_ context.Context, req *abci.RequestApplySnapshotChunk) (*abci.ResponseApplySnapshotChunk, error) {
	if a.Restorer == nil {
		return &abci.ResponseApplySnapshotChunk{Result: abci.ResponseApplySnapshotChunk_ABORT}, nil
	}
	answer := &abci.ResponseApplySnapshotChunk{Result: abci.ResponseApplySnapshotChunk_ACCEPT}
	_, err := a.Restorer.Apply(req.Index, req.Chunk)
	switch {
	case err == nil:
		return answer, nil
	case errors.Is(err, statesync.ErrChunk):
		answer.Result = abci.ResponseApplySnapshotChunk_RETRY
		answer.RefetchChunks = []uint32{req.Index}
		if req.Sender != "" {
			answer.RejectSenders = []string{req.Sender}
		}
	case errors.Is(err, statesync.ErrRows), errors.Is(err, statesync.ErrRoot):
		answer.Result = abci.ResponseApplySnapshotChunk_REJECT_SNAPSHOT
	default:
		return nil, fmt.Errorf("abci: apply snapshot chunk %d: %w", req.Index, err)
	}
	a.Log.Warn("rejected a snapshot chunk", "chunk", req.Index, "sender", req.Sender, "reason", err)
	return answer, nil
}
