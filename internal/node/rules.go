package node

import (
	"context"
	"errors"

	"makechain/internal/ledger"
)

// checkRules checks that this program has the version of the rules of the next block. It logs that the chain has rules of an earlier version.
// The rows of its store need no migration; the indexes of this program are added with the next block, in the batch of the block. It
// returns a *ledger.UnsupportedRulesError if the program does not have the version.
func (n *Node) checkRules(ctx context.Context) error {
	latest := n.store.Snapshot()
	params := n.genesis.Params()
	version, err := params.RulesIn(latest, latest.Height()+1)
	if err = errors.Join(err, latest.Close()); err != nil {
		return err
	}
	if version != ledger.RulesVersion {
		n.config.Log.InfoContext(ctx, "the chain has rules of an earlier version and continues with them", "rules", version, "newest", ledger.RulesVersion)
	}
	return nil
}

// unsupportedRules makes Run return: the next block has a version of the rules that this program does not have.
func (n *Node) unsupportedRules(err *ledger.UnsupportedRulesError) {
	select {
	case n.unsupported <- err:
	default:
	}
}
