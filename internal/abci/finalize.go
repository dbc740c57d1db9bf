package abci

import (
	"context"
	"errors"
	"fmt"

	abci "github.com/cometbft/cometbft/abci/types"

	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/schema"
)

// FinalizeBlock works out what the decided block leads to. That it is valid was agreed on, so anything that
// cannot apply now means that this node disagrees with the chain and must stop.
func (a *App) FinalizeBlock(_ context.Context, req *abci.RequestFinalizeBlock) (*abci.ResponseFinalizeBlock, error) {
	decided, err := a.executionOf(blockOf(req.Height, req.Time), req.Txs)
	if err != nil {
		return nil, fmt.Errorf("abci: the decided block of height %d does not execute: %w", req.Height, err)
	}
	a.mu.Lock()
	a.decided = decided
	a.mu.Unlock()
	hash, ok := ident.HashFrom(req.Hash)
	if !ok {
		return nil, fmt.Errorf("abci: the hash of block %d has %d bytes", req.Height, len(req.Hash))
	}
	decided.hash = hash
	root := decided.staged.Root()
	if decided.change != nil {
		a.Log.Info("the validators change", "height", req.Height, "sequence", decided.change.Set.Sequence, "validators", len(decided.change.Set.Validators))
	}
	results := make([]*abci.ExecTxResult, len(req.Txs))
	for i := range results {
		results[i] = &abci.ExecTxResult{Code: abci.CodeTypeOK}
	}
	return &abci.ResponseFinalizeBlock{TxResults: results, AppHash: root[:], ValidatorUpdates: decided.updates()}, nil
}

// Commit makes the decided block durable with its indexes, and then tells who watches.
func (a *App) Commit(context.Context, *abci.RequestCommit) (*abci.ResponseCommit, error) {
	a.mu.Lock()
	decided, others := a.decided, a.executions
	a.decided, a.executions = nil, nil
	if decided != nil && decided.change != nil {
		a.waiting = nil // its number is taken now, whichever change it was
	}
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
	committed := decided.committed()
	lowest, err := a.write(decided.staged, committed)
	if err != nil {
		return nil, fmt.Errorf("abci: commit height %d: %w", committed.Height, err)
	}
	for _, observer := range a.Observers {
		observer.Committed(committed)
	}
	a.takeSnapshot(committed.Height)
	return &abci.ResponseCommit{RetainHeight: int64(lowest)}, nil
}

// write makes a block and its indexes durable, and gives the lowest block to keep from then on, 0 for all. What is
// pruned of the indexes is so before the blocks are, which CometBFT drops when Commit has answered.
func (a *App) write(staged Staged, block *ledger.Committed) (lowest uint64, err error) {
	before := a.State.Snapshot()
	pruned, lowest, err := a.prune(before, block.Height)
	var rows []schema.Change
	if err == nil {
		rows, err = a.Index.Rows(before, block)
	}
	if err = errors.Join(err, before.Close()); err != nil {
		return 0, errors.Join(err, staged.Discard())
	}
	// What the block writes stands behind what is pruned, and counts.
	return lowest, staged.Commit(block.Height, append(pruned, rows...)...)
}

func (a *App) prune(before Snapshot, height uint64) (rows []schema.Change, lowest uint64, err error) {
	if a.Pruner == nil {
		return nil, 0, nil
	}
	return a.Pruner.Prune(before, height)
}

func (e *execution) committed() *ledger.Committed {
	return &ledger.Committed{
		Block: e.block, Hash: e.hash, Root: e.staged.Root(), Applied: e.result.Applied, Changes: e.result.Changes,
	}
}
