package vectors

import (
	"bytes"
	"testing"

	"makechain/message"
)

// TestScenarioBlocks generates a chain with proposals in an invalid order.
//
// Rules: P6.1, P6.2.
func TestScenarioBlocks(t *testing.T) {
	t.Parallel()
	c := newChain(t, "the arrangement of blocks")
	actors := c.join(1, "alice", "bob")
	alice, bob := actors[0], actors[1]
	low := c.apply("a project", c.sign(alice, project("hello"))).Hash
	high := c.apply("another project", c.sign(bob, project("hello"))).Hash
	if bytes.Compare(low[:], high[:]) > 0 {
		alice, bob, low, high = bob, alice, high, low
	}
	c.next(10)

	account := c.apply("a star", c.sign(alice, message.Star(high)))
	first := c.apply("a commit", c.sign(alice, message.CommitBundle(low, message.Content{}, someCommit("a"))))
	ref := c.apply("a ref to it", c.sign(alice, message.RefUpdate(low, "main", message.RefMove{New: commitHash("a"), Nonce: 1})))
	second := c.apply("a commit in the other project", c.sign(bob, message.CommitBundle(high, message.Content{}, someCommit("a"))))
	stale := c.sign(bob, message.RefDelete(high, "main", message.Hash{}, 1))
	c.refuseBlock("an account message after a project message", outOfOrder, first, account)
	c.refuseBlock("projects in descending order", outOfOrder, account, second, first, ref)
	c.refuseBlock("a project in two groups", outOfOrder, account, first, second, ref)
	c.refuseBlock("a ref before its commit", cannotApply, account, ref, first)
	c.refuseBlock("a message twice", cannotApply, account, account)
	c.refuseBlock("a message that cannot apply after some that can", cannotApply, account, first, ref, second, stale)
	c.finish("blocks.json")
}
