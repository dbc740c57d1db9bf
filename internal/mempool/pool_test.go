package mempool_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/internal/mempool"
	"makechain/message"
)

// TestDependentMessages checks that messages which depend on pending ones are admitted and committed in the order of
// their submission.
//
// Rules: P10.1.
func TestDependentMessages(t *testing.T) {
	t.Parallel()
	c := newChain(t, 100)
	alice := c.Join("alice", 1)
	c.Commit()
	create := c.create(alice, "hello")
	first, second := ledgertest.Hash("1"), ledgertest.Hash("2")
	sent := []*message.Envelope{
		create,
		c.Sign(alice, message.CommitBundle(create.Hash, message.Content{}, ledgertest.NewCommit(first))),
		c.Sign(alice, message.RefUpdate(create.Hash, "main", message.RefMove{New: first, Nonce: 1})),
		c.Sign(alice, message.CommitBundle(create.Hash, message.Content{}, ledgertest.NewCommit(second, first))),
		c.Sign(alice, message.RefUpdate(create.Hash, "main", message.RefMove{Old: first, New: second, Nonce: 2})),
		c.Sign(alice, message.ProjectRemove(create.Hash)),
	}
	c.mustSubmit(sent...)
	if got := len(c.broadcast); got != len(sent) {
		t.Errorf("%d messages were broadcast, want %d", got, len(sent))
	}
	var applied []*message.Envelope
	for range 2 {
		result := c.next()
		if len(result.Refused) > 0 {
			t.Fatalf("refused: %v", result.Refused[0].Refusal)
		}
		applied = append(applied, ledgertest.Messages(result)...)
	}
	if len(applied) != len(sent) {
		t.Fatalf("%d messages applied, want %d", len(applied), len(sent))
	}
	for i, m := range applied {
		if m != sent[i] {
			t.Errorf("message %d is %s, want %s", i, m.Type(), sent[i].Type())
		}
		if status := c.statusOf(m); status.State != mempool.Committed {
			t.Errorf("%s: state %d, want committed", m.Type(), status.State)
		}
	}
	if c.pool.Len() != 0 {
		t.Errorf("%d messages are still pending", c.pool.Len())
	}
}

// TestAdmissionRefusals checks the refusals of every stage of admission, and that a refused message is not added.
//
// Rules: P10.1, P10.2.
func TestAdmissionRefusals(t *testing.T) {
	t.Parallel()
	c := newChain(t, 2)
	alice, bob := c.Join("alice", 1), c.Join("bob", 1)
	c.Commit()
	forged := *c.create(alice, "forged")
	forged.Signature[0] ^= 1
	for _, test := range []struct {
		name  string
		m     *message.Envelope
		stage message.Stage
		code  message.Code
	}{
		{"signature", &forged, message.Verification, message.CodeBadSignature},
		{"field", c.create(alice, "-"), message.Validation, message.CodeInvalidField},
		{"signer", c.Sign(alice.With("unknown"), message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "")), message.Authorization, message.CodeUnknownSigner},
		{"state", c.Sign(alice, message.ProjectRemove(ledgertest.Hash("none"))), message.Authorization, message.CodeUnknownProject},
		{"time", c.SignAt(alice, c.Now()-ledger.MaxDrift-1, message.Follow(bob.Address)), message.StateTransition, message.CodeTooLate},
	} {
		refusal := c.submit(test.m)
		if refusal == nil || refusal.Stage != test.stage || refusal.Code != test.code {
			t.Errorf("%s: %v, want %s at %s", test.name, refusal, test.code, test.stage)
		}
		if status := c.statusOf(test.m); status.State != mempool.Unknown {
			t.Errorf("%s: state %d after a refusal at admission, want unknown", test.name, status.State)
		}
	}
	pending := c.create(alice, "one")
	c.mustSubmit(pending)
	if refusal := c.submit(pending); refusal == nil || refusal.Code != message.CodeDuplicate {
		t.Errorf("a pending message submitted again: %v, want duplicate", refusal)
	}
	c.mustSubmit(c.create(bob, "two"))
	if refusal := c.submit(c.create(bob, "three")); refusal == nil || refusal.Code != message.CodeMempoolFull {
		t.Errorf("a third message in a pool of two: %v, want mempool_full", refusal)
	}
	c.next()
	if refusal := c.submit(pending); refusal == nil || refusal.Code != message.CodeDuplicate {
		t.Errorf("a committed message submitted again: %v, want duplicate", refusal)
	}
}

