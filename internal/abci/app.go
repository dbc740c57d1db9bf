// Package abci is the chain as CometBFT sees it: the only implementer of its application interface.
//
// It decides nothing. It turns transactions into messages, lets the ledger order and apply them, and makes the
// result durable. A block is executed once: what a proposal led to is kept until the block is decided. Nothing
// is written before Commit, which writes a block and its indexes in one batch, so Info always answers with what
// is durable and a crash anywhere else is healed by CometBFT's replay.
package abci

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"sync"

	abci "github.com/cometbft/cometbft/abci/types"

	"makechain/internal/genesis"
	"makechain/internal/ledger"
	"makechain/internal/schema"
	"makechain/internal/validators"
	"makechain/message"
)

// Version is the version of the application that blocks are made for; it changes with the state transition.
const Version = 1

// Snapshot is the state after one block. It must be closed.
type Snapshot interface {
	ledger.View

	Height() uint64
	Root() [32]byte
	Close() error
}

// Staged is a block that is not durable yet. It ends by Commit or Discard.
type Staged interface {
	Root() [32]byte
	Commit(height uint64, index ...schema.Change) error
	Discard() error
}

// State is where blocks become durable.
type State interface {
	Snapshot() Snapshot
	// Stage works out the root that changes of the latest state lead to, and writes nothing.
	Stage(changes []schema.Change) (Staged, error)
}

// Pool is what is pending.
type Pool interface {
	// Lookup is the message of a transaction that was verified and validated earlier, nil for any other.
	Lookup(tx []byte) *message.Envelope
	// Pending says whether a transaction still waits for a block.
	Pending(tx []byte) bool
	// Candidates are the messages to make a block of, the most urgent first.
	Candidates() []*message.Envelope
	// Refuse takes messages out that no longer apply.
	Refuse(refused []ledger.Refused)
}

// Index works out the rows that become durable with a block beside its state.
type Index interface {
	Rows(view ledger.View, block *ledger.Committed) ([]schema.Change, error)
}

// Pruner works out what a node that does not keep all blocks lets go of.
type Pruner interface {
	// Prune gives the rows that go with a block, and the lowest block to keep once they are gone, 0 for all. The view
	// is the one before the block.
	Prune(view ledger.View, height uint64) (rows []schema.Change, lowest uint64, err error)
}

// Observer is told of every block once it is durable, in order.
type Observer interface {
	Committed(block *ledger.Committed)
}

// Config says what an application is made of.
type Config struct {
	Genesis   *genesis.Genesis
	State     State
	Pool      Pool
	Index     Index
	Observers []Observer
	Log       *slog.Logger

	Snapshots     Snapshots // nil when none are handed out
	SnapshotEvery uint64    // blocks between two of them; 0 takes none
	Restorer      Restorer  // nil when the node begins with genesis
	Pruner        Pruner    // nil when all blocks are kept
}

// App implements CometBFT's application interface. CometBFT calls the methods of its consensus connection one
// at a time, and CheckTx beside them.
type App struct {
	abci.BaseApplication

	Config
	ledger     *ledger.Ledger
	validators *validators.Rules
	workers    int

	mu         sync.Mutex // guards what follows
	executions []*execution
	decided    *execution
	waiting    []byte // a change of the validators that no block holds yet
}

// New makes the application of a chain.
func New(config Config) *App {
	return &App{
		Config: config, ledger: ledger.New(config.Genesis.Params()), validators: validators.NewRules(config.Genesis),
		workers: runtime.GOMAXPROCS(0),
	}
}

// Info answers with the last durable block, from which CometBFT replays what it has beyond it.
func (a *App) Info(context.Context, *abci.RequestInfo) (*abci.ResponseInfo, error) {
	snapshot := a.State.Snapshot()
	root := snapshot.Root()
	info := &abci.ResponseInfo{
		Data: "makechain", AppVersion: Version, LastBlockHeight: int64(snapshot.Height()), LastBlockAppHash: root[:],
	}
	return info, snapshot.Close()
}

// InitChain begins the chain. What genesis says of it must be what this application was made for.
func (a *App) InitChain(_ context.Context, req *abci.RequestInitChain) (*abci.ResponseInitChain, error) {
	given, err := genesis.Parse(req.AppStateBytes)
	if err != nil {
		return nil, fmt.Errorf("abci: genesis of chain %s: %w", req.ChainId, err)
	}
	if field := given.Difference(a.Genesis); field != "" {
		return nil, fmt.Errorf("abci: the genesis of chain %s is not the one this node was set up with: its %s differs", req.ChainId, field)
	}
	snapshot := a.State.Snapshot()
	root, height := snapshot.Root(), snapshot.Height()
	if err := snapshot.Close(); err != nil {
		return nil, err
	}
	if height != 0 {
		return nil, fmt.Errorf("abci: the chain begins, but the state is at height %d", height)
	}
	return &abci.ResponseInitChain{AppHash: root[:]}, nil
}

// CheckTx says whether a transaction waits for a block. Whatever reaches the engine was judged before.
func (a *App) CheckTx(_ context.Context, req *abci.RequestCheckTx) (*abci.ResponseCheckTx, error) {
	if validators.IsChange(req.Tx) {
		return a.checkChange(req)
	}
	if a.Pool.Pending(req.Tx) {
		return &abci.ResponseCheckTx{Code: abci.CodeTypeOK}, nil
	}
	return &abci.ResponseCheckTx{Code: codeGone, Log: "not pending"}, nil
}

// Codes of CheckTx. Any but zero keeps a transaction out of CometBFT's mempool.
const (
	codeRefused = 1
	codeGone    = 2
)
