package node

import (
	"time"

	"makechain/internal/abci"
	"makechain/internal/index"
	"makechain/internal/ledger"
	"makechain/internal/mempool"
	"makechain/internal/schema"
	"makechain/internal/store"
)

// timedStore is the store of the application. It measures how long staging and committing a block takes.
type timedStore struct {
	store   *store.Store
	metrics *metrics
}

func (s timedStore) Snapshot() abci.Snapshot { return s.store.Snapshot() }

func (s timedStore) Stage(changes []schema.Change) (abci.Staged, error) {
	start := time.Now()
	block, err := s.store.Stage(changes)
	if err != nil {
		return nil, err
	}
	s.metrics.treeSeconds.Observe(time.Since(start).Seconds())
	return timedBlock{block, s.metrics}, nil
}

type timedBlock struct {
	*store.Staged
	metrics *metrics
}

func (s timedBlock) Commit(height uint64, rows ...schema.Change) error {
	start := time.Now()
	if err := s.Staged.Commit(height, rows...); err != nil {
		return err
	}
	s.metrics.commitSeconds.Observe(time.Since(start).Seconds())
	return nil
}

// indexer adds the messages that the pool refused to the index rows of a block.
type indexer struct {
	pool *mempool.Pool
}

func (i indexer) Rows(view ledger.View, block *ledger.Committed) ([]schema.Change, error) {
	return index.Rows(view, block, i.pool.DrainRefused())
}

// blockSource is the engine as the source of the feed, which is created before the engine and reads only when there are
// subscriptions.
type blockSource struct {
	node *Node
}

func (b blockSource) Base() uint64 { return b.node.engine.Base() }

func (b blockSource) Transactions(height uint64) ([][]byte, error) {
	return b.node.engine.Transactions(height)
}
