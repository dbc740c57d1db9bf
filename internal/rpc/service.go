// Package rpc implements MakechainService: it reads committed state, submits messages to the mempool and streams committed
// messages and blocks.
//
// A response is read from one snapshot, so all its fields are of one block (P10.6). An invalid request is answered with
// the field and the bound it violates. The package has no rules about messages; it returns the refusals of the mempool.
package rpc

import (
	"context"
	"log/slog"
	"net/netip"
	"sync/atomic"
	"time"

	pb "makechain/gen/makechain"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/consensus"
	"makechain/internal/feed"
	"makechain/internal/genesis"
	"makechain/internal/mempool"
	"makechain/proof"
)

// Snapshot is the committed state after one block, with its indexes. It must be closed.
type Snapshot interface {
	proof.Source

	Height() uint64
	Len() int // rows of the state tree
	Close() error
}

// Chain is the consensus engine with its block store. A block that is not stored is nil without an error.
type Chain interface {
	Block(height uint64) (*pb.GetBlockResponse, error)
	Transactions(height uint64) ([][]byte, error)
	LightBlock(height uint64) ([]byte, error)
	InclusionProof(height uint64, index uint32) (proof, root []byte, err error)
	Base() uint64 // the lowest block that is stored
	Height() uint64
	Status() consensus.Status
}

// StateSnapshots are the snapshots that peers can use for state sync.
type StateSnapshots interface {
	// Newest returns the newest snapshot, nil when there is none.
	Newest() *pb.GetSnapshotInfoResponse
}

// Deps are the dependencies of the service.
type Deps struct {
	Genesis *genesis.Genesis
	// Latest returns the state after the latest block.
	Latest func() Snapshot
	// RestoredHeight returns the height of the snapshot that the state was restored from, 0 when the node executed all
	// blocks.
	RestoredHeight func() (uint64, error)
	Chain          Chain
	Pool           *mempool.Pool
	Feed           *feed.Feed
	Snapshots      StateSnapshots
	Now            func() time.Time
	Version        string
	// MaxWait is the longest time that SubmitMessage waits for a commit.
	MaxWait time.Duration
	// Stalled reports whether no block is produced although messages are pending.
	Stalled func() bool
	// Reserve reserves memory for a block that is read for a stream, and waits until it is available. Nil means no limit.
	Reserve func(context.Context) error
	// Client returns the address of the client of a call. Nil means that all clients count as one.
	Client func(context.Context) netip.Addr
	Log    *slog.Logger
}

// Service implements MakechainService.
type Service struct {
	Deps

	started time.Time
	newest  atomic.Pointer[certificate] // of the latest root; nil until it is first needed
	pins    pins
}

var _ makechainpbconnect.MakechainServiceHandler = (*Service)(nil)

// NewService returns a service.
func NewService(deps Deps) *Service {
	if deps.Reserve == nil {
		deps.Reserve = func(context.Context) error { return nil }
	}
	if deps.Client == nil {
		deps.Client = func(context.Context) netip.Addr { return netip.Addr{} }
	}
	return &Service{Deps: deps, started: deps.Now()}
}
