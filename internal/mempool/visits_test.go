package mempool_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/internal/mempool"
	"makechain/message"
)

// slow is a project with a graph that is slow to search.
type slow struct {
	*ledgertest.SlowGraph

	owner *ledgertest.Actor
}

// slowProjects returns a project of each owner, in the order of their ids.
func (c *chain) slowProjects(visits int, owners ...*ledgertest.Actor) []slow {
	c.t.Helper()
	projects := make([]slow, len(owners))
	for i, owner := range owners {
		created := c.create(owner, fmt.Sprintf("slow-%d", i))
		c.Must(created)
		projects[i] = slow{ledgertest.NewSlowGraph(created.Hash, visits), owner}
		for _, bundle := range projects[i].Bundles {
			c.Must(c.Sign(owner, bundle))
		}
	}
	slices.SortFunc(projects, func(a, b slow) int { return bytes.Compare(a.Project[:], b.Project[:]) })
	c.Commit()
	return projects
}

// submitMoves submits messages of an account of which every second one searches.
func (c *chain) submitMoves(s slow, by *ledgertest.Actor, ref string, searches int) []*message.Envelope {
	c.t.Helper()
	var moves []*message.Envelope
	for _, move := range s.Moves(ref, searches) {
		moves = append(moves, c.Sign(by, move))
	}
	c.mustSubmit(moves...)
	return moves
}

// highProject returns a message that creates a project with a higher id than another.
func (c *chain) highProject(by *ledgertest.Actor, than ident.Hash) *message.Envelope {
	c.t.Helper()
	for i := range 1_000_000 {
		if m := c.create(by, fmt.Sprintf("high-%d", i)); bytes.Compare(m.Hash[:], than[:]) > 0 {
			return m
		}
	}
	c.t.Fatal("no id is higher")
	return nil
}

// TestSearchesDoNotDelayOthers submits searches for a project with a low id, enough for several blocks, then a push to a
// project of another owner with a higher id, and checks that the next block holds the push and that all searches follow.
//
// Rules: P6.5.
func TestSearchesDoNotDelayOthers(t *testing.T) {
	t.Parallel()
	const visits, searches = 1_000, 3 * ledger.MaxBlockVisits / 1_000 / 2
	c := newChain(t, 10_000)
	alice, bob := c.Join("alice", 1), c.Join("bob", 1)
	low := c.slowProjects(visits, alice)[0]
	high := c.highProject(bob, low.Project)
	c.mustSubmit(high)
	c.next()
	moves := c.submitMoves(low, alice, "main", searches)
	pushed := ledgertest.Hash("pushed")
	push := []*message.Envelope{
		c.Sign(bob, message.CommitBundle(high.Hash, message.Content{}, ledgertest.NewCommit(pushed))),
		c.Sign(bob, message.RefUpdate(high.Hash, "main", message.RefMove{New: pushed, Nonce: 1})),
	}
	c.mustSubmit(push...)
	c.next()
	for _, m := range push {
		if status := c.statusOf(m); status.State != mempool.Committed {
			t.Errorf("%s of the push is %+v after one block", m.Type(), status)
		}
	}
	for range searches * visits / ledger.MaxOwnerVisits {
		if result := c.next(); len(result.Refused) > 0 || len(result.OverLimit) > 0 {
			t.Fatalf("%d refused, %d over the limit: the selection does not fit", len(result.Refused), len(result.OverLimit))
		}
	}
	if status := c.statusOf(moves[len(moves)-1]); status.State != mempool.Committed {
		t.Errorf("the last search is %+v", status)
	}
}

