package mempool_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/internal/mempool"
	"makechain/message"
)

// chain is a world whose blocks are made of a pool.
type chain struct {
	*ledgertest.Chain

	t         *testing.T
	pool      *mempool.Pool
	now       time.Time
	tick      time.Duration // that passes with every look at the clock
	height    uint64
	positions map[ident.Hash]uint64
	looks     int // at the latest state
	broadcast [][]byte
	broken    error
	lag       mempool.Lag
	engine    func(tx []byte) error // instead of taking what is broadcast
	meanwhile func()                // before a position is looked up
}

type snapshot struct {
	*ledgertest.Rows
	height uint64
	broken *error // what reads fail with, while it is set
}

func (s snapshot) Get(key []byte) ([]byte, error) {
	if *s.broken != nil {
		return nil, *s.broken
	}
	return s.Rows.Get(key)
}

func (s snapshot) Height() uint64 { return s.height }
func (snapshot) Close() error     { return nil }

func newChain(t *testing.T, capacity int) *chain {
	t.Helper()
	world := ledgertest.New(t)
	c := &chain{Chain: world, t: t, now: time.Unix(int64(world.Block.Time), 0), positions: make(map[ident.Hash]uint64)}
	c.pool = mempool.New(mempool.Config{
		Params: world.Params,
		Latest: func() mempool.Snapshot {
			c.looks++
			return snapshot{world.Rows.Clone(), c.height, &c.broken}
		},
		Position: func(hash ident.Hash) (uint64, uint32, bool, error) {
			if c.meanwhile != nil {
				c.meanwhile()
			}
			height, found := c.positions[hash]
			return height, 0, found, nil
		},
		Broadcast: func(tx []byte) error {
			if c.engine != nil {
				return c.engine(tx)
			}
			c.broadcast = append(c.broadcast, tx)
			return nil
		},
		Lag: func() mempool.Lag { return c.lag },
		Now: func() time.Time {
			c.now = c.now.Add(c.tick)
			return c.now
		},
		Capacity: capacity, TTL: mempool.DefaultTTL, Workers: 2,
	})
	return c
}

func (c *chain) submit(m *message.Envelope) *message.Refusal {
	c.t.Helper()
	refusal, err := c.pool.Submit(c.t.Context(), m)
	if err != nil {
		c.t.Fatal(err)
	}
	return refusal
}

func (c *chain) mustSubmit(messages ...*message.Envelope) {
	c.t.Helper()
	for _, m := range messages {
		if refusal := c.submit(m); refusal != nil {
			c.t.Fatalf("%s: %v", m.Type(), refusal)
		}
	}
}

// next makes a block of what the pool chooses and tells the pool.
func (c *chain) next() *ledger.Result {
	c.t.Helper()
	result := c.Propose(1, c.pool.Candidates()...)
	c.height++
	c.now = time.Unix(int64(c.Block.Time), 0)
	for _, applied := range result.Applied {
		c.positions[applied.Message.Hash] = c.height
	}
	c.pool.Refuse(result.Refused)
	c.pool.Committed(&ledger.Committed{Block: ledger.Block{Height: c.height, Time: c.Block.Time}, Applied: result.Applied})
	return result
}

func (c *chain) status(m *message.Envelope) mempool.Status {
	c.t.Helper()
	status, err := c.pool.Status(m.Hash)
	if err != nil {
		c.t.Fatal(err)
	}
	return status
}

func (c *chain) create(by *ledgertest.Actor, name string) *message.Envelope {
	return c.Sign(by, message.ProjectCreate(name, pb.Visibility_VISIBILITY_PUBLIC, "", ""))
}

// TestBuildsOnPending sends a project, its commits, a ref and what undoes them without waiting for a block. The
// blocks that follow hold all of it in the order it was sent.
//
// Rules: P10.1.
func TestBuildsOnPending(t *testing.T) {
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
		t.Errorf("%d messages reached consensus, want %d", got, len(sent))
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
		if status := c.status(m); status.State != mempool.Committed {
			t.Errorf("%s: state %d, want committed", m.Type(), status.State)
		}
	}
	if c.pool.Len() != 0 {
		t.Errorf("%d messages still wait", c.pool.Len())
	}
}

