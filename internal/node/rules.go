package node

import (
	"context"

	"makechain/internal/ledger"
)

// logRules logs that the chain has rules of an earlier version. The rows of its store need no migration; the indexes of this
// program are added with the next block, in the batch of the block.
func (n *Node) logRules(ctx context.Context) {
	if version := n.genesis.Params().Rules; version != ledger.RulesVersion {
		n.config.Log.InfoContext(ctx, "the chain has rules of an earlier version and continues with them", "rules", version, "newest", ledger.RulesVersion)
	}
}
