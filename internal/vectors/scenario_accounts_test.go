package vectors

import (
	"strconv"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/message"
)

// TestScenarioCollaboration generates a chain with collaborators, permissions and merge requests.
//
// Rules: P3.1, P9.2, P9.7, P9.8.
func TestScenarioCollaboration(t *testing.T) {
	t.Parallel()
	c := newChain(t, "collaborators and merge requests")
	actors := c.join(1, "alice", "bob", "carol")
	alice, bob, carol := actors[0], actors[1], actors[2]
	id := c.apply("a project", c.sign(alice, project("hello"))).Hash
	c.next(10)

	c.commits(alice, id, "a", "b")
	c.apply("main", c.sign(alice, message.RefUpdate(id, "main", message.RefMove{New: commitHash("a"), Nonce: 1})))
	grant := func(by *actor, to message.Address, p pb.Permission) *message.Envelope {
		return c.sign(by, message.CollaboratorAdd(id, to, p))
	}
	c.apply("bob becomes an admin", grant(alice, bob.Owner(), pb.Permission_PERMISSION_ADMIN))
	c.apply("a member to be removed", grant(alice, someAddress("dave"), pb.Permission_PERMISSION_READ))
	c.refuse("carol grants", message.CodeInsufficientPermission, grant(carol, carol.Owner(), pb.Permission_PERMISSION_READ))
	c.refuse("the owner as a collaborator", message.CodeOwnerTarget, grant(bob, alice.Owner(), pb.Permission_PERMISSION_READ))
	c.refuse("an admin grants OWNER", message.CodeInsufficientPermission, grant(bob, carol.Owner(), pb.Permission_PERMISSION_OWNER))
	c.refuse("the same again at the same time", message.CodeStaleWrite, grant(alice, bob.Owner(), pb.Permission_PERMISSION_READ))
	c.refuse("a stranger removed", message.CodeNotFound, c.sign(alice, message.CollaboratorRemove(id, someAddress("erin"))))
	c.next(10)

	leave := func(by *actor, who message.Address) *message.Envelope {
		return c.sign(by, message.CollaboratorRemove(id, who))
	}
	c.apply("carol may write", grant(bob, carol.Owner(), pb.Permission_PERMISSION_WRITE))
	c.apply("an owner beside the owner", grant(alice, someAddress("frank"), pb.Permission_PERMISSION_OWNER))
	c.apply("dave leaves", leave(bob, someAddress("dave")))
	c.apply("erin comes", grant(alice, someAddress("erin"), pb.Permission_PERMISSION_READ))
	c.apply("and leaves in the same second", leave(alice, someAddress("erin")))
	c.refuse("dave removed twice", message.CodeStaleWrite, leave(bob, someAddress("dave")))
	c.refuse("an admin removes an OWNER", message.CodeInsufficientPermission, leave(bob, someAddress("frank")))
	c.refuse("dave added in the second he left", message.CodeStaleWrite, grant(alice, someAddress("dave"), pb.Permission_PERMISSION_READ))
	c.next(10)

	c.apply("dave comes back", grant(alice, someAddress("dave"), pb.Permission_PERMISSION_WRITE))
	c.apply("erin's removal moves on", leave(alice, someAddress("erin")))
	c.apply("carol moves main", c.sign(carol, message.RefUpdate(id, "main", message.RefMove{New: commitHash("b"), Nonce: 2})))
	fork := c.apply("carol forks", c.sign(carol, message.Fork(id, commitHash("b"), "hello", 0))).Hash
	c.next(10)
	mergeRequests(c, alice, bob, carol, id, fork)
	c.finish("collaboration.json")
}

