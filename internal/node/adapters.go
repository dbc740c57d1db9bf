package node

import (
	"time"

	"makechain/internal/abci"
	"makechain/internal/schema"
	"makechain/internal/store"
)

// stage stages a block in the store and measures how long that and the commit take.
func (n *Node) stage(changes []schema.Change) (abci.Staged, error) {
	start := time.Now()
	block, err := n.store.Stage(changes)
	if err != nil {
		return nil, err
	}
	n.metrics.treeSeconds.Observe(time.Since(start).Seconds())
	return timedBlock{block, n.metrics}, nil
}

// timedBlock is a staged block that measures its commit.
type timedBlock struct {
	*store.Staged
	metrics *metrics
}

func (b timedBlock) Commit(height uint64, rows ...schema.Change) error {
	start := time.Now()
	if err := b.Staged.Commit(height, rows...); err != nil {
		return err
	}
	b.metrics.commitSeconds.Observe(time.Since(start).Seconds())
	return nil
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
