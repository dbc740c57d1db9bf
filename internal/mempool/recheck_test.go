package mempool_test

import (
	"testing"
	"time"

	"makechain/internal/ident"
	"makechain/internal/ledgertest"
	"makechain/internal/mempool"
	"makechain/message"
)

// recheck advances the clock and calls Recheck.
func (c *chain) recheck(later time.Duration) [][]byte {
	c.t.Helper()
	c.now = c.now.Add(later)
	regossip, err := c.pool.Recheck()
	if err != nil {
		c.t.Fatal(err)
	}
	return regossip
}

// TestRecheckRefuses checks that a ref update that conflicts with a block of another node is refused, and that an
// unrelated message of the same sender stays pending.
//
// Rules: P10.4.
func TestRecheckRefuses(t *testing.T) {
	t.Parallel()
	c := newChain(t, 100)
	conflicting, other := c.conflict()
	if regossip := c.recheck(0); len(regossip) > 0 || c.statusOf(conflicting).State != mempool.Pending {
		t.Fatalf("too early: %v, %d transactions to gossip", c.statusOf(conflicting), len(regossip))
	}
	c.recheck(time.Second)
	got := c.statusOf(conflicting)
	if got.State != mempool.Refused || got.Refusal == nil || got.Refusal.Code == "" {
		t.Errorf("the conflicting update is %+v, want refused", got)
	}
	if got := c.statusOf(other); got.State != mempool.Pending {
		t.Errorf("the unrelated message is %+v, want pending", got)
	}
	if result := c.next(); len(result.Applied) != 1 || len(result.Refused) != 0 {
		t.Errorf("then %d messages apply and %d are refused, want 1 and 0", len(result.Applied), len(result.Refused))
	}
}

// TestRecheckOfSlowBlocks checks that messages are rechecked later when messages wait for blocks that take long.
func TestRecheckOfSlowBlocks(t *testing.T) {
	t.Parallel()
	c := newChain(t, 100)
	conflicting, _ := c.conflict()
	// The interval is 1 s after the first of these blocks and 1.75 s after the second, because it is smoothed.
	for range 2 {
		c.now = c.now.Add(4 * time.Second)
		c.nextOfPeer()()
	}
	c.recheck(-2 * time.Second) // 6 s after the message
	if got := c.statusOf(conflicting); got.State != mempool.Pending {
		t.Fatalf("before four intervals of blocks the conflicting update is %+v, want pending", got)
	}
	c.recheck(2 * time.Second)
	if got := c.statusOf(conflicting); got.State != mempool.Refused {
		t.Errorf("after four intervals of blocks the conflicting update is %+v, want refused", got)
	}
}

// conflict submits an update of a ref that conflicts with a block of another node, and an unrelated message of the same sender.
func (c *chain) conflict() (conflicting, other *message.Envelope) {
	c.t.Helper()
	alice := c.Join("alice", 1)
	c.Commit()
	project := c.create(alice, "hello")
	c.mustSubmit(project)
	first, second, third := ledgertest.Hash("1"), ledgertest.Hash("2"), ledgertest.Hash("3")
	commits := c.Sign(alice, message.CommitBundle(project.Hash, message.Content{},
		ledgertest.NewCommit(first), ledgertest.NewCommit(second, first), ledgertest.NewCommit(third, first)))
	c.mustSubmit(commits)
	c.mustSubmit(c.Sign(alice, message.RefUpdate(project.Hash, "main", message.RefMove{New: first, Nonce: 1})))
	c.next()
	move := func(to ident.Hash) *message.Envelope {
		return c.Sign(alice, message.RefUpdate(project.Hash, "main", message.RefMove{Old: first, New: to, Nonce: 2}))
	}
	conflicting, other = move(third), c.create(alice, "other")
	committed := move(second)
	c.mustSubmit(conflicting, other)
	c.nextOfPeer(committed)()
	return conflicting, other
}

// TestRecheckOfCommitted checks that a message in a durable block is not refused when the recheck runs before the pool is
// notified of the block.
//
// Rules: P10.4.
func TestRecheckOfCommitted(t *testing.T) {
	t.Parallel()
	c := newChain(t, 100)
	alice := c.Join("alice", 1)
	c.Commit()
	c.nextOfPeer()()
	project := c.create(alice, "hello")
	c.mustSubmit(project)
	c.nextOfPeer()() // only messages from before the latest block are rechecked
	notify := c.nextOfPeer(project)
	c.recheck(time.Second)
	notify()
	if got := c.statusOf(project); got.State != mempool.Committed {
		t.Errorf("the message is %+v", got)
	}
}

// TestRegossip checks that pending messages are returned for gossip in their order every regossip interval.
func TestRegossip(t *testing.T) {
	t.Parallel()
	c := newChain(t, 1_000)
	alice := c.Join("alice", 1)
	c.Commit()
	one, two := c.create(alice, "one"), c.create(alice, "two")
	c.mustSubmit(one, two)
	for _, step := range []struct {
		later time.Duration
		want  int
	}{{time.Second, 0}, {2 * time.Second, 2}, {2 * time.Second, 0}, {time.Second, 2}} {
		regossip := c.recheck(step.later)
		if len(regossip) != step.want {
			t.Fatalf("%d messages to gossip after %v, want %d", len(regossip), step.later, step.want)
		}
		for i := range regossip {
			if want := []*message.Envelope{one, two}[i]; string(regossip[i]) != string(want.Transaction()) {
				t.Errorf("message %d is a different one", i)
			}
		}
	}
	c.next()
	if regossip := c.recheck(time.Minute); len(regossip) > 0 {
		t.Errorf("%d messages to gossip after all were committed", len(regossip))
	}
}
