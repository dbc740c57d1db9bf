package mempool_test

import (
	"testing"
	"time"

	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/internal/mempool"
	"makechain/message"
)

// review lets time pass, and looks again at what is pending.
func (c *chain) review(later time.Duration) [][]byte {
	c.t.Helper()
	c.now = c.now.Add(later)
	again, err := c.pool.Recheck()
	if err != nil {
		c.t.Fatal(err)
	}
	return again
}

// elsewhere commits a block that another node proposed. The pool is told of it, but not asked.
func (c *chain) elsewhere(messages ...*message.Envelope) func() {
	c.t.Helper()
	result := c.Propose(1, messages...)
	if len(result.Refused) > 0 {
		c.t.Fatalf("refused: %v", result.Refused[0].Refusal)
	}
	c.height++
	for _, applied := range result.Applied {
		c.positions[applied.Message.Hash] = c.height
	}
	block := &ledger.Committed{Block: ledger.Block{Height: c.height, Time: c.Block.Time}, Applied: result.Applied}
	return func() { c.pool.Committed(block) }
}

// TestReviewRefuses has two move a ref from the same place. The block with the one move comes from another node, and
// the pool, which proposes nothing itself, finds out about the other. A move on top of it, and what has nothing to do
// with it, are judged for themselves.
//
// Rules: P10.4.
func TestReviewRefuses(t *testing.T) {
	t.Parallel()
	c := newChain(t, 100)
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
	won, lost := move(second), move(third)
	other := c.create(alice, "other")
	c.mustSubmit(lost, other)
	c.elsewhere(won)()
	if again := c.review(0); len(again) > 0 || c.status(lost).State != mempool.Pending {
		t.Fatalf("too soon: %v, told %d", c.status(lost), len(again))
	}
	c.review(time.Second)
	got := c.status(lost)
	if got.State != mempool.Refused || got.Refusal == nil || got.Refusal.Code == "" {
		t.Errorf("the move that lost is %+v", got)
	}
	if got := c.status(other); got.State != mempool.Pending {
		t.Errorf("what has nothing to do with it is %+v", got)
	}
	if result := c.next(); len(result.Applied) != 1 || len(result.Refused) != 0 {
		t.Errorf("then %d apply and %d are refused", len(result.Applied), len(result.Refused))
	}
}

// TestReviewSpares looks at a message that a durable block holds before the pool is told of the block. It is not
// refused for having been applied already.
//
// Rules: P10.4.
func TestReviewSpares(t *testing.T) {
	t.Parallel()
	c := newChain(t, 100)
	alice := c.Join("alice", 1)
	c.Commit()
	c.elsewhere()()
	project := c.create(alice, "hello")
	c.mustSubmit(project)
	c.elsewhere()() // so that there is something to review
	tell := c.elsewhere(project)
	c.review(time.Second)
	tell()
	if got := c.status(project); got.State != mempool.Committed {
		t.Errorf("the message is %+v", got)
	}
}

// TestReviewRepeats has messages that wait handed to peers again, in their order, every few seconds.
func TestReviewRepeats(t *testing.T) {
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
		again := c.review(step.later)
		if len(again) != step.want {
			t.Fatalf("%d messages are told again after %v, want %d", len(again), step.later, step.want)
		}
		for i := range again {
			if want := []*message.Envelope{one, two}[i]; string(again[i]) != string(want.Transaction()) {
				t.Errorf("message %d is another", i)
			}
		}
	}
	c.next()
	if again := c.review(time.Minute); len(again) > 0 {
		t.Errorf("%d messages are told again when all have committed", len(again))
	}
}
