// Package abci implements CometBFT's application interface on top of the ledger.
//
// It contains no protocol rules. It decodes transactions into messages, has the ledger order and execute them, and makes
// the result durable. A block is executed once: the result of a proposal is kept until a block is decided. Nothing is
// written before Commit, which writes a block and its indexes in one batch, so Info always returns the durable height and
// CometBFT's replay recovers from a crash at any other point.
package abci

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"

	abci "github.com/cometbft/cometbft/abci/types"

	"makechain/internal/genesis"
	"makechain/internal/index"
	"makechain/internal/ledger"
	"makechain/internal/mempool"
	"makechain/internal/schema"
	"makechain/internal/validators"
)

// Snapshot is the state after one block. It must be closed.
type Snapshot interface {
	ledger.View

	Height() uint64
	Root() [32]byte
	Close() error
}

// Staged is an executed block that is not durable yet. It must be committed or discarded.
type Staged interface {
	Root() [32]byte
	Commit(height uint64, index ...schema.Change) error
	Discard() error
}

// Observer receives every block once it is durable, in order.
type Observer interface {
	Committed(block *ledger.Committed)
}

// Config contains the parts of an application.
type Config struct {
	Genesis *genesis.Genesis
	// Latest returns the state after the latest block.
	Latest func() Snapshot
	// Stage computes the root that the changes lead to from the latest state, which it does not change.
	Stage     func(changes []schema.Change) (Staged, error)
	Pool      *mempool.Pool
	Observers []Observer
	Log       *slog.Logger

	Snapshots    Snapshots // nil when none are served
	Restorer     Restorer  // nil when state sync is not possible
	RetainBlocks uint64    // newest blocks to keep; 0 keeps all
	// OldestSnapshot returns the height of the oldest snapshot, 0 when there is none. Blocks after it are kept for nodes
	// that join with it. Nil when no snapshots are taken.
	OldestSnapshot func() uint64
	// Unsupported is called after the last block that this program can execute is durable: the next one has a version of the rules that
	// it does not have. Nil if nothing has to be done before the call for the next block fails.
	Unsupported func(*ledger.UnsupportedRulesError)
}

// App implements CometBFT's application interface. CometBFT calls the methods of its consensus connection one at a time. It does
// not call CheckTx: transactions are in the Pool, and a change is in the App until a block contains it.
type App struct {
	abci.BaseApplication

	Config
	ledger     *ledger.Ledger
	validators *validators.Rules
	workers    int

	prunedBlocks atomic.Pointer[index.Blocks] // nil until StartPruning

	mu            sync.Mutex // guards what follows
	executions    []*execution
	decided       *execution
	pendingChange []byte // waits for a block
}

// New returns the application of a chain.
func New(config Config) *App {
	return &App{
		Config: config, ledger: ledger.New(config.Genesis.Params()).Reusing(config.Pool.Reuse()), validators: validators.NewRules(config.Genesis),
		workers: runtime.GOMAXPROCS(0),
	}
}

// Info returns the height and root of the last durable block, and the version of the rules of the next one. CometBFT replays the blocks
// after it.
func (a *App) Info(context.Context, *abci.RequestInfo) (*abci.ResponseInfo, error) {
	snapshot := a.Latest()
	root, height := snapshot.Root(), snapshot.Height()
	params := a.Genesis.Params()
	version, err := params.RulesIn(snapshot, height+1)
	if err = errors.Join(err, snapshot.Close()); err != nil {
		return nil, err
	}
	return &abci.ResponseInfo{Data: "makechain", AppVersion: version, LastBlockHeight: int64(height), LastBlockAppHash: root[:]}, nil
}

// InitChain starts the chain. The genesis must be the one that this application was configured with.
func (a *App) InitChain(_ context.Context, req *abci.RequestInitChain) (*abci.ResponseInitChain, error) {
	given, err := genesis.Parse(req.AppStateBytes)
	if err != nil {
		return nil, fmt.Errorf("abci: genesis of chain %s: %w", req.ChainId, err)
	}
	if field := given.Difference(a.Genesis); field != "" {
		return nil, fmt.Errorf("abci: the genesis of chain %s is not the one of this node: %s differs", req.ChainId, field)
	}
	snapshot := a.Latest()
	root, height := snapshot.Root(), snapshot.Height()
	if err := snapshot.Close(); err != nil {
		return nil, err
	}
	if height != 0 {
		return nil, fmt.Errorf("abci: the chain starts at genesis, but the state is at height %d", height)
	}
	return &abci.ResponseInitChain{AppHash: root[:]}, nil
}
