package vectors

import (
	"testing"

	pb "makechain/gen/makechain"
	"makechain/message"
)

// TestScenarioRefs generates a chain on which commits are pushed and refs created, updated, deleted and created again.
//
// Rules: P9.3, P9.4.
func TestScenarioRefs(t *testing.T) {
	t.Parallel()
	c := newChain(t, "commits and refs")
	alice := c.join(1, "alice")[0]
	id := c.apply("a project", c.sign(alice, project("hello"))).Hash
	c.next(10)

	c.commits(alice, id, "a", "b", "c")
	c.apply("a branch beside it", c.sign(alice, message.CommitBundle(id, message.Content{Digest: someHash("pack"), URL: "https://example.com/x"},
		someCommit("d", "a"), someCommit("a"), someCommit("e", "c", "d"))))
	c.refuse("nothing new", message.CodeNothingNew, c.sign(alice, message.CommitBundle(id, message.Content{}, someCommit("c", "b"), someCommit("a"))))
	c.refuse("parents after their child", message.CodeUnknownCommit, c.sign(alice, message.CommitBundle(id, message.Content{}, someCommit("g", "f"), someCommit("f", "e"))))
	c.next(10)

	move := func(name string, m message.RefMove) *message.Envelope {
		return c.sign(alice, message.RefUpdate(id, name, m))
	}
	c.apply("main", move("refs/heads/main", message.RefMove{New: commitHash("a"), Nonce: 1}))
	c.apply("and on", move("refs/heads/main", message.RefMove{Old: commitHash("a"), New: commitHash("c"), Nonce: 2}))
	c.apply("a tag", move("refs/tags/v1", message.RefMove{Type: pb.RefType_REF_TYPE_TAG, New: commitHash("b"), Nonce: 1}))
	c.apply("a ref whose name is no text", move("\xff\xfe", message.RefMove{New: commitHash("b"), Nonce: 1}))
	refuseRefMoves(c, move)
	c.next(10)

	c.apply("a merge", move("refs/heads/main", message.RefMove{New: commitHash("e"), Nonce: 3}))
	c.apply("the tag moves by force", move("refs/tags/v1", message.RefMove{Type: pb.RefType_REF_TYPE_TAG, New: commitHash("d"), Force: true, Nonce: 2}))
	c.apply("and stays by force", move("refs/tags/v1", message.RefMove{Type: pb.RefType_REF_TYPE_TAG, Old: commitHash("d"), New: commitHash("d"), Force: true, Nonce: 3}))
	c.next(10)

	remove := func(name string, expected message.Hash, nonce uint64) *message.Envelope {
		return c.sign(alice, message.RefDelete(id, name, expected, nonce))
	}
	c.apply("the tag deleted", remove("refs/tags/v1", commitHash("d"), 4))
	c.apply("the other ref deleted", remove("\xff\xfe", message.Hash{}, 2))
	c.refuse("deleted twice", message.CodeNotFound, remove("refs/tags/v1", commitHash("d"), 5))
	c.refuse("deleted with an old nonce", message.CodeRefNonceMismatch, remove("refs/heads/main", message.Hash{}, 3))
	c.refuse("deleted at another hash", message.CodeRefHashMismatch, remove("refs/heads/main", commitHash("a"), 4))
	c.refuse("made again at the same time", message.CodeStaleWrite, move("refs/tags/v1", message.RefMove{New: commitHash("a"), Nonce: 1}))
	c.next(10)

	c.apply("made again, as a branch", move("refs/tags/v1", message.RefMove{New: commitHash("a"), Nonce: 1}))
	c.refuse("a move older than the deletion", message.CodeStaleWrite,
		must[*message.Envelope](t)(alice.Sign(c.now()-10, message.RefUpdate(id, "refs/tags/v1", message.RefMove{New: commitHash("b"), Nonce: 2}))))
	c.finish("refs.json")
}

func refuseRefMoves(c *chain, move func(string, message.RefMove) *message.Envelope) {
	const main, tag = "refs/heads/main", pb.RefType_REF_TYPE_TAG
	c.refuse("not a fast-forward", message.CodeNotFastForward, move(main, message.RefMove{New: commitHash("d"), Nonce: 3}))
	c.refuse("backwards", message.CodeNotFastForward, move(main, message.RefMove{New: commitHash("a"), Nonce: 3}))
	c.refuse("nowhere", message.CodeNothingNew, move(main, message.RefMove{New: commitHash("c"), Nonce: 3}))
	c.refuse("an old nonce", message.CodeRefNonceMismatch, move(main, message.RefMove{New: commitHash("e"), Nonce: 2}))
	c.refuse("a nonce too far", message.CodeRefNonceMismatch, move(main, message.RefMove{New: commitHash("e"), Nonce: 4}))
	c.refuse("from another hash", message.CodeRefHashMismatch, move(main, message.RefMove{Old: commitHash("b"), New: commitHash("e"), Nonce: 3}))
	c.refuse("from another hash by force", message.CodeRefHashMismatch, move(main, message.RefMove{Old: commitHash("b"), New: commitHash("e"), Force: true, Nonce: 3}))
	c.refuse("as a tag", message.CodeRefTypeMismatch, move(main, message.RefMove{Type: tag, New: commitHash("e"), Nonce: 3}))
	c.refuse("to an unknown commit", message.CodeUnknownCommit, move(main, message.RefMove{New: commitHash("z"), Nonce: 3}))
	c.refuse("to an unknown commit by force", message.CodeUnknownCommit, move(main, message.RefMove{New: commitHash("z"), Force: true, Nonce: 3}))
	c.refuse("a new ref with a nonce of 2", message.CodeRefNonceMismatch, move("new", message.RefMove{New: commitHash("a"), Nonce: 2}))
	c.refuse("a new ref with an old hash", message.CodeRefHashMismatch, move("new", message.RefMove{Old: commitHash("a"), New: commitHash("a"), Nonce: 1}))
}
