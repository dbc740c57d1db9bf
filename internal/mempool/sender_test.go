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

// backlog is a chain with a sender who has more pending messages for a project than a block holds, and a ref of that
// project.
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
		t.Fatalf("%d messages are pending, want 50", got)
	}
	return b
}

// commit returns a message that applies.
func (b *backlog) commit() *message.Envelope {
	b.sent++
	return b.Sign(b.alice, message.CommitBundle(b.project.Hash, message.Content{}, ledgertest.NewCommit(ledgertest.Hash(strconv.Itoa(b.sent)))))
}

// bobCommit returns a message of another account for the project.
func (b *backlog) bobCommit(commit string) *message.Envelope {
	return b.Sign(b.bob, message.CommitBundle(b.project.Hash, message.Content{}, ledgertest.NewCommit(ledgertest.Hash(commit))))
}

// restart makes the session of the sender so old that it is restarted for the next message.
func (b *backlog) restart() { b.now = b.now.Add(time.Minute) }

// move returns a message that moves the ref for the second time.
func (b *backlog) move(by *ledgertest.Actor) *message.Envelope {
	return b.Sign(by, message.RefUpdate(b.project.Hash, "main",
		message.RefMove{New: ledgertest.Hash("first"), Old: ledgertest.Hash("first"), Nonce: 2, Force: true}))
}

// TestBacklogSessionIsReused checks that pending messages are not applied again for a new message, unless another account
// has changed its project.
func TestBacklogSessionIsReused(t *testing.T) {
	t.Parallel()
	b := newBacklog(t)
	before := b.stateReads
	b.mustSubmit(b.commit(), b.commit(), b.create(b.alice, "another"))
	if b.stateReads != before {
		t.Errorf("%d sessions started for messages after pending ones", b.stateReads-before)
	}
	b.nextOfPeer(b.move(b.bob))()
	b.mustSubmit(b.Sign(b.alice, message.ProjectArchive(b.other.Hash)))
	if b.stateReads != before {
		t.Errorf("%d sessions started for a project that no other account changed", b.stateReads-before)
	}
	b.mustSubmit(b.commit())
	if b.stateReads != before+1 {
		t.Errorf("%d sessions started for a project that another account changed, want 1", b.stateReads-before)
	}
	if result := b.next(); len(result.Refused) > 0 {
		t.Errorf("refused: %v", result.Refused[0].Refusal)
	}
}

// TestBacklogSessionLifetime checks that a session that took long to start is used for longer, although another account
// changes the project in every block.
func TestBacklogSessionLifetime(t *testing.T) {
	t.Parallel()
	b := newBacklog(t)
	b.nextOfPeer(b.bobCommit("a"))()
	before := b.stateReads
	b.tick = 50 * time.Millisecond // per reading of the clock: a session start takes as long
	b.mustSubmit(b.commit())
	b.tick = 0
	for _, step := range []struct {
		passed time.Duration
		starts int
	}{{0, 1}, {200 * time.Millisecond, 1}, {500 * time.Millisecond, 2}} {
		b.now = b.now.Add(step.passed)
		b.nextOfPeer(b.bobCommit(step.passed.String()))()
		b.mustSubmit(b.commit())
		if got := b.stateReads - before; got != step.starts {
			t.Errorf("%v later: %d sessions started, want %d", step.passed, got, step.starts)
		}
	}
}

// TestSlowSessionIsReused checks that a session is used for several messages although its start took longer than the age at
// which sessions are restarted otherwise.
func TestSlowSessionIsReused(t *testing.T) {
	t.Parallel()
	b := newBacklog(t)
	b.nextOfPeer(b.move(b.bob))()
	before := b.stateReads
	b.tick = 6 * time.Second // per reading of the clock: a session start takes as long
	b.mustSubmit(b.commit())
	b.tick = 0
	for range 20 {
		b.now = b.now.Add(time.Second)
		b.mustSubmit(b.commit())
	}
	if got := b.stateReads - before; got != 1 {
		t.Errorf("%d sessions started for 21 messages, want 1", got)
	}
	b.now = b.now.Add(time.Minute)
	b.mustSubmit(b.commit())
	if got := b.stateReads - before; got != 2 {
		t.Errorf("%d sessions started after more than a minute, want 2", got)
	}
}

// TestBacklogConflict checks that after a change of its project by another account or node, a message is validated
// against the latest state.
//
// Rules: P10.1.
func TestBacklogConflict(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(b *backlog) *message.Envelope{
		"by a collaborator":             func(b *backlog) *message.Envelope { return b.move(b.bob) },
		"by the sender at another node": func(b *backlog) *message.Envelope { return b.move(b.alice) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBacklog(t)
			b.nextOfPeer(change(b))()
			late := b.Sign(b.alice, message.RefDelete(b.project.Hash, "main", ledgertest.Hash("first"), 2))
			if refusal := b.submit(late); refusal == nil || refusal.Code != message.CodeRefNonceMismatch {
				t.Errorf("a deletion after the ref was moved: %v", refusal)
			}
		})
	}
}

// TestBacklogRefusal checks that a message which depends on a pending message that was refused is refused at admission,
// whether or not a block was committed since the refused message was admitted.
//
// Rules: P10.1.
func TestBacklogRefusal(t *testing.T) {
	t.Parallel()
	b := newBacklog(t)
	for _, block := range []string{"the block before", "the same block"} {
		refused := b.commit()
		b.mustSubmit(refused)
		b.pool.Refuse([]ledger.Refused{{Message: refused, Refusal: message.Refuse(message.StateTransition, message.CodeStaleWrite, "too late")}})
		child := ledgertest.NewCommit(ledgertest.Hash("child"), ledgertest.Hash(strconv.Itoa(b.sent)))
		refusal := b.submit(b.Sign(b.alice, message.CommitBundle(b.project.Hash, message.Content{}, child)))
		if refusal == nil || refusal.Code != message.CodeUnknownCommit {
			t.Errorf("admitted at %s: a child of a refused commit: %v", block, refusal)
		}
	}
}
