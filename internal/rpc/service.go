// Package rpc serves MakechainService: it reads committed state, hands messages to the mempool and streams what
// commits.
//
// An answer comes from one snapshot, so all its fields are of one block (P10.6), and says what was wrong with a
// question: which field, what bound. It decides nothing about messages; refusals are passed on as they are.
package rpc

import (
	"context"
	"time"

	pb "makechain/gen/makechain"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/genesis"
	"makechain/internal/ident"
	"makechain/message"
	"makechain/proof"
)

// Snapshot is the committed state after one block, with its indexes. It must be closed.
type Snapshot interface {
	proof.Source

	Height() uint64
	Len() int // rows of the state tree
	Close() error
}

// Chain is the consensus engine's record of blocks. A block that is not there is nil without an error.
type Chain interface {
	Block(height uint64) (*pb.GetBlockResponse, error)
	Transactions(height uint64) ([][]byte, error)
	LightBlock(height uint64) ([]byte, error)
	InclusionProof(height uint64, index uint32) (proof, root []byte, err error)
	Base() uint64 // the lowest block kept
	Height() uint64
	Status() ChainStatus
}

// ChainStatus is how the node takes part in the chain.
type ChainStatus struct {
	ChainID      string
	CatchingUp   bool
	Behind       uint64 // blocks that others have decided and this node has not
	Peers        int
	ValidatorKey []byte
	FromSnapshot bool // the state came from a peer, not from executing every block
}

// Pool is what is pending. Errors are failures of the node, refusals are verdicts.
type Pool interface {
	SubmitBatch(ctx context.Context, messages []*message.Envelope) ([]*message.Refusal, error)
	DryRun(ctx context.Context, m *message.Envelope) (*message.Refusal, error)
	// Status tells the fate of a message; Wait returns when it is no longer pending or ctx ends.
	Status(hash ident.Hash) (*pb.GetMessageStatusResponse, error)
	Wait(ctx context.Context, hash ident.Hash) (*pb.GetMessageStatusResponse, error)
	Info() *pb.GetMempoolInfoResponse
	Len() int
}

// Feed streams what commits until ctx ends or send fails. Each method calls begun once, when nothing that commits
// from then on can be missed. A position that cannot be streamed from is a *PositionError.
type Feed interface {
	Messages(ctx context.Context, req *pb.SubscribeRequest, begun func() error, send func(*pb.Message) error) error
	// Blocks sends heights from one on, or those that commit from now on when it is nil.
	Blocks(ctx context.Context, from *uint64, begun func() error, send func(height uint64) error) error
}

// StateSnapshots tells of the newest snapshot of the state that peers can sync from; nil when there is none.
type StateSnapshots interface {
	Newest() *pb.GetSnapshotInfoResponse
}

// Deps are what the service works with.
type Deps struct {
	Genesis   *genesis.Genesis
	Latest    func() Snapshot
	Chain     Chain
	Pool      Pool
	Feed      Feed
	Snapshots StateSnapshots
	Now       func() time.Time
	Version   string
	// MaxWait bounds how long SubmitMessage waits for a fate.
	MaxWait time.Duration
}

// Service implements MakechainService.
type Service struct {
	Deps

	started time.Time
}

var _ makechainpbconnect.MakechainServiceHandler = (*Service)(nil)

// NewService makes the service.
func NewService(deps Deps) *Service { return &Service{Deps: deps, started: deps.Now()} }