func mergeRequests(c *chain, alice, bob, carol *actor, id, fork message.Hash) {
	c.commits(carol, fork, "b", "topic")
	c.apply("a topic", c.sign(carol, message.RefUpdate(fork, "topic", message.RefMove{New: commitHash("topic"), Nonce: 1})))
	c.next(10)

	propose := func(source message.Hash, ref, commit, title string) *pb.MessageData {
		return message.MergeRequestAdd(id, message.MergeProposal{Source: source, SourceRef: ref, SourceCommit: commitHash(commit), TargetRef: "main", Title: title})
	}
	var open []message.Hash
	for i := range 10 {
		request := c.sign(carol, propose(fork, "topic", "topic", "please "+strconv.Itoa(i)))
		open = append(open, c.apply("a merge request", request).Hash)
	}
	c.refuse("more than ten against one project", message.CodeQuotaExceeded, c.sign(carol, propose(fork, "topic", "topic", "eleven")))
	c.refuse("no fork", message.CodeNotAFork, c.sign(bob, message.MergeRequestAdd(fork, message.MergeProposal{
		Source: id, SourceRef: "main", SourceCommit: commitHash("b"), TargetRef: "main", Title: "x",
	})))
	c.refuse("no such ref", message.CodeNotFound, c.sign(bob, propose(fork, "nothing", "topic", "x")))
	c.refuse("the ref is elsewhere", message.CodeRefHashMismatch, c.sign(bob, propose(fork, "topic", "b", "x")))
	c.refuse("no such source", message.CodeUnknownProject, c.sign(bob, propose(someHash("x"), "topic", "topic", "x")))
	c.next(10)

	remove := func(by *actor, request message.Hash) *message.Envelope {
		return c.sign(by, message.MergeRequestRemove(id, request))
	}
	stranger := c.join(1, "grace")[0]
	c.apply("carol withdraws one", remove(carol, open[0]))
	c.apply("bob closes one", remove(bob, open[1]))
	c.refuse("a stranger closes one", message.CodeInsufficientPermission, remove(stranger, open[2]))
	c.refuse("closed twice", message.CodeNotFound, remove(alice, open[1]))
	c.next(10)
	outcomes(c, alice, bob, carol, id, fork, open[6:])

	c.apply("archived", c.sign(alice, message.ProjectArchive(id)))
	c.next(10)
	c.apply("closing goes on in an archive", remove(alice, open[3]))
	c.refuse("no request to an archive", message.CodeProjectArchived, c.sign(carol, propose(fork, "topic", "topic", "late")))
	c.next(10)

	c.apply("removed", c.sign(alice, message.ProjectRemove(id)))
	c.apply("withdrawing goes on until the rows are deleted", remove(carol, open[4]))
	c.next(10)
	c.apply("the next block", c.sign(bob, message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "later")))
	c.refuse("a request that was deleted with the project", message.CodeNotFound, remove(carol, open[5]))
}

// outcomes closes and replaces merge requests of carol.
func outcomes(c *chain, alice, bob, carol *actor, id, fork message.Hash, open []message.Hash) {
	remove := func(by *actor, request message.Hash, outcome pb.MergeRequestOutcome, commit message.Hash) *message.Envelope {
		return c.sign(by, message.MergeRequestClose(id, request, outcome, commit))
	}
	const merged, withdrawn = pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_MERGED, pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_WITHDRAWN
	replace := func(by *actor, request message.Hash) *message.Envelope {
		return c.sign(by, message.MergeRequestAdd(id, message.MergeProposal{
			Source: fork, SourceRef: "topic", SourceCommit: commitHash("topic"), TargetRef: "main", Title: "instead", Replaces: request,
		}))
	}
	c.commits(alice, id, "b", "squashed")
	c.refuse("merged, but the target has no such commit", message.CodeUnknownCommit, remove(alice, open[0], merged, message.Hash{}))
	c.refuse("merged, but the ref is not there", message.CodeNotMerged, remove(alice, open[0], merged, commitHash("squashed")))
	c.refuse("withdrawn by another", message.CodeInsufficientPermission, remove(alice, open[1], withdrawn, message.Hash{}))
	c.refuse("replaced by another", message.CodeInsufficientPermission, replace(bob, open[2]))
	c.next(10)

	c.apply("main moves", c.sign(alice, message.RefUpdate(id, "main", message.RefMove{New: commitHash("squashed"), Nonce: 3})))
	c.apply("merged as another commit", remove(bob, open[0], merged, commitHash("squashed")))
	c.apply("withdrawn", remove(carol, open[1], withdrawn, message.Hash{}))
	c.apply("replaced", replace(carol, open[2]))
	c.refuse("a closed one replaced", message.CodeNotFound, replace(carol, open[1]))
	c.next(10)
}

