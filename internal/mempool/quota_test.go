package mempool_test

import (
	"runtime"
	"strconv"
	"testing"

	"makechain/internal/ledgertest"
	"makechain/internal/mempool"
	"makechain/message"
)

// fill submits messages of an account for a project until one is refused, and returns those that are pending and the refusal.
func (c *chain) fill(by *ledgertest.Actor, project *message.Envelope) (sent []*message.Envelope, refusal *message.Refusal) {
	c.t.Helper()
	for {
		c.filled++
		commit := ledgertest.NewCommit(ledgertest.Hash("fill " + strconv.Itoa(c.filled)))
		m := c.Sign(by, message.CommitBundle(project.Hash, message.Content{}, commit))
		if refusal = c.submit(m); refusal != nil {
			return sent, refusal
		}
		sent = append(sent, m)
	}
}

// newProjects returns a chain whose pool has the given capacity, and a project of each of the named accounts.
func newProjects(t *testing.T, capacity int, names ...string) (*chain, []*ledgertest.Actor, []*message.Envelope) {
	t.Helper()
	c := newChain(t, capacity)
	var actors []*ledgertest.Actor
	for _, name := range names {
		actors = append(actors, c.Join(name, 1))
	}
	c.Commit()
	var projects []*message.Envelope
	for i, by := range actors {
		projects = append(projects, c.create(by, names[i]))
	}
	c.mustSubmit(projects...)
	c.next()
	return c, actors, projects
}

// TestSenderLimit checks that one sender cannot fill the mempool, and neither can several with one project, by messages of
// clients or of peers.
//
// Rules: P10.2.
func TestSenderLimit(t *testing.T) {
	t.Parallel()
	c, actors, projects := newProjects(t, 480, "alice", "bob")
	alice, bob := actors[0], actors[1]
	sent, refusal := c.fill(alice, projects[0])
	if len(sent) != 120 || refusal.Code != message.CodeMempoolFull {
		t.Fatalf("one sender has %d messages pending, then %v; want 120 and mempool_full", len(sent), refusal)
	}
	if c.gossip(c.create(alice, "of-a-peer").Transaction())[0] {
		t.Error("a peer's message of the same sender is pending")
	}
	c.mustSubmit(c.create(bob, "other"))
	for c.pool.Len() > 0 {
		c.next()
	}
	c.mustSubmit(c.create(alice, "again"))
}

// TestEviction checks that a full mempool evicts the newest messages of the sender with the most for those of another, that
// clients learn it from the status, that the evicted messages can be submitted again, and that those that are kept apply.
//
// Rules: P10.2, P10.4.
func TestEviction(t *testing.T) {
	t.Parallel()
	c, actors, projects := newProjects(t, 250, "alice", "bob", "carol", "dave")
	first, _ := c.fill(actors[0], projects[0])
	second, _ := c.fill(actors[1], projects[1])
	third, refusal := c.fill(actors[2], projects[2])
	if len(first) != 100 || len(second) != 100 || len(third) != 50 || c.pool.Len() != 250 {
		t.Fatalf("%d, %d and %d messages are pending, then %v; want 100, 100 and 50", len(first), len(second), len(third), refusal)
	}
	waited := make(chan mempool.Status, 1)
	go func() {
		status, err := c.pool.Wait(t.Context(), first[99].Hash)
		if err != nil {
			t.Error(err)
		}
		waited <- status
	}()
	for c.pool.Waiters(first[99].Hash) == 0 {
		runtime.Gosched()
	}
	c.mustSubmit(c.create(actors[3], "one"), c.create(actors[3], "two"))
	if c.pool.Len() != 250 || c.pool.Evicted() != 2 {
		t.Errorf("%d messages are pending and %d were evicted, want 250 and 2", c.pool.Len(), c.pool.Evicted())
	}
	for _, evicted := range []*message.Envelope{first[99], second[99]} {
		status := c.statusOf(evicted)
		if status.State != mempool.Refused || status.Refusal.Code != message.CodeMempoolEvicted || status.SeenAt.IsZero() {
			t.Errorf("status %+v, want refused as mempool_evicted", status)
		}
	}
	if status := <-waited; status.State != mempool.Refused || status.Refusal.Code != message.CodeMempoolEvicted {
		t.Errorf("Wait returned %+v, want mempool_evicted", status)
	}
	if drained := c.pool.DrainRefused(); len(drained) != 2 {
		t.Errorf("%d messages are drained for the index, want 2", len(drained))
	}
	if refusal := c.submit(first[99]); refusal == nil || refusal.Code != message.CodeMempoolFull {
		t.Errorf("an evicted message while the mempool is full: %v, want mempool_full", refusal)
	}
	child := ledgertest.NewCommit(ledgertest.Hash("child"), ledgertest.Hash("fill 100"))
	dependent := c.Sign(actors[0], message.CommitBundle(projects[0].Hash, message.Content{}, child))
	if refusal, err := c.pool.DryRun(t.Context(), dependent); err != nil || refusal == nil || refusal.Code != message.CodeUnknownCommit {
		t.Errorf("a message that depends on an evicted one, before the next block: %v, %v, want unknown_commit", refusal, err)
	}
	applied := len(c.next().Applied)
	if applied != 250 {
		t.Errorf("%d messages applied, want all 250", applied)
	}
	if refusal := c.submit(dependent); refusal == nil || refusal.Code != message.CodeUnknownCommit {
		t.Errorf("a message that depends on an evicted one: %v, want unknown_commit", refusal)
	}
	c.mustSubmit(first[99], dependent)
}

