package comet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"

	abci "github.com/cometbft/cometbft/abci/types"

	"makechain/internal/validators"
)

// Application is CometBFT's application interface.
type Application = abci.Application

// ErrStopped is returned by calls after Stop.
var ErrStopped = errors.New("the consensus engine has stopped")

// codeUnchecked is the code of CheckTx for a transaction that the application could not check.
const codeUnchecked = 1

// application wraps the application that the engine calls. It reports the failure of a call without which the chain cannot
// continue, since the engine would retry forever; it converts panics into errors; and after close it passes no call on, even
// if goroutines of the engine are still running.
type application struct {
	abci.Application

	log     *slog.Logger
	failed  func(error)
	pool    Pool     // nil without Config.Pool
	recheck *recheck // nil with Config.Pool
	cache   *blockCache
	headers *headerPruner    // set before the engine starts
	absent  *absentProposers // set before the engine starts

	mu     sync.RWMutex // held for reading during every call
	closed bool         // guarded by mu
}

// close waits for calls in progress and refuses later ones.
func (a *application) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
}

// call calls a method of the application.
func call[Request, Response any](
	ctx context.Context, a *application, name string,
	method func(context.Context, Request) (Response, error), request Request,
) (response Response, err error) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	if a.closed {
		return response, ErrStopped
	}
	defer func() {
		if reason := recover(); reason != nil {
			a.log.Error("the application panicked", "call", name, "reason", reason, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", reason)
		}
		if err != nil {
			err = fmt.Errorf("application: %s: %w", name, err)
		}
	}()
	return method(ctx, request)
}

// mustCall calls a method without which the chain cannot continue. An error ends the engine.
func mustCall[Request, Response any](
	ctx context.Context, a *application, name string,
	method func(context.Context, Request) (Response, error), request Request,
) (Response, error) {
	response, err := call(ctx, a, name, method, request)
	if err != nil {
		a.failed(err)
	}
	return response, err
}

func (a *application) Info(ctx context.Context, r *abci.RequestInfo) (*abci.ResponseInfo, error) {
	return mustCall(ctx, a, "Info", a.Application.Info, r)
}

func (a *application) Query(ctx context.Context, r *abci.RequestQuery) (*abci.ResponseQuery, error) {
	return call(ctx, a, "Query", a.Application.Query, r)
}

// CheckTx never returns an error, at which the engine would exit the process.
func (a *application) CheckTx(ctx context.Context, r *abci.RequestCheckTx) (*abci.ResponseCheckTx, error) {
	response, err := call(ctx, a, "CheckTx", a.Application.CheckTx, r)
	if err != nil {
		return &abci.ResponseCheckTx{Code: codeUnchecked, Log: err.Error()}, nil //nolint:nilerr // see above
	}
	return response, nil
}

// admitGossip calls AdmitGossip of the Pool like a method of the application.
func (a *application) admitGossip(peer string, transactions [][]byte) (added []bool, invalid, err error) {
	method := func(_ context.Context, transactions [][]byte) (added []bool, err error) {
		added, invalid, err = a.pool.AdmitGossip(peer, transactions)
		return added, err
	}
	added, err = call(context.Background(), a, "AdmitGossip", method, transactions)
	return added, invalid, err
}

func (a *application) InitChain(ctx context.Context, r *abci.RequestInitChain) (*abci.ResponseInitChain, error) {
	return mustCall(ctx, a, "InitChain", a.Application.InitChain, r)
}

func (a *application) PrepareProposal(
	ctx context.Context, r *abci.RequestPrepareProposal,
) (*abci.ResponsePrepareProposal, error) {
	return mustCall(ctx, a, "PrepareProposal", a.Application.PrepareProposal, r)
}

func (a *application) ProcessProposal(
	ctx context.Context, r *abci.RequestProcessProposal,
) (*abci.ResponseProcessProposal, error) {
	return mustCall(ctx, a, "ProcessProposal", a.Application.ProcessProposal, r)
}

func (a *application) FinalizeBlock(
	ctx context.Context, r *abci.RequestFinalizeBlock,
) (*abci.ResponseFinalizeBlock, error) {
	if a.recheck != nil {
		a.recheck.executed(len(r.Txs))
	}
	if a.absent != nil {
		a.absent.executed(r)
	}
	response, err := mustCall(ctx, a, "FinalizeBlock", a.Application.FinalizeBlock, r)
	if err == nil {
		messages, _ := validators.Split(r.Txs)
		a.cache.add(uint64(r.Height), messages) // clients read new blocks
	}
	return response, err
}

func (a *application) Commit(ctx context.Context, r *abci.RequestCommit) (*abci.ResponseCommit, error) {
	if a.recheck != nil {
		a.recheck.committed()
	}
	if a.absent != nil {
		a.absent.committed()
	}
	response, err := mustCall(ctx, a, "Commit", a.Application.Commit, r)
	if err == nil && response.RetainHeight > 0 && a.headers != nil {
		a.headers.prune()
	}
	return response, err
}

func (a *application) ListSnapshots(
	ctx context.Context, r *abci.RequestListSnapshots,
) (*abci.ResponseListSnapshots, error) {
	return call(ctx, a, "ListSnapshots", a.Application.ListSnapshots, r)
}

func (a *application) OfferSnapshot(
	ctx context.Context, r *abci.RequestOfferSnapshot,
) (*abci.ResponseOfferSnapshot, error) {
	return call(ctx, a, "OfferSnapshot", a.Application.OfferSnapshot, r)
}

func (a *application) LoadSnapshotChunk(
	ctx context.Context, r *abci.RequestLoadSnapshotChunk,
) (*abci.ResponseLoadSnapshotChunk, error) {
	return call(ctx, a, "LoadSnapshotChunk", a.Application.LoadSnapshotChunk, r)
}

func (a *application) ApplySnapshotChunk(
	ctx context.Context, r *abci.RequestApplySnapshotChunk,
) (*abci.ResponseApplySnapshotChunk, error) {
	return call(ctx, a, "ApplySnapshotChunk", a.Application.ApplySnapshotChunk, r)
}
