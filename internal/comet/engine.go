package comet

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	abci "github.com/cometbft/cometbft/abci/types"
	"github.com/cometbft/cometbft/mempool"
	"github.com/cometbft/cometbft/node"
	sm "github.com/cometbft/cometbft/state"
	"github.com/cometbft/cometbft/store"

	"makechain/internal/consensus"
	"makechain/internal/genesis"
)

// ErrFull is the answer to a transaction that no longer fits into the mempool.
var ErrFull = errors.New("the consensus engine's mempool is full")

// ErrRefused is the answer to a transaction that the application's CheckTx refuses.
var ErrRefused = errors.New("transaction refused")

// Engine is a running consensus engine. Its methods may be called by several goroutines.
type Engine struct {
	genesis      *genesis.Genesis
	node         *node.Node
	blocks       *store.BlockStore
	states       sm.Store
	priorities        *proposerPriorities
	app          *application
	databases    *databases
	address      string
	validatorKey []byte
	cache       blockCache
	lag       lagCache

	stopping *atomic.Bool
	stopOnce sync.Once
	end      *ending
}

// Submit hands a transaction to the mempool, from which it reaches the peers and, by CheckTx, the application.
// A transaction that is there already is no error. The bytes must not change afterwards. Submit waits while a
// block is committed, so an application must not call it from its own Commit.
func (e *Engine) Submit(tx []byte) (err error) {
	defer recovered(&err)
	if e.stopping.Load() {
		return ErrStopped
	}
	var verdict *abci.ResponseCheckTx
	err = e.node.Mempool().CheckTx(tx, func(response *abci.ResponseCheckTx) { verdict = response }, mempool.TxInfo{})
	full := mempool.ErrMempoolIsFull{}
	switch {
	case errors.Is(err, mempool.ErrTxInCache):
		return nil
	case errors.As(err, &full) || errors.Is(err, mempool.ErrRecheckFull):
		return fmt.Errorf("%w: %w", ErrFull, err)
	case err != nil:
		return fmt.Errorf("hand over transaction: %w", err)
	case verdict != nil && verdict.Code != abci.CodeTypeOK:
		return fmt.Errorf("%w: %s", ErrRefused, verdict.Log)
	}
	return nil
}

// Status returns the status of the engine.
func (e *Engine) Status() consensus.Status {
	missing := e.missing()
	return consensus.Status{
		CatchingUp:   e.node.ConsensusReactor().WaitSync() || missing > behindTolerance,
		Behind:       missing,
		Peers:        e.node.Switch().Peers().Size(),
		ValidatorKey: e.validatorKey,
		ChainID:      e.genesis.ChainID,
	}
}

// Address is where peers reach the engine, as id@host:port.
func (e *Engine) Address() string { return e.address }

// Done is closed when the engine has stopped or can no longer go on. Err then says why; Stop is needed in
// either case.
func (e *Engine) Done() <-chan struct{} { return e.end.done }

// Err is why the engine could not go on, or nil.
func (e *Engine) Err() error { return e.end.reason() }

// Stop ends the engine and waits for it. Afterwards the application is not called any more, and the home can
// be used again. It returns what kept the engine from going on before, if anything. An application must not
// call it from within a call of its own.
func (e *Engine) Stop() error {
	e.stopOnce.Do(func() {
		e.stopping.Store(true)
		err := e.node.Stop()
		e.app.close()
		err = errors.Join(err, e.node.ProxyApp().Stop())
		// The node has closed its databases; what is left is one it opened and lost.
		_ = e.databases.close()
		e.end.set(nil)
		if err != nil {
			e.end.set(fmt.Errorf("stop: %w", err))
		}
	})
	return e.Err()
}

// ending is the first reason why the engine ended.
type ending struct {
	done chan struct{}
	once sync.Once
	err  error // written before done is closed
}

func newEnding() *ending { return &ending{done: make(chan struct{})} }

func (e *ending) set(err error) {
	e.once.Do(func() {
		e.err = err
		close(e.done)
	})
}

func (e *ending) reason() error {
	select {
	case <-e.done:
		return e.err
	default:
		return nil
	}
}