// TestEvictionOfProject checks that collaborators of a project with the most that it may have pending do not keep out its
// owner.
//
// Rules: P10.2.
func TestEvictionOfProject(t *testing.T) {
	t.Parallel()
	c, actors, projects := newProjects(t, 400, "alice", "bob")
	alice, bob := actors[0], actors[1]
	c.mustSubmit(c.Sign(alice, message.CollaboratorAdd(projects[0].Hash, bob.Address, writePermission)))
	c.next()
	sent, _ := c.fill(bob, projects[0])
	if len(sent) != 100 {
		t.Fatalf("%d messages of a collaborator are pending, want 100", len(sent))
	}
	own, refusal := c.fill(alice, projects[0])
	if len(own) != 33 || refusal.Code != message.CodeMempoolFull || c.pool.Len() != 100 {
		t.Errorf("%d messages of the owner are pending, then %v; want 33 of 100: half as many as the collaborator's", len(own), refusal)
	}
	c.mustSubmit(c.create(alice, "another"))
}

// TestCostLimit checks that the cost of what a sender has pending is limited, for messages that are expensive to apply.
//
// Rules: P10.2.
func TestCostLimit(t *testing.T) {
	t.Parallel()
	const capacity = 32 << 20
	c := newChainOf(t, mempool.Config{Capacity: 10_000, CapacityCost: capacity, Workers: 1})
	alice := c.Join("alice", 1)
	c.Commit()
	const attestations = 60
	var attesters []message.Seed
	for i := range attestations {
		attesters = append(attesters, ledgertest.Secret("attester of nothing", strconv.Itoa(i)))
	}
	attesters[0], attesters[1] = ledgertest.Attester(0), ledgertest.Attester(1)
	const cost = attestations * 12 << 10
	const most = capacity / 4 / cost
	for i := 0; ; i++ {
		payment := message.Settlement{Units: 1, TxHash: ledgertest.Hash(strconv.Itoa(i)), Actor: alice.Address, Timestamp: c.Block.Time}
		refusal := c.submit(c.made(alice.StorageClaim(c.Now(), ledgertest.Domain(), payment, attesters...)))
		if refusal == nil && i < most {
			continue
		}
		if refusal == nil || refusal.Code != message.CodeMempoolFull || i < most/2 {
			t.Errorf("after %d claims with %d attestations each: %v, want mempool_full after about %d", i, attestations, refusal, most)
		}
		return
	}
}

// TestCostOfMessages checks that the cost of a pending message includes the rows that it writes and the commits that it visits.
//
// Rules: P10.2.
func TestCostOfMessages(t *testing.T) {
	t.Parallel()
	c := newChain(t, 100)
	alice := c.Join("alice", 1)
	c.Commit()
	project := c.create(alice, "project")
	c.mustSubmit(project)
	const commits = 100
	bundle := make([]message.Commit, commits)
	for i := range bundle {
		bundle[i] = ledgertest.NewCommit(ledgertest.Hash(strconv.Itoa(i)))
	}
	before, m := c.pool.Cost(), c.Sign(alice, message.CommitBundle(project.Hash, message.Content{}, bundle...))
	c.mustSubmit(m)
	if cost, rows := c.pool.Cost()-before, 2*commits*256; cost < 4*len(m.Transaction())+rows {
		t.Errorf("the cost of a message of %d bytes that writes %d commits is %d", len(m.Transaction()), commits, cost)
	}
	for c.pool.Len() > 0 {
		c.next()
	}
	const visits = 1_000
	slow := c.slowProjects(visits, alice)[0]
	c.submitMoves(slow, alice, "main", 1)
	if cost := c.pool.Cost(); cost < visits*256 {
		t.Errorf("the cost of a message that visits %d commits is %d", visits, cost)
	}
}

// TestMaxEvictions checks that a message for which many others would have to be evicted is refused, and evicts few.
//
// Rules: P10.2.
func TestMaxEvictions(t *testing.T) {
	t.Parallel()
	c := newChainOf(t, mempool.Config{Capacity: 10_000, CapacityCost: 4 << 20, Workers: 1})
	var actors []*ledgertest.Actor
	var projects []*message.Envelope
	for i := range 6 {
		actors = append(actors, c.Join("account-"+strconv.Itoa(i), 1))
		projects = append(projects, c.create(actors[i], "project"))
	}
	c.Commit()
	c.mustSubmit(projects...)
	c.next()
	const last = 5
	for i := range last {
		_, _ = c.fill(actors[i], projects[i]) // until its share is used up
	}
	bundle := make([]message.Commit, 240)
	for i := range bundle {
		bundle[i] = ledgertest.NewCommit(ledgertest.Hash(strconv.Itoa(i)))
	}
	before := c.pool.Len()
	refusal := c.submit(c.Sign(actors[last], message.CommitBundle(projects[last].Hash, message.Content{}, bundle...)))
	if refusal == nil || refusal.Code != message.CodeMempoolFull || before-c.pool.Len() != 64 {
		t.Errorf("%v, and %d of %d messages were evicted, want mempool_full and 64", refusal, before-c.pool.Len(), before)
	}
}
