package comet_test

import (
	"context"
	"crypto/sha256"
	"slices"
	"sync"
	"sync/atomic"

	abci "github.com/cometbft/cometbft/abci/types"

	"makechain/internal/ledger"
	"makechain/internal/merkle"
	"makechain/message"
)

// memoryApp is an application that accepts every message. Its state in memory is a root that every block with transactions
// changes. It can be used by several engines in turn.
type memoryApp struct {
	abci.BaseApplication

	// hook, if set, is called with the name of a method and its height.
	hook func(call string, height int64) error
	late atomic.Pointer[func(call string, height int64) error] // the same, set while an engine runs
	// executed receives the height of every committed block, unless it is full.
	executed chan int64

	dropped sync.Map    // transactions that CheckTx refuses
	pool    *memoryPool // if set, has the pending transactions instead of CometBFT's mempool

	mu      sync.Mutex
	height  int64
	roots   [][]byte // after each block
	pending []byte
	held    map[string]bool // transactions that are not proposed
	least   int             // number of pending transactions before one is proposed
	end     []byte          // appended to a proposal with transactions, if set
}

func newMemoryApp() *memoryApp {
	return &memoryApp{executed: make(chan int64, 10_000), held: make(map[string]bool)}
}

// setHook sets the hook while an engine runs.
func (a *memoryApp) setHook(hook func(call string, height int64) error) { a.late.Store(&hook) }

func (a *memoryApp) call(name string, height int64) error {
	if late := a.late.Load(); late != nil {
		return (*late)(name, height)
	}
	if a.hook == nil {
		return nil
	}
	return a.hook(name, height)
}

// rootAfter returns the root after an executed block, which need not be committed.
func (a *memoryApp) rootAfter(height uint64) []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	if height == uint64(len(a.roots)) {
		return a.pending
	}
	return a.roots[height]
}

func (a *memoryApp) Info(context.Context, *abci.RequestInfo) (*abci.ResponseInfo, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	info := &abci.ResponseInfo{LastBlockHeight: a.height}
	if a.height > 0 {
		info.LastBlockAppHash = a.roots[a.height]
	}
	return info, a.call("info", a.height)
}

func (a *memoryApp) InitChain(context.Context, *abci.RequestInitChain) (*abci.ResponseInitChain, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	empty := merkle.EmptyRoot()
	a.roots = [][]byte{empty[:]}
	return &abci.ResponseInitChain{AppHash: empty[:]}, nil
}

func (a *memoryApp) CheckTx(_ context.Context, r *abci.RequestCheckTx) (*abci.ResponseCheckTx, error) {
	if _, refusal := message.Decode(r.Tx); refusal != nil {
		return &abci.ResponseCheckTx{Code: 1, Log: refusal.Error()}, a.call("check", 0)
	}
	if _, dropped := a.dropped.Load(string(r.Tx)); dropped {
		return &abci.ResponseCheckTx{Code: 1, Log: "dropped"}, nil
	}
	return &abci.ResponseCheckTx{}, a.call("check", 0)
}

func (a *memoryApp) PrepareProposal(
	_ context.Context, r *abci.RequestPrepareProposal,
) (*abci.ResponsePrepareProposal, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	pending := r.Txs
	if a.pool != nil {
		pending = a.pool.Transactions(1 << 20)
	}
	if len(pending) < a.least {
		return &abci.ResponsePrepareProposal{}, nil
	}
	a.least = 0
	var envelopes []*message.Envelope
	for _, tx := range pending {
		envelope, refusal := message.Decode(tx)
		if refusal == nil && !a.held[string(tx)] {
			envelopes = append(envelopes, envelope)
		}
	}
	response := &abci.ResponsePrepareProposal{}
	for _, envelope := range ledger.Ordered(envelopes) {
		response.Txs = append(response.Txs, envelope.Transaction())
	}
	if a.end != nil && len(response.Txs) > 0 {
		response.Txs = append(response.Txs, a.end)
	}
	return response, a.call("prepare", r.Height)
}

func (a *memoryApp) ProcessProposal(
	_ context.Context, r *abci.RequestProcessProposal,
) (*abci.ResponseProcessProposal, error) {
	return &abci.ResponseProcessProposal{Status: abci.ResponseProcessProposal_ACCEPT}, a.call("process", r.Height)
}

func (a *memoryApp) FinalizeBlock(
	_ context.Context, r *abci.RequestFinalizeBlock,
) (*abci.ResponseFinalizeBlock, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pending = a.roots[a.height]
	if len(r.Txs) > 0 {
		next := sha256.Sum256(slices.Concat(append([][]byte{a.pending}, r.Txs...)...))
		a.pending = next[:]
	}
	response := &abci.ResponseFinalizeBlock{AppHash: a.pending}
	if a.pool != nil {
		a.pool.remove(r.Txs)
	}
	for range r.Txs {
		response.TxResults = append(response.TxResults, &abci.ExecTxResult{})
	}
	return response, a.call("finalize", r.Height)
}

func (a *memoryApp) Commit(context.Context, *abci.RequestCommit) (*abci.ResponseCommit, error) {
	a.mu.Lock()
	height := a.height + 1
	a.mu.Unlock()
	if err := a.call("commit", height); err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.height = height
	a.roots = append(a.roots, a.pending)
	select {
	case a.executed <- height:
	default:
	}
	return &abci.ResponseCommit{}, nil
}
