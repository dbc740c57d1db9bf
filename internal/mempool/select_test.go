package mempool_test

import (
	"slices"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// TestCandidatesOfBothPhases checks which account messages share a block with project messages that were submitted before
// them. A message that affects no project may; one that may depend on them, and all after it, waits for the next block.
//
// Rules: P6.1, P10.1.
func TestCandidatesOfBothPhases(t *testing.T) {
	t.Parallel()
	c := newChain(t, 100)
	alice, bob := c.Join("alice", 1), c.Join("bob", 1)
	c.Commit()
	own, other := c.create(alice, "own"), c.create(bob, "other")
	liked := ledgertest.Hash("liked")
	c.mustSubmit(own, other)
	c.next()
	c.mustSubmit(c.Sign(bob, message.CommitBundle(other.Hash, message.Content{}, ledgertest.NewCommit(liked))))
	c.next()

	pushed := ledgertest.Hash("pushed")
	together := []*message.Envelope{
		c.Sign(alice, message.CommitBundle(own.Hash, message.Content{}, ledgertest.NewCommit(pushed))),
		c.Sign(alice, message.Follow(bob.Address)),
		c.Sign(alice, message.RefUpdate(own.Hash, "main", message.RefMove{New: pushed, Nonce: 1})),
		c.Sign(alice, message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "busy")),
		c.Sign(alice, message.Star(other.Hash)),
		c.Sign(alice, message.Like(other.Hash, liked)),
	}
	dependent := []*message.Envelope{
		c.Sign(alice, message.Like(own.Hash, pushed)),
		c.Sign(alice, message.Unfollow(bob.Address)),
	}
	barrier := []*message.Envelope{
		c.Sign(alice, message.ProjectMetadata(own.Hash, pb.ProjectMetadataType_PROJECT_METADATA_NAME, "renamed")),
		c.create(alice, "own"), // the name is free after the rename
	}
	c.mustSubmit(slices.Concat(together, dependent, barrier)...)
	for i, want := range [][]*message.Envelope{together, append(dependent, barrier[0]), barrier[1:]} {
		result := c.next()
		if len(result.Refused) > 0 {
			t.Fatalf("block %d refuses %s: %v", i, result.Refused[0].Message.Type(), result.Refused[0].Refusal)
		}
		if got := ledgertest.Messages(result); len(got) != len(want) || slices.ContainsFunc(want, func(m *message.Envelope) bool { return !slices.Contains(got, m) }) {
			t.Errorf("block %d has %d messages, want %d", i, len(got), len(want))
		}
	}
}
