package mempool_test

import (
	"slices"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// TestAsides sends messages of both phases in turns. What no other rests on, and rests on none of those before it, is
// in the same block with them, though the block has it earlier; what may rest on them waits, with all that follows.
//
// Rules: P6.1, P10.1.
func TestAsides(t *testing.T) {
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
	resting := []*message.Envelope{
		c.Sign(alice, message.Like(own.Hash, pushed)),
		c.Sign(alice, message.Unfollow(bob.Address)),
	}
	barrier := []*message.Envelope{
		c.Sign(alice, message.ProjectMetadata(own.Hash, pb.ProjectMetadataType_PROJECT_METADATA_NAME, "renamed")),
		c.create(alice, "own"), // the name that is free from then on
	}
	c.mustSubmit(slices.Concat(together, resting, barrier)...)
	for i, want := range [][]*message.Envelope{together, append(resting, barrier[0]), barrier[1:]} {
		result := c.next()
		if len(result.Refused) > 0 {
			t.Fatalf("block %d refuses %s: %v", i, result.Refused[0].Message.Type(), result.Refused[0].Refusal)
		}
		if got := ledgertest.Messages(result); len(got) != len(want) || slices.ContainsFunc(want, func(m *message.Envelope) bool { return !slices.Contains(got, m) }) {
			t.Errorf("block %d has %d messages, want the %d that can be together", i, len(got), len(want))
		}
	}
}
