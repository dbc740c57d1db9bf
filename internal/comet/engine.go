package comet

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	abci "github.com/cometbft/cometbft/abci/types"
	cmtconsensus "github.com/cometbft/cometbft/consensus"
	"github.com/cometbft/cometbft/mempool"
	"github.com/cometbft/cometbft/node"
	sm "github.com/cometbft/cometbft/state"
	"github.com/cometbft/cometbft/store"

	"makechain/internal/consensus"
	"makechain/internal/genesis"
)

// ErrFull is returned by Submit when the mempool is full.
var ErrFull = errors.New("the consensus engine's mempool is full")

// ErrRefused is returned by Submit when the application's CheckTx refuses the transaction.
var ErrRefused = errors.New("transaction refused")

// Engine is a running consensus engine. Its methods may be called by several goroutines.
type Engine struct {
	genesis      *genesis.Genesis
	node         *node.Node
	blocks       *store.BlockStore
	states       sm.Store
	consensus    *cmtconsensus.Reactor // with Config.Pool not that of node
	priorities   *proposerPriorities
	app          *application
	gossip       *gossipReactor // nil without Config.Pool
	databases    *databases
	address      string
	validatorKey []byte
	cache        blockCache
	policy       *peerPolicy
	lag          lagCache

	stopping *atomic.Bool
	stopOnce sync.Once
	result   *result
}

// Submit adds a transaction to CometBFT's mempool, which calls CheckTx and gossips it to peers. It must not be called with
// Config.Pool. A transaction that is in the mempool already is not an error. The bytes must not be modified afterwards. Submit
// waits while a block is committed, so an application must not call it in Commit. It returns ErrFull, ErrRefused or ErrStopped.
func (e *Engine) Submit(tx []byte) (err error) {
	defer recovered(&err)
	if e.stopping.Load() {
		return ErrStopped
	}
	var checked *abci.ResponseCheckTx
	err = e.node.Mempool().CheckTx(tx, func(response *abci.ResponseCheckTx) { checked = response }, mempool.TxInfo{})
	full := mempool.ErrMempoolIsFull{}
	switch {
	case errors.Is(err, mempool.ErrTxInCache):
		return nil
	case errors.As(err, &full) || errors.Is(err, mempool.ErrRecheckFull):
		return fmt.Errorf("%w: %w", ErrFull, err)
	case err != nil:
		return fmt.Errorf("submit transaction: %w", err)
	case checked != nil && checked.Code != abci.CodeTypeOK:
		return fmt.Errorf("%w: %s", ErrRefused, checked.Log)
	}
	return nil
}

// Status returns the status of the engine.
func (e *Engine) Status() consensus.Status {
	behind := e.blocksBehind()
	return consensus.Status{
		CatchingUp:   e.consensus.WaitSync() || behind > lagTolerance,
		Behind:       behind,
		Peers:        e.node.Switch().Peers().Size(),
		ValidatorKey: e.validatorKey,
		ChainID:      e.genesis.ChainID,
	}
}

// Address returns the address for peers, as id@host:port.
func (e *Engine) Address() string { return e.address }

// Done is closed when the engine has stopped or failed. Stop must be called in either case.
func (e *Engine) Done() <-chan struct{} { return e.result.done }

// Err returns why the engine failed, nil if it did not.
func (e *Engine) Err() error { return e.result.reason() }

// Stop stops the engine and waits for it. Afterwards the application is no longer called, and the home can be used again. It
// returns the error of an engine that failed before. An application must not call it from its own methods.
func (e *Engine) Stop() error {
	e.stopOnce.Do(func() {
		e.stopping.Store(true)
		err := e.node.Stop()
		e.app.close()
		err = errors.Join(err, e.node.ProxyApp().Stop(), e.databases.close())
		e.result.set(nil)
		if err != nil {
			e.result.set(fmt.Errorf("stop: %w", err))
		}
	})
	return e.Err()
}

// result is the first reason for which the engine ended.
type result struct {
	done chan struct{}
	once sync.Once
	err  error // written before done is closed
}

func newResult() *result { return &result{done: make(chan struct{})} }

func (r *result) set(err error) {
	r.once.Do(func() {
		r.err = err
		close(r.done)
	})
}

func (r *result) reason() error {
	select {
	case <-r.done:
		return r.err
	default:
		return nil
	}
}