// TestDryRun checks that a dry run returns what Submit would and changes nothing.
//
// Rules: P10.1.
func TestDryRun(t *testing.T) {
	t.Parallel()
	c := newChain(t, 10)
	alice := c.Join("alice", 1)
	c.Commit()
	create := c.create(alice, "hello")
	bundle := c.Sign(alice, message.CommitBundle(create.Hash, message.Content{}, ledgertest.NewCommit(ledgertest.Hash("1"))))
	for range 2 {
		if refusal := c.dryRun(create); refusal != nil {
			t.Fatal(refusal)
		}
		if refusal := c.dryRun(bundle); refusal == nil || refusal.Code != message.CodeUnknownProject {
			t.Fatalf("a bundle for an unknown project: %v, want unknown_project", refusal)
		}
	}
	c.mustSubmit(create)
	for range 2 {
		if refusal := c.dryRun(bundle); refusal != nil {
			t.Fatalf("a bundle for a pending project: %v", refusal)
		}
	}
	if c.pool.Len() != 1 || len(c.broadcast) != 1 {
		t.Errorf("%d messages are pending and %d were broadcast, want 1 and 1", c.pool.Len(), len(c.broadcast))
	}
}

// TestStatus checks the status of messages that are committed, refused after admission, and expired.
//
// Rules: P10.4.
func TestStatus(t *testing.T) {
	t.Parallel()
	c := newChain(t, 10)
	alice, bob := c.Join("alice", 1), c.Join("bob", 1)
	c.Commit()
	good := c.create(alice, "hello")
	first, second := c.Sign(alice, message.UsernameCreate("carol")), c.Sign(bob, message.Follow(alice.Address))
	if refusal := c.submit(first); refusal == nil || refusal.Code != message.CodeUsernameHeld {
		t.Fatalf("a second username: %v, want username_held", refusal)
	}
	c.mustSubmit(good, second)
	waited := make(chan mempool.Status, 1)
	go func() {
		status, err := c.pool.Wait(context.Background(), good.Hash)
		if err != nil {
			t.Error(err)
		}
		waited <- status
	}()
	c.pool.Refuse([]ledger.Refused{{Message: second, Refusal: message.Refuse(message.StateTransition, message.CodeStaleWrite, "for the test")}})
	if status := c.statusOf(second); status.State != mempool.Refused || status.Refusal.Code != message.CodeStaleWrite {
		t.Errorf("refused message: %+v, want its refusal", status)
	}
	old := c.SignAt(bob, c.Now(), message.Star(good.Hash))
	if refusal := c.submit(old); refusal == nil || refusal.Code != message.CodeUnknownProject {
		t.Errorf("a star for the pending project of another account: %v, want unknown_project", refusal)
	}
	c.next()
	if status := <-waited; status.State != mempool.Committed || status.Height != 1 {
		t.Errorf("Wait returned %+v, want committed in block 1", status)
	}
	late := c.Sign(bob, message.Star(good.Hash))
	c.mustSubmit(late)
	c.SkipTo(c.Block.Time + ledger.MaxDrift + 10)
	c.now = time.Unix(int64(c.Block.Time), 0)
	c.pool.Committed(&ledger.Committed{Block: ledger.Block{Height: 2, Time: c.Block.Time}})
	if status := c.statusOf(late); status.State != mempool.Expired || status.Refusal == nil {
		t.Errorf("message with an old timestamp: %+v, want expired with a reason", status)
	}
	if refused := c.pool.DrainRefused(); len(refused) != 2 {
		t.Errorf("%d messages drained, want 2", len(refused))
	}
}

// TestRoundRobin checks that a sender with one message gets it into the next block although another sender has more
// pending than a block holds.
//
// Rules: P6.5.
func TestRoundRobin(t *testing.T) {
	t.Parallel()
	c := newChain(t, 10_000)
	alice, bob := c.Join("alice", 100), c.Join("bob", 1)
	c.Commit()
	project := c.create(alice, "busy")
	c.mustSubmit(project)
	c.next()
	for i := range ledger.MaxProjectMessages + 50 {
		commit := ledgertest.NewCommit(ledgertest.Hash(strconv.Itoa(i)))
		c.mustSubmit(c.Sign(alice, message.CommitBundle(project.Hash, message.Content{}, commit)))
	}
	c.mustSubmit(c.create(bob, "quiet"))
	selected, _ := c.pool.Candidates()
	if len(selected) != ledger.MaxProjectMessages+1 {
		t.Errorf("%d messages selected, want %d of the busy project and one more", len(selected), ledger.MaxProjectMessages)
	}
	position := -1
	for i, m := range selected {
		if m.Owner == bob.Address {
			position = i
		}
	}
	if position < 0 || position > 1 {
		t.Errorf("bob's message is at index %d of the block, want 0 or 1", position)
	}
	if got := len(c.next().Applied) + len(c.next().Applied); got != ledger.MaxProjectMessages+51 {
		t.Errorf("two blocks hold %d messages, want all %d", got, ledger.MaxProjectMessages+51)
	}
}

