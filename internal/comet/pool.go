package comet

import (
	"sync"

	abci "github.com/cometbft/cometbft/abci/types"
	"github.com/cometbft/cometbft/mempool"
	"github.com/cometbft/cometbft/types"
)

// Pool is the mempool of an application. Its methods may be called by several goroutines.
type Pool interface {
	// AdmitGossip validates transactions that a peer sent, and returns which of them it added; those that were pending before
	// are not added. invalid describes a transaction that an honest peer would not have sent, nil if there is none. After an
	// error those reported as added are pending all the same.
	AdmitGossip(peer string, transactions [][]byte) (added []bool, invalid, err error)
	// Empty reports whether no transaction is pending.
	Empty() bool
	// Transactions returns pending transactions of at most maxBytes in total. One that depends on another comes after it.
	Transactions(maxBytes int) [][]byte
}

// pendingSignal is the mempool that CometBFT's consensus uses if the application has a Pool. It contains no transactions. It
// signals that some are available, so that consensus creates blocks while the Pool is not empty.
//
// One signal for each block is enough. Consensus ignores it only if it creates a block anyway, and after each block Update
// raises it again if transactions are still pending.
type pendingSignal struct {
	mempool.NopMempool

	pool      Pool
	available chan struct{} // has a value from raise until consensus receives it

	mu     sync.Mutex
	raised bool // since the last block; guarded by mu
}

func newPendingSignal(pool Pool) *pendingSignal {
	return &pendingSignal{pool: pool, available: make(chan struct{}, 1)}
}

// TxsAvailable returns the channel from which consensus receives the signal.
func (s *pendingSignal) TxsAvailable() <-chan struct{} { return s.available }

// raise makes consensus create a block if transactions are pending. It must be called after transactions were added to the
// Pool. It does not wait for consensus.
func (s *pendingSignal) raise() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.raised || s.pool.Empty() {
		return
	}
	s.raised = true
	select {
	case s.available <- struct{}{}:
	default: // consensus has not received the last signal yet
	}
}

// Update raises the signal again after a block if transactions are pending. CometBFT calls it after the application's Commit,
// so that consensus receives the signal at the next height.
func (s *pendingSignal) Update(int64, types.Txs, []*abci.ExecTxResult, mempool.PreCheckFunc, mempool.PostCheckFunc) error {
	s.mu.Lock()
	s.raised = false
	s.mu.Unlock()
	s.raise()
	return nil
}

// Announce sends transactions that were added to Config.Pool to peers, and makes the engine create a block. It does not wait for
// either. The bytes must not be modified afterwards. Announce returns ErrStopped after Stop.
func (e *Engine) Announce(transactions [][]byte) error {
	if e.stopping.Load() {
		return ErrStopped
	}
	e.gossip.sends.push(transactions)
	e.gossip.signal.raise()
	return nil
}
