package abci

import (
	"context"
	"errors"
	"fmt"

	abci "github.com/cometbft/cometbft/abci/types"

	"makechain/internal/ident"
)

// StateSnapshot is a copy of the state after one block, in chunks, as peers offer it to one another.
type StateSnapshot struct {
	Height   uint64
	Format   uint32
	Chunks   uint32
	Hash     []byte // names the copy
	Metadata []byte // what its chunks are checked against
}

// Snapshots are the copies of the state that this node can hand out.
type Snapshots interface {
	// Take makes a copy without letting the caller wait, unless it leaves that to a later block, and closes the state when
	// it is done with it.
	Take(state Snapshot)
	// List gives the copies at hand, the newest first.
	List() []StateSnapshot
	// Chunk gives a part of a copy, nil when it is not at hand.
	Chunk(height uint64, format, index uint32) ([]byte, error)
}

// Restorer makes a copy that peers handed out the state of this node, which has none yet. Any error but those below
// means that the node could not do its part.
type Restorer interface {
	// Begin takes an offer up. The state must come to have the root, which the validators signed.
	Begin(offered StateSnapshot, root [32]byte) error
	// Apply takes the next chunk. With the last one the state is there.
	Apply(index uint32, chunk []byte) error
}

// What can be wrong with a copy.
var (
	// ErrSnapshotFormat says that copies of that format cannot be read.
	ErrSnapshotFormat = errors.New("unknown format of a snapshot")
	// ErrSnapshotOffer says that the offer contradicts itself, so whoever made it is not to be trusted.
	ErrSnapshotOffer = errors.New("offer of a snapshot contradicts itself")
	// ErrSnapshotContent says that the copy is not the state of the chain.
	ErrSnapshotContent = errors.New("snapshot is not the state of the chain")
	// ErrSnapshotChunk says that a chunk is not the one the copy consists of. The right one can still be applied.
	ErrSnapshotChunk = errors.New("chunk is not one of the snapshot")
)

// takeSnapshot has the state copied every so many blocks.
func (a *App) takeSnapshot(height uint64) {
	if a.Snapshots == nil || a.SnapshotEvery == 0 || height%a.SnapshotEvery != 0 {
		return
	}
	a.Snapshots.Take(a.State.Snapshot())
}

// ListSnapshots tells a peer what it can begin with.
func (a *App) ListSnapshots(context.Context, *abci.RequestListSnapshots) (*abci.ResponseListSnapshots, error) {
	answer := &abci.ResponseListSnapshots{}
	if a.Snapshots == nil {
		return answer, nil
	}
	for _, s := range a.Snapshots.List() {
		answer.Snapshots = append(answer.Snapshots, &abci.Snapshot{
			Height: s.Height, Format: s.Format, Chunks: s.Chunks, Hash: s.Hash, Metadata: s.Metadata,
		})
	}
	return answer, nil
}

// LoadSnapshotChunk gives a peer a chunk, or none. A chunk that cannot be read is the operator's business: the peer
// asks somebody else.
func (a *App) LoadSnapshotChunk(_ context.Context, req *abci.RequestLoadSnapshotChunk) (*abci.ResponseLoadSnapshotChunk, error) {
	answer := &abci.ResponseLoadSnapshotChunk{}
	if a.Snapshots == nil {
		return answer, nil
	}
	chunk, err := a.Snapshots.Chunk(req.Height, req.Format, req.Chunk)
	if err != nil {
		a.Log.Error("cannot read a chunk of a snapshot", "height", req.Height, "chunk", req.Chunk, "error", err)
		return answer, nil
	}
	answer.Chunk = chunk
	return answer, nil
}

// OfferSnapshot takes up the offer of peers, whose root CometBFT's light client has verified.
func (a *App) OfferSnapshot(_ context.Context, req *abci.RequestOfferSnapshot) (*abci.ResponseOfferSnapshot, error) {
	root, ok := ident.HashFrom(req.AppHash)
	switch {
	case a.Restorer == nil:
		return &abci.ResponseOfferSnapshot{Result: abci.ResponseOfferSnapshot_ABORT}, nil
	case !ok:
		return nil, fmt.Errorf("abci: the verified root has %d bytes", len(req.AppHash))
	case req.Snapshot == nil:
		return &abci.ResponseOfferSnapshot{Result: abci.ResponseOfferSnapshot_REJECT}, nil
	}
	err := a.Restorer.Begin(StateSnapshot{
		Height: req.Snapshot.Height, Format: req.Snapshot.Format, Chunks: req.Snapshot.Chunks,
		Hash: req.Snapshot.Hash, Metadata: req.Snapshot.Metadata,
	}, root)
	result, known := offerResult(err)
	if !known {
		return nil, fmt.Errorf("abci: begin with a snapshot: %w", err)
	}
	if err != nil {
		a.Log.Warn("refused the offer of a snapshot", "height", req.Snapshot.Height, "reason", err)
	}
	return &abci.ResponseOfferSnapshot{Result: result}, nil
}

// offerResult says in CometBFT's words what became of an offer, unless the error is no fault of the offer.
func offerResult(err error) (result abci.ResponseOfferSnapshot_Result, known bool) {
	switch {
	case err == nil:
		return abci.ResponseOfferSnapshot_ACCEPT, true
	case errors.Is(err, ErrSnapshotFormat):
		return abci.ResponseOfferSnapshot_REJECT_FORMAT, true
	case errors.Is(err, ErrSnapshotOffer):
		return abci.ResponseOfferSnapshot_REJECT_SENDER, true
	case errors.Is(err, ErrSnapshotContent):
		return abci.ResponseOfferSnapshot_REJECT, true
	default:
		return abci.ResponseOfferSnapshot_UNKNOWN, false
	}
}

// ApplySnapshotChunk takes a chunk. A bad one is asked for again, and not of the peer that sent it.
func (a *App) ApplySnapshotChunk(_ context.Context, req *abci.RequestApplySnapshotChunk) (*abci.ResponseApplySnapshotChunk, error) {
	if a.Restorer == nil {
		return &abci.ResponseApplySnapshotChunk{Result: abci.ResponseApplySnapshotChunk_ABORT}, nil
	}
	answer := &abci.ResponseApplySnapshotChunk{Result: abci.ResponseApplySnapshotChunk_ACCEPT}
	err := a.Restorer.Apply(req.Index, req.Chunk)
	switch {
	case err == nil:
		return answer, nil
	case errors.Is(err, ErrSnapshotChunk):
		answer.Result = abci.ResponseApplySnapshotChunk_RETRY
		answer.RefetchChunks = []uint32{req.Index}
		if req.Sender != "" {
			answer.RejectSenders = []string{req.Sender}
		}
	case errors.Is(err, ErrSnapshotContent):
		answer.Result = abci.ResponseApplySnapshotChunk_REJECT_SNAPSHOT
	default:
		return nil, fmt.Errorf("abci: apply a chunk: %w", err)
	}
	a.Log.Warn("refused a chunk of a snapshot", "chunk", req.Index, "sender", req.Sender, "reason", err)
	return answer, nil
}