// TestSearchesTakeTurns submits searches of many accounts for the projects of several owners, more than fit into a block,
// and then one for the project of another owner, and checks that the latter is not behind all of the others.
//
// Rules: P6.5.
func TestSearchesTakeTurns(t *testing.T) {
	t.Parallel()
	const visits, owners, helpers = 900, 2 * ledger.MaxBlockVisits / ledger.MaxOwnerVisits, 3
	const searches = ledger.MaxOwnerVisits / visits
	c := newChain(t, 10_000)
	var all, crowd []*ledgertest.Actor
	for i := range owners {
		all = append(all, c.Join(fmt.Sprintf("owner-%d", i), 1))
	}
	for i := range helpers {
		crowd = append(crowd, c.Join(fmt.Sprintf("helper-%d", i), 1))
	}
	bob := c.Join("bob", 1)
	projects := c.slowProjects(visits, append(all, bob)...)
	at := slices.IndexFunc(projects, func(s slow) bool { return s.owner == bob })
	honest := projects[at]
	projects = slices.Delete(projects, at, at+1)
	for _, s := range projects {
		for _, helper := range crowd {
			c.Must(c.Sign(s.owner, message.CollaboratorAdd(s.Project, helper.Address, pb.Permission_PERMISSION_WRITE)))
		}
	}
	c.Commit()
	for i, s := range projects {
		c.submitMoves(s, s.owner, "main", searches)
		helper := crowd[i%helpers]
		c.submitMoves(s, helper, "of-"+helper.Address.String(), searches)
	}
	moves := c.submitMoves(honest, bob, "main", 1)
	// Ten owners take two blocks for their first searches, and two more for the rest. The last owner is in the third.
	for range owners*ledger.MaxOwnerVisits/ledger.MaxBlockVisits + 1 {
		if result := c.next(); len(result.Refused) > 0 || len(result.OverLimit) > 0 {
			t.Fatalf("%d refused, %d over the limit: the selection does not fit", len(result.Refused), len(result.OverLimit))
		}
	}
	if status := c.statusOf(moves[1]); status.State != mempool.Committed {
		t.Errorf("the search is %+v", status)
	}
	if c.pool.Len() == 0 {
		t.Error("nothing is pending: the test does not show that owners take turns")
	}
}

// TestUnderestimatedSearches changes refs after updates of them were admitted, so that these search more than was measured,
// and checks that what does not fit is deferred, that the pool reserves the maximum for it, and that all are committed.
//
// Rules: P6.5.
func TestUnderestimatedSearches(t *testing.T) {
	t.Parallel()
	const visits, refs = 990, 50
	const fit = ledger.MaxOwnerVisits / visits
	c := newChain(t, 10_000)
	alice, carol := c.Join("alice", 1), c.Join("carol", 1)
	project := c.slowProjects(visits, alice)[0]
	c.Must(c.Sign(alice, message.CollaboratorAdd(project.Project, carol.Address, pb.Permission_PERMISSION_WRITE)))
	update := func(ref string, move message.RefMove) *pb.MessageData {
		return message.RefUpdate(project.Project, ref, move)
	}
	var updates, resets []*message.Envelope
	for i := range refs {
		ref := fmt.Sprintf("ref-%d", i)
		c.Must(c.Sign(alice, update(ref, message.RefMove{New: project.Side, Nonce: 1})))
		updates = append(updates, c.SignAt(carol, c.Now()+10, update(ref, message.RefMove{New: project.Tip, Nonce: 2})))
		resets = append(resets,
			c.SignAt(alice, c.Now()+1, message.RefDelete(project.Project, ref, ident.Hash{}, 2)),
			c.SignAt(alice, c.Now()+2, update(ref, message.RefMove{New: project.Root, Nonce: 1})))
	}
	c.Commit()
	c.mustSubmit(updates...)
	if _, reserved := c.pool.Candidates(); len(reserved) > 0 {
		t.Fatalf("visits are reserved for %d messages, want none", len(reserved))
	}
	c.nextOfPeer(resets...)()
	result := c.next()
	if len(result.Applied) != fit || len(result.Deferred) != refs-fit || len(result.OverLimit) != 1 {
		t.Fatalf("%d applied, %d deferred, %d over the limit", len(result.Applied), len(result.Deferred), len(result.OverLimit))
	}
	over := result.OverLimit[0].Message.Hash
	if selected, reserved := c.pool.Candidates(); selected[0].Hash != over || reserved[over] != ledger.MaxOwnerVisits {
		t.Errorf("%d visits are reserved for the deferred message, want %d", reserved[over], ledger.MaxOwnerVisits)
	}
	for range refs / fit {
		c.next()
	}
	if pending := c.pool.Len(); pending > 0 {
		t.Errorf("%d searches are still pending", pending)
	}
}