// TestAdmissionDuringCommit checks that a message is not pending after its block, which another node proposed, if the block is committed
// while the message is being admitted. The sender has another message that is not in a block.
//
// Rules: P10.2, P10.4.
func TestAdmissionDuringCommit(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"client", "peer"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newChain(t, 100)
			alice := c.Join("alice", 1)
			c.Commit()
			project, other := c.create(alice, "hello"), c.create(alice, "other")
			c.mustSubmit(other)
			c.onRow = func() { // the state that is read does not contain the block
				c.onRow = nil
				c.nextOfPeer(project)()
			}
			if name == "peer" {
				if added := c.gossip(project.Transaction()); added[0] {
					t.Error("the message of a peer is added after its block")
				}
			} else if refusal := c.submit(project); refusal == nil || refusal.Code != message.CodeDuplicate {
				t.Errorf("%v, want a refusal as a duplicate", refusal)
			}
			if got := c.statusOf(project); got.State != mempool.Committed || c.pool.Len() != 1 {
				t.Errorf("the message is %+v, and %d are pending, want 1", got, c.pool.Len())
			}
			if applied := c.next().Applied; len(applied) != 1 || applied[0].Message.Hash != other.Hash {
				t.Errorf("the next block has %d messages, want only the other one", len(applied))
			}
		})
	}
}

// TestReadError checks that a read error fails a submission without a refusal, and that the message is admitted once
// reads succeed.
func TestReadError(t *testing.T) {
	t.Parallel()
	c := newChain(t, 10)
	alice := c.Join("alice", 1)
	c.Commit()
	create := c.create(alice, "hello")
	c.readError = errors.New("disk failure")
	if refusal, err := c.pool.Submit(t.Context(), create); refusal != nil || !errors.Is(err, c.readError) {
		t.Errorf("refusal %v, error %v; want the read error", refusal, err)
	}
	c.readError = nil
	c.mustSubmit(create)
}

// TestBroadcastError checks that the messages of a batch are refused as unavailable when the engine fails, except for one that is
// in a block by then, and that they can be submitted again.
//
// Rules: P10.3.
func TestBroadcastError(t *testing.T) {
	t.Parallel()
	c := newChain(t, 10)
	alice := c.Join("alice", 1)
	c.Commit()
	project := c.create(alice, "hello")
	bundle := c.Sign(alice, message.CommitBundle(project.Hash, message.Content{}, ledgertest.NewCommit(ledgertest.Hash("1"))))
	ref := c.Sign(alice, message.RefUpdate(project.Hash, "main", message.RefMove{New: ledgertest.Hash("1"), Nonce: 1}))
	invalid := c.create(alice, "-")
	stopped := errors.New("the engine has stopped")
	c.engine = func(transactions [][]byte) error {
		if len(transactions) != 3 {
			t.Errorf("%d messages are broadcast, want those that were added", len(transactions))
		}
		c.nextOfPeer(project)()
		return stopped
	}
	refusals, err := c.pool.SubmitBatch(t.Context(), []*message.Envelope{project, bundle, invalid, ref})
	if !errors.Is(err, stopped) || len(refusals) != 4 || refusals[0] != nil {
		t.Fatalf("refusals %v, error %v; want the first message accepted, and the error of the engine", refusals, err)
	}
	for i, code := range []message.Code{message.CodeUnavailable, message.CodeInvalidField, message.CodeUnavailable} {
		if refusal := refusals[i+1]; refusal == nil || refusal.Code != code {
			t.Errorf("message %d: %v, want %s", i+1, refusal, code)
		}
	}
	if status := c.statusOf(bundle); status.State != mempool.Refused || c.pool.Len() != 0 {
		t.Errorf("message whose broadcast failed: %+v, with %d pending; want refused, none", status, c.pool.Len())
	}
	c.engine = nil
	if refusal := c.submit(ref); refusal == nil || refusal.Code != message.CodeUnknownCommit {
		t.Errorf("a message that depends on one that was not added: %v, want unknown_commit", refusal)
	}
	c.mustSubmit(bundle, ref)
	if applied := c.next().Applied; len(applied) != 2 {
		t.Errorf("%d messages applied, want 2", len(applied))
	}
}