// TestRefusesAtTheDoor gives every stage something to refuse, and finds nothing taken in.
//
// Rules: P10.1, P10.2.
func TestRefusesAtTheDoor(t *testing.T) {
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
		if status := c.status(test.m); status.State != mempool.Unknown {
			t.Errorf("%s: state %d after a refusal at the door, want unknown", test.name, status.State)
		}
	}
	pending := c.create(alice, "one")
	c.mustSubmit(pending)
	if refusal := c.submit(pending); refusal == nil || refusal.Code != message.CodeDuplicate {
		t.Errorf("a pending message again: %v, want duplicate", refusal)
	}
	c.mustSubmit(c.create(bob, "two"))
	if refusal := c.submit(c.create(bob, "three")); refusal == nil || refusal.Code != message.CodeMempoolFull {
		t.Errorf("a third message in a pool of two: %v, want mempool_full", refusal)
	}
	c.next()
	if refusal := c.submit(pending); refusal == nil || refusal.Code != message.CodeDuplicate {
		t.Errorf("a committed message again: %v, want duplicate", refusal)
	}
}

// TestDryRun says what a submission would, again and again, because it changes nothing.
//
// Rules: P10.1.
func TestDryRun(t *testing.T) {
	t.Parallel()
	c := newChain(t, 10)
	alice := c.Join("alice", 1)
	c.Commit()
	create := c.create(alice, "hello")
	bundle := c.Sign(alice, message.CommitBundle(create.Hash, message.Content{}, ledgertest.NewCommit(ledgertest.Hash("1"))))
	dryRun := func(m *message.Envelope) *message.Refusal {
		refusal, err := c.pool.DryRun(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		return refusal
	}
	for range 2 {
		if refusal := dryRun(create); refusal != nil {
			t.Fatal(refusal)
		}
		if refusal := dryRun(bundle); refusal == nil || refusal.Code != message.CodeUnknownProject {
			t.Fatalf("a bundle for a project nobody sent: %v, want unknown_project", refusal)
		}
	}
	c.mustSubmit(create)
	for range 2 {
		if refusal := dryRun(bundle); refusal != nil {
			t.Fatalf("a bundle for a pending project: %v", refusal)
		}
	}
	if c.pool.Len() != 1 || len(c.broadcast) != 1 {
		t.Errorf("%d messages wait and %d reached consensus, want 1 and 1", c.pool.Len(), len(c.broadcast))
	}
}

// TestFates waits for a message that commits, one that another's message makes impossible, and one that grows
// too old.
//
// Rules: P10.4.
func TestFates(t *testing.T) {
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
	if status := c.status(second); status.State != mempool.Refused || status.Refusal.Code != message.CodeStaleWrite {
		t.Errorf("refused message: %+v, want its refusal", status)
	}
	old := c.SignAt(bob, c.Now(), message.Star(good.Hash))
	if refusal := c.submit(old); refusal == nil || refusal.Code != message.CodeUnknownProject {
		t.Errorf("a star for another's pending project: %v, want unknown_project: only one's own pending messages count", refusal)
	}
	c.next()
	if status := <-waited; status.State != mempool.Committed || status.Height != 1 {
		t.Errorf("waited for %+v, want it committed in block 1", status)
	}
	late := c.Sign(bob, message.Star(good.Hash))
	c.mustSubmit(late)
	c.SkipTo(c.Block.Time + ledger.MaxDrift + 10)
	c.now = time.Unix(int64(c.Block.Time), 0)
	c.pool.Committed(&ledger.Committed{Block: ledger.Block{Height: 2, Time: c.Block.Time}})
	if status := c.status(late); status.State != mempool.Expired || status.Refusal == nil {
		t.Errorf("message that grew too old: %+v, want it expired with a reason", status)
	}
	if refused := c.pool.DrainRefused(); len(refused) != 2 {
		t.Errorf("%d messages left without a commit, want 2", len(refused))
	}
}

// TestTurns fills a pool from one sender and gives another one message: it is in the next block all the same,
// near its beginning.
//
// Rules: P6.5.
func TestTurns(t *testing.T) {
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
	chosen := c.pool.Candidates()
	if len(chosen) != ledger.MaxProjectMessages+1 {
		t.Errorf("%d messages chosen, want %d of the busy project and one more", len(chosen), ledger.MaxProjectMessages)
	}
	place := -1
	for i, m := range chosen {
		if m.Owner == bob.Address {
			place = i
		}
	}
	if place < 0 || place > 1 {
		t.Errorf("bob's message is number %d of the block, want one of the first two", place)
	}
	if got := len(c.next().Applied) + len(c.next().Applied); got != ledger.MaxProjectMessages+51 {
		t.Errorf("two blocks hold %d messages, want all %d", got, ledger.MaxProjectMessages+51)
	}
}

// TestBrokenRead fails a submission whose state cannot be read, which is no verdict, and takes the message once it
// can be read again.
func TestBrokenRead(t *testing.T) {
	t.Parallel()
	c := newChain(t, 10)
	alice := c.Join("alice", 1)
	c.Commit()
	create := c.create(alice, "hello")
	c.broken = errors.New("the disk is gone")
	if refusal, err := c.pool.Submit(t.Context(), create); refusal != nil || !errors.Is(err, c.broken) {
		t.Errorf("refusal %v, error %v; want the error of the disk", refusal, err)
	}
	c.broken = nil
	c.mustSubmit(create)
}

// TestBrokenEngine has consensus fail in the middle of a batch. What was taken in before stays, the rest is refused
// as unavailable, and is taken when consensus goes on.
//
// Rules: P10.3.
func TestBrokenEngine(t *testing.T) {
	t.Parallel()
	c := newChain(t, 10)
	alice := c.Join("alice", 1)
	c.Commit()
	project := c.create(alice, "hello")
	bundle := c.Sign(alice, message.CommitBundle(project.Hash, message.Content{}, ledgertest.NewCommit(ledgertest.Hash("1"))))
	ref := c.Sign(alice, message.RefUpdate(project.Hash, "main", message.RefMove{New: ledgertest.Hash("1"), Nonce: 1}))
	invalid := c.create(alice, "-")
	stopped := errors.New("consensus has stopped")
	c.engine = func(tx []byte) error {
		if string(tx) == string(bundle.Transaction()) {
			return stopped
		}
		return nil
	}
	verdicts, err := c.pool.SubmitBatch(t.Context(), []*message.Envelope{project, bundle, invalid, ref})
	if !errors.Is(err, stopped) || len(verdicts) != 4 || verdicts[0] != nil {
		t.Fatalf("verdicts %v, error %v; want the first message taken in, and the error of consensus", verdicts, err)
	}
	for i, code := range []message.Code{message.CodeUnavailable, message.CodeInvalidField, message.CodeUnavailable} {
		if refusal := verdicts[i+1]; refusal == nil || refusal.Code != code {
			t.Errorf("message %d: %v, want %s", i+1, refusal, code)
		}
	}
	if status := c.status(bundle); status.State != mempool.Refused || c.pool.Len() != 1 {
		t.Errorf("the message that consensus does not have: %+v, with %d pending; want it refused and the first pending", status, c.pool.Len())
	}
	c.engine = nil
	if refusal := c.submit(ref); refusal == nil || refusal.Code != message.CodeUnknownCommit {
		t.Errorf("a message that builds on one that was not taken in: %v, want unknown_commit", refusal)
	}
	c.mustSubmit(bundle, ref)
	if applied := c.next().Applied; len(applied) != 3 {
		t.Errorf("%d messages applied, want 3", len(applied))
	}
}