// TestScenarioSocial generates a chain with links, reactions and verified addresses, up to pruning.
//
// Rules: P8.6, P9.2, P9.9, P9.10.
func TestScenarioSocial(t *testing.T) {
	t.Parallel()
	c := newChain(t, "links, reactions and verified addresses")
	actors := c.join(1, "alice", "bob")
	alice, bob := actors[0], actors[1]
	id := c.apply("a project", c.sign(alice, project("hello"))).Hash
	c.next(10)

	c.commits(alice, id, "a")
	c.apply("bob follows alice", c.sign(bob, message.Follow(alice.Owner())))
	c.apply("bob follows an account that no message has named", c.sign(bob, message.Follow(someAddress("nobody"))))
	c.apply("bob stars", c.sign(bob, message.Star(id)))
	c.refuse("a star for no project", message.CodeUnknownProject, c.sign(bob, message.Star(someHash("x"))))
	c.refuse("a follow taken back that never was", message.CodeNotFound, c.sign(alice, message.Unfollow(bob.Owner())))
	c.next(10)

	c.apply("bob likes", c.sign(bob, message.Like(id, commitHash("a"))))
	c.apply("bob unfollows", c.sign(bob, message.Unfollow(alice.Owner())))
	c.apply("bob follows nobody anew", c.sign(bob, message.Follow(someAddress("nobody"))))
	c.refuse("a like for no commit", message.CodeUnknownCommit, c.sign(bob, message.Like(id, commitHash("z"))))
	c.refuse("an old unstar", message.CodeStaleWrite, must[*message.Envelope](t)(bob.Sign(c.now()-11, message.Unstar(id))))
	c.next(10)

	c.apply("bob takes the like back", c.sign(bob, message.Unlike(id, commitHash("a"))))
	c.apply("bob follows again", c.sign(bob, message.Follow(alice.Owner())))
	c.apply("bob unstars", c.sign(bob, message.Unstar(id)))
	c.next(10)
	verifications(c, alice, bob)
	c.finish("social.json")
}

// verifications fills a set beyond its limit.
func verifications(c *chain, alice, bob *actor) {
	eth := func(by *actor, timestamp uint32) *message.Envelope {
		return must[*message.Envelope](c.t)(by.EthVerification(timestamp, secp256k1Wallet(c.t, "an outside wallet")))
	}
	sol := func(i int) *message.Envelope {
		return must[*message.Envelope](c.t)(alice.SolVerification(c.now()-40+uint32(i), secret("solana "+strconv.Itoa(i))))
	}
	first := c.apply("an Ethereum address", eth(alice, c.now()-100))
	for i := range 48 {
		c.apply("a Solana address", sol(i))
	}
	address := first.Data.GetVerificationAdd().GetAddress()
	forged := edit(first.Data, func(b *pb.VerificationAddBody) { b.ClaimSignature[0] ^= 1 })
	c.refuse("a claim of another account", message.CodeBadClaimSignature, c.sign(bob, message.VerificationAdd(first.Data.GetVerificationAdd())))
	c.refuse("a forged claim", message.CodeBadClaimSignature, c.sign(alice, forged))
	c.next(10)

	// A tombstone counts like its entry, so one more entry fills the set.
	c.apply("the first address given up", c.sign(alice, message.VerificationRemove(address)))
	c.apply("one more", sol(48))
	c.next(10)
	c.apply("and one too many: the oldest goes", sol(49))
	c.refuse("older than all of a full set", message.CodeQuotaExceeded, must[*message.Envelope](c.t)(alice.SolVerification(c.now()-200, secret("solana late"))))
	c.next(10)
	c.apply("the Ethereum address again", eth(alice, c.now()))
	c.apply("bob claims the same address", eth(bob, c.now()))
}
