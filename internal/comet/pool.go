package comet

import (
	"context"
	"fmt"
	"sync/atomic"

	abci "github.com/cometbft/cometbft/abci/types"
	"github.com/cometbft/cometbft/mempool"
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

// marker is the only transaction in CometBFT's mempool if the application has a Pool. It is never sent or proposed.
const marker = "transactions are pending"

// pendingSignal makes the engine create blocks while the Pool has transactions. CometBFT creates them while its own mempool is
// not empty, so the mempool contains a marker then. CometBFT rechecks the marker after every block, and removes it if no
// transaction is pending any more.
type pendingSignal struct {
	pool    Pool
	mempool mempool.Mempool // set before the engine starts
	// raised implies that the marker is in the mempool or about to be added. It can be false while the marker is in the mempool.
	raised atomic.Bool
}

// raise adds the marker unless the mempool contains it. It must be called after transactions were added to the Pool. While a
// block is committed it may wait for that.
func (s *pendingSignal) raise() error {
	if s.raised.Load() {
		return nil
	}
	if err := s.mempool.CheckTx([]byte(marker), nil, mempool.TxInfo{}); err != nil {
		return fmt.Errorf("announce pending transactions: %w", err)
	}
	return nil
}

// checkTx accepts the marker while transactions are pending. It is called for a marker that is being added, and for the one in
// the mempool after a block, but not for both at the same time.
func (s *pendingSignal) checkTx(context.Context, *abci.RequestCheckTx) (*abci.ResponseCheckTx, error) {
	s.raised.Store(false) // before Empty: raise adds the marker again for a transaction that Empty does not see
	if s.pool.Empty() {
		return &abci.ResponseCheckTx{Code: codeEmpty, Log: "no transaction is pending"}, nil
	}
	s.raised.Store(true)
	return &abci.ResponseCheckTx{Code: abci.CodeTypeOK}, nil
}

// Announce sends transactions that were added to Config.Pool to peers, and makes the engine create a block. The bytes must not be
// modified afterwards. Announce may wait while a block is committed, so an application must not call it in Commit. It returns
// ErrStopped after Stop.
func (e *Engine) Announce(transactions [][]byte) (err error) {
	defer recovered(&err)
	if e.stopping.Load() {
		return ErrStopped
	}
	e.gossip.sends.push(transactions)
	return e.gossip.signal.raise()
}
