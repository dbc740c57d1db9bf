package node

import (
	"errors"
	"fmt"
	"sync/atomic"

	"makechain/internal/abci"
	"makechain/internal/comet"
	"makechain/internal/feed"
	"makechain/internal/index"
	"makechain/internal/ledger"
	"makechain/internal/schema"
	"makechain/internal/snapshot"
)

const (
	// MinRetainBlocks is the least number of blocks that a node which prunes keeps: what streams have in memory must
	// also be in blocks, with room to fall behind.
	MinRetainBlocks = 2 * feed.DefaultRingBlocks
	// retainSnapshots is how many snapshots lie within the blocks kept at least. Nodes that join go on with the block
	// after a snapshot, two of them are kept, and the older one may just be on its way to somebody.
	retainSnapshots = 3
)

// ErrRetain refuses a number of blocks that is too small to be of use.
var ErrRetain = errors.New("too few blocks to keep")

// CheckRetain says whether a node can keep so few blocks, when it takes a snapshot every so many.
func CheckRetain(blocks, snapshotEvery uint64) error {
	least := max(MinRetainBlocks, retainSnapshots*snapshotEvery)
	if blocks == 0 || blocks >= least {
		return nil
	}
	return fmt.Errorf("%w: %d, want 0 for all, or at least %d with a snapshot every %d blocks", ErrRetain, blocks, least, snapshotEvery)
}

// pruner lets go of old blocks and of what their messages left in the indexes. It does nothing until the engine runs,
// since the engine has the blocks.
type pruner struct {
	retain    uint64              // blocks to keep
	snapshots *snapshot.Directory // nil when none are taken
	engine    atomic.Pointer[comet.Engine]
}

// newPruner makes the pruner of a node, none when it keeps all blocks.
func (n *Node) newPruner() abci.Pruner {
	if n.config.RetainBlocks == 0 {
		return nil
	}
	n.pruner = &pruner{retain: n.config.RetainBlocks}
	if n.config.SnapshotEvery > 0 {
		n.pruner.snapshots = n.snapshots
	}
	return n.pruner
}

// Prune lets go of a few blocks at a time, of rows and blocks alike, however many are too many.
func (p *pruner) Prune(view ledger.View, height uint64) (rows []schema.Change, lowest uint64, err error) {
	engine := p.engine.Load()
	if engine == nil {
		return nil, 0, nil
	}
	rows, lowest, err = index.Prune(view, p.lowest(height), storedBlocks{engine})
	return rows, min(lowest, max(engine.Base(), 1)+2*index.PruneStep), err
}

// lowest is the lowest block to keep, 0 for all. Nodes that join go on with the block after a snapshot.
func (p *pruner) lowest(height uint64) uint64 {
	if height <= p.retain {
		return 0
	}
	keep := height - p.retain + 1
	if p.snapshots != nil {
		for _, s := range p.snapshots.List() {
			keep = min(keep, s.Height+1)
		}
	}
	return keep
}

// storedBlocks are the engine's blocks, read once.
type storedBlocks struct {
	*comet.Engine
}

func (b storedBlocks) Transactions(height uint64) ([][]byte, error) { return b.UncachedTransactions(height) }
