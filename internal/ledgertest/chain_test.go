package ledgertest_test

import (
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
	"makechain/message"
)

// TestChain adds an actor to the chain, changes two branches independently and proposes a block.
func TestChain(t *testing.T) {
	t.Parallel()
	w := ledgertest.New(t)
	alice := w.Join("alice", 1)
	branch := w.Branch(t)
	w.Must(w.Sign(alice, message.ProjectCreate("hello", pb.Visibility_VISIBILITY_PUBLIC, "", "")))
	var row pb.AccountRow
	if branch.Load(schema.AccountKey(alice.Address), &row); row.GetProjectCount() != 0 || row.GetUsername() != "alice" {
		t.Errorf("the branch has %v", &row)
	}
	if w.Load(schema.AccountKey(alice.Address), &row); row.GetProjectCount() != 1 {
		t.Errorf("the chain has %v", &row)
	}
	result := branch.Propose(60, branch.Sign(alice, message.ProjectCreate("there", pb.Visibility_VISIBILITY_PUBLIC, "", "")))
	if len(result.Applied) != 1 || branch.Block.Height != 2 {
		t.Errorf("%d messages in block %d", len(result.Applied), branch.Block.Height)
	}
}
