package abci

import (
	"makechain/internal/index"
	"makechain/internal/ledger"
	"makechain/internal/schema"
)

// StartPruning lets the application prune, if RetainBlocks is set. Blocks belong to the consensus engine, which starts
// after the application, so nothing is pruned before this call.
func (a *App) StartPruning(blocks index.Blocks) { a.prunedBlocks.Store(&blocks) }

// prune returns the index rows to delete with a block, and the lowest block to keep once they are deleted, 0 for all. The
// view is the state before the block. Few blocks are pruned at a time, however many are beyond the limit.
func (a *App) prune(view ledger.View, height uint64) (rows []schema.Change, lowest uint64, err error) {
	blocks := a.prunedBlocks.Load()
	if blocks == nil || a.RetainBlocks == 0 {
		return nil, 0, nil
	}
	rows, lowest, err = index.Prune(view, a.lowestRetained(height), *blocks)
	return rows, min(lowest, max((*blocks).Base(), 1)+2*index.PruneStep), err
}

// lowestRetained returns the lowest block to keep, 0 for all. A node that joins with a snapshot needs the blocks after it.
func (a *App) lowestRetained(height uint64) uint64 {
	if height <= a.RetainBlocks {
		return 0
	}
	lowest := height - a.RetainBlocks + 1
	if a.OldestSnapshot != nil {
		if oldest := a.OldestSnapshot(); oldest > 0 {
			lowest = min(lowest, oldest+1)
		}
	}
	return lowest
}
