package mempool_test

import (
	"strconv"
	"testing"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// backlog has a sender with more pending in a project than a block takes, and a ref of that project.
type backlog struct {
	*chain

	alice, bob     *ledgertest.Actor
	project, other *message.Envelope
	sent           int
}

func newBacklog(t *testing.T) *backlog {
	t.Helper()
	b := &backlog{chain: newChain(t, 10_000)}
	b.alice, b.bob = b.Join("alice", 1), b.Join("bob", 1)
	b.Commit()
	b.project, b.other = b.create(b.alice, "hello"), b.create(b.alice, "other")
	first := ledgertest.Hash("first")
	b.mustSubmit(b.project, b.other,
		b.Sign(b.alice, message.CollaboratorAdd(b.project.Hash, b.bob.Address, pb.Permission_PERMISSION_WRITE)),
		b.Sign(b.alice, message.CommitBundle(b.project.Hash, message.Content{}, ledgertest.NewCommit(first))),
		b.Sign(b.alice, message.RefUpdate(b.project.Hash, "main", message.RefMove{New: first, Nonce: 1})))
	b.next()
	for range ledger.MaxProjectMessages + 50 {
		b.mustSubmit(b.commit())
	}
	b.next()
	if got := b.pool.Len(); got != 50 {
		t.Fatalf("%d messages wait, want 50", got)
	}
	return b
}

// commit is a message that applies.
func (b *backlog) commit() *message.Envelope {
	b.sent++
	return b.Sign(b.alice, message.CommitBundle(b.project.Hash, message.Content{}, ledgertest.NewCommit(ledgertest.Hash(strconv.Itoa(b.sent)))))
}

// move is a message that moves the ref for the second time.
func (b *backlog) move(by *ledgertest.Actor) *message.Envelope {
	return b.Sign(by, message.RefUpdate(b.project.Hash, "main",
		message.RefMove{New: ledgertest.Hash("first"), Old: ledgertest.Hash("first"), Nonce: 2, Force: true}))
}

// TestBacklogIsJudgedOnce has a sender go on with a project over a block that leaves some of it pending. What is
// pending is not judged again, and what applies is taken in.
func TestBacklogIsJudgedOnce(t *testing.T) {
	t.Parallel()
	b := newBacklog(t)
	before := b.looks
	b.mustSubmit(b.commit(), b.commit(), b.create(b.alice, "another"))
	if b.looks != before {
		t.Errorf("%d looks at the latest state for messages on top of pending ones", b.looks-before)
	}
	b.elsewhere(b.move(b.bob))()
	b.mustSubmit(b.Sign(b.alice, message.ProjectArchive(b.other.Hash)))
	if b.looks != before {
		t.Errorf("%d looks at the latest state for a project that nobody else has changed", b.looks-before)
	}
	b.mustSubmit(b.commit())
	if b.looks != before+1 {
		t.Errorf("%d looks at the latest state for a project that somebody has changed, want 1", b.looks-before)
	}
	if result := b.next(); len(result.Refused) > 0 {
		t.Errorf("refused: %v", result.Refused[0].Refusal)
	}
}

// TestBacklogTakesLong has somebody else change the project of a sender with every block. When it takes long to judge
// what is pending again, that is not done for each of them.
func TestBacklogTakesLong(t *testing.T) {
	t.Parallel()
	b := newBacklog(t)
	byBob := func(commit string) *message.Envelope {
		return b.Sign(b.bob, message.CommitBundle(b.project.Hash, message.Content{}, ledgertest.NewCommit(ledgertest.Hash(commit))))
	}
	b.elsewhere(byBob("a"))()
	before := b.looks
	b.tick = 50 * time.Millisecond // which it takes
	b.mustSubmit(b.commit())
	b.tick = 0
	for _, step := range []struct {
		passed time.Duration
		looks  int
	}{{0, 1}, {200 * time.Millisecond, 1}, {500 * time.Millisecond, 2}} {
		b.now = b.now.Add(step.passed)
		b.elsewhere(byBob(step.passed.String()))()
		b.mustSubmit(b.commit())
		if got := b.looks - before; got != step.looks {
			t.Errorf("%v later: %d looks at the latest state, want %d", step.passed, got, step.looks)
		}
	}
}

// TestBacklogMeetsOthers has somebody else change what a sender with messages pending acts on. The next message is
// judged by the latest state.
//
// Rules: P10.1.
func TestBacklogMeetsOthers(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(b *backlog) *message.Envelope{
		"by a collaborator":             func(b *backlog) *message.Envelope { return b.move(b.bob) },
		"by the sender at another node": func(b *backlog) *message.Envelope { return b.move(b.alice) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBacklog(t)
			b.elsewhere(change(b))()
			late := b.Sign(b.alice, message.RefDelete(b.project.Hash, "main", ledgertest.Hash("first"), 2))
			if refusal := b.submit(late); refusal == nil || refusal.Code != message.CodeRefNonceMismatch {
				t.Errorf("a deletion that the move has overtaken: %v", refusal)
			}
		})
	}
}

// TestBacklogLosesOne refuses a pending message, with a block since it was judged and without. What builds on it is
// refused at the door.
//
// Rules: P10.1.
func TestBacklogLosesOne(t *testing.T) {
	t.Parallel()
	b := newBacklog(t)
	for _, block := range []string{"the block before", "the same block"} {
		lost := b.commit()
		b.mustSubmit(lost)
		b.pool.Refuse([]ledger.Refused{{Message: lost, Refusal: message.Refuse(message.StateTransition, message.CodeStaleWrite, "too late")}})
		child := ledgertest.NewCommit(ledgertest.Hash("child"), ledgertest.Hash(strconv.Itoa(b.sent)))
		refusal := b.submit(b.Sign(b.alice, message.CommitBundle(b.project.Hash, message.Content{}, child)))
		if refusal == nil || refusal.Code != message.CodeUnknownCommit {
			t.Errorf("judged at %s: a child of a refused commit: %v", block, refusal)
		}
	}
}
