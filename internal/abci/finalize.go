package abci

import (
	"context"
	"errors"
	"fmt"

	abci "github.com/cometbft/cometbft/abci/types"

	"makechain/internal/ident"
	"makechain/internal/index"
	"makechain/internal/ledger"
	"makechain/internal/schema"
)

// FinalizeBlock executes the decided block, unless its proposal was executed before. The validators agreed that the block
// is valid, so an error means that this node has a different state and must stop.
func (a *App) FinalizeBlock(_ context.Context, req *abci.RequestFinalizeBlock) (*abci.ResponseFinalizeBlock, error) {
	decided, err := a.executionOf(blockOf(req.Height, req.Time), req.Txs)
	if err != nil {
		return nil, fmt.Errorf("abci: execute the decided block of height %d: %w", req.Height, err)
	}
	a.mu.Lock()
	a.decided = decided
	a.mu.Unlock()
	hash, ok := ident.HashFrom(req.Hash)
	if !ok {
		return nil, fmt.Errorf("abci: the hash of block %d has %d bytes, want 32", req.Height, len(req.Hash))
	}
	decided.hash = hash
	root := decided.staged.Root()
	if decided.change != nil {
		change := decided.change.Change
		a.Log.Info("a change applies", "kind", change.Name(), "height", req.Height, "sequence", change.Sequence)
	}
	results := make([]*abci.ExecTxResult, len(req.Txs))
	for i := range results {
		results[i] = &abci.ExecTxResult{Code: abci.CodeTypeOK}
	}
	params, err := a.paramUpdates(decided)
	if err != nil {
		return nil, fmt.Errorf("abci: height %d: %w", req.Height, err)
	}
	return &abci.ResponseFinalizeBlock{
		TxResults: results, AppHash: root[:], ValidatorUpdates: decided.updates(), ConsensusParamUpdates: params,
	}, nil
}

// Commit makes the decided block durable together with its indexes, and then notifies the observers.
func (a *App) Commit(context.Context, *abci.RequestCommit) (*abci.ResponseCommit, error) {
	a.mu.Lock()
	decided, others := a.decided, a.executions
	a.decided, a.executions = nil, nil
	a.mu.Unlock()
	if decided == nil {
		return nil, errors.New("abci: commit without a decided block")
	}
	for _, other := range others {
		if other == decided {
			continue
		}
		if err := other.staged.Discard(); err != nil {
			return nil, fmt.Errorf("abci: discard a proposal: %w", err)
		}
	}
	a.Pool.Refuse(decided.result.Refused)
	committed := &ledger.Committed{
		Block: decided.block, Hash: decided.hash, Root: decided.staged.Root(),
		Applied: decided.result.Applied, Changes: decided.result.Changes,
	}
	lowest, err := a.write(decided.staged, committed)
	if err != nil {
		return nil, fmt.Errorf("abci: commit height %d: %w", committed.Height, err)
	}
	if err := a.dropStaleChange(); err != nil {
		return nil, fmt.Errorf("abci: after height %d: %w", committed.Height, err)
	}
	a.Pool.Reuse().Committed(committed.Height, decided.result)
	for _, observer := range a.Observers {
		observer.Committed(committed)
	}
	if err := a.checkNextRules(); err != nil {
		return nil, fmt.Errorf("abci: after height %d: %w", committed.Height, err)
	}
	return &abci.ResponseCommit{RetainHeight: int64(lowest)}, nil
}

// write makes a block and its index rows durable. It returns the lowest block that CometBFT keeps from now on, 0 for all.
// Index rows are pruned here, before CometBFT prunes the blocks after Commit.
func (a *App) write(staged Staged, block *ledger.Committed) (lowest uint64, err error) {
	before := a.Latest()
	pruned, lowest, err := a.prune(before, block.Height)
	var rows []schema.Change
	if err == nil {
		rows, err = index.Rows(before, block, a.Pool.DrainRefused())
	}
	if err = errors.Join(err, before.Close()); err != nil {
		return 0, errors.Join(err, staged.Discard())
	}
	// A row that the block writes comes after its pruning, and wins.
	return lowest, staged.Commit(block.Height, append(pruned, rows...)...)
}
