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

// Application is what an engine runs.
type Application = abci.Application

// ErrStopped is the answer to what comes after Stop.
var ErrStopped = errors.New("the consensus engine has stopped")

// codeUnchecked refuses a transaction that the application has not looked at.
const codeUnchecked = 1

// application stands between the engine and the application. It reports when a call fails that the chain
// cannot go on without, because the engine itself would try to propose for ever; it turns panics into failures;
// and after close no call reaches the application, whatever the engine's routines still do.
type application struct {
	abci.Application

	log     *slog.Logger
	failed  func(error)
	recheck *recheck
	cache  *blockCache
	headers *headers // set before the engine runs

	mu     sync.RWMutex // held for reading by every call that is under way
	closed bool         // guarded by mu
}

// close waits for the calls that are under way and lets no further ones through.
func (a *application) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
}

// pass makes one call of the application.
func pass[Request, Response any](
	ctx context.Context, a *application, name string,
	call func(context.Context, Request) (Response, error), request Request,
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
	return call(ctx, request)
}

// vital makes a call that the chain cannot go on without.
func vital[Request, Response any](
	ctx context.Context, a *application, name string,
	call func(context.Context, Request) (Response, error), request Request,
) (Response, error) {
	response, err := pass(ctx, a, name, call, request)
	if err != nil {
		a.failed(err)
	}
	return response, err
}

func (a *application) Info(ctx context.Context, r *abci.RequestInfo) (*abci.ResponseInfo, error) {
	return vital(ctx, a, "info", a.Application.Info, r)
}

func (a *application) Query(ctx context.Context, r *abci.RequestQuery) (*abci.ResponseQuery, error) {
	return pass(ctx, a, "query", a.Application.Query, r)
}

// CheckTx never gives the engine an error: it would end the program.
func (a *application) CheckTx(ctx context.Context, r *abci.RequestCheckTx) (*abci.ResponseCheckTx, error) {
	response, err := pass(ctx, a, "check transaction", a.Application.CheckTx, r)
	if err != nil {
		return &abci.ResponseCheckTx{Code: codeUnchecked, Log: err.Error()}, nil //nolint:nilerr // see above
	}
	return response, nil
}

// guard makes calls of a function of the application as those of the application are made.
func (a *application) guard(take func([][]byte) ([]bool, error)) func([][]byte) ([]bool, error) {
	call := func(_ context.Context, transactions [][]byte) ([]bool, error) { return take(transactions) }
	return func(transactions [][]byte) ([]bool, error) {
		return pass(context.Background(), a, "judge transactions", call, transactions)
	}
}

func (a *application) InitChain(ctx context.Context, r *abci.RequestInitChain) (*abci.ResponseInitChain, error) {
	return vital(ctx, a, "begin chain", a.Application.InitChain, r)
}

func (a *application) PrepareProposal(
	ctx context.Context, r *abci.RequestPrepareProposal,
) (*abci.ResponsePrepareProposal, error) {
	return vital(ctx, a, "propose block", a.Application.PrepareProposal, r)
}

func (a *application) ProcessProposal(
	ctx context.Context, r *abci.RequestProcessProposal,
) (*abci.ResponseProcessProposal, error) {
	return vital(ctx, a, "judge block", a.Application.ProcessProposal, r)
}

func (a *application) FinalizeBlock(
	ctx context.Context, r *abci.RequestFinalizeBlock,
) (*abci.ResponseFinalizeBlock, error) {
	a.recheck.executed(len(r.Txs))
	response, err := vital(ctx, a, "execute block", a.Application.FinalizeBlock, r)
	if err == nil {
		messages, _ := validators.Split(r.Txs)
		a.cache.add(uint64(r.Height), messages) // readers will ask for what is new
	}
	return response, err
}

func (a *application) Commit(ctx context.Context, r *abci.RequestCommit) (*abci.ResponseCommit, error) {
	a.recheck.decide()
	response, err := vital(ctx, a, "commit block", a.Application.Commit, r)
	if err == nil && response.RetainHeight > 0 && a.headers != nil {
		a.headers.sweep()
	}
	return response, err
}

func (a *application) ListSnapshots(
	ctx context.Context, r *abci.RequestListSnapshots,
) (*abci.ResponseListSnapshots, error) {
	return pass(ctx, a, "list snapshots", a.Application.ListSnapshots, r)
}

func (a *application) OfferSnapshot(
	ctx context.Context, r *abci.RequestOfferSnapshot,
) (*abci.ResponseOfferSnapshot, error) {
	return pass(ctx, a, "take snapshot", a.Application.OfferSnapshot, r)
}

func (a *application) LoadSnapshotChunk(
	ctx context.Context, r *abci.RequestLoadSnapshotChunk,
) (*abci.ResponseLoadSnapshotChunk, error) {
	return pass(ctx, a, "load snapshot chunk", a.Application.LoadSnapshotChunk, r)
}

func (a *application) ApplySnapshotChunk(
	ctx context.Context, r *abci.RequestApplySnapshotChunk,
) (*abci.ResponseApplySnapshotChunk, error) {
	return pass(ctx, a, "apply snapshot chunk", a.Application.ApplySnapshotChunk, r)
}
