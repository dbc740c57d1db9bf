package mempool_test

import (
	"context"
	"errors"
	"net/netip"
	"runtime"
	"strconv"
	"testing"
	"time"

	"makechain/internal/ident"
	"makechain/internal/ledgertest"
	"makechain/internal/limit"
	"makechain/internal/mempool"
	"makechain/message"
)

// meter adds up what is charged. It returns the error from Check when more than its budget was charged.
type meter struct {
	charged, budget time.Duration
	exceeded        error
}

func (m *meter) Charge(cost time.Duration) { m.charged += cost }
func (*meter) Wait(context.Context) error  { return nil }

func (m *meter) Check() error {
	if m.exceeded != nil && m.charged > m.budget {
		return m.exceeded
	}
	return nil
}

// searches is a chain with a ref from which most commits of its project do not descend: to find that out, an update visits
// up to their number.
type searches struct {
	*chain

	alice, bob *ledgertest.Actor
	project    *message.Envelope
	commits    int
}

func newSearches(t *testing.T, commits int, config mempool.Config) *searches {
	t.Helper()
	s := &searches{chain: newChainOf(t, config), commits: commits}
	s.alice, s.bob = s.Join("alice", 1), s.Join("bob", 1)
	s.Commit()
	s.project = s.create(s.alice, "hello")
	s.mustSubmit(s.project)
	s.next()
	bundle := []message.Commit{ledgertest.NewCommit(ledgertest.Hash("old")), ledgertest.NewCommit(s.commit(0))}
	for i := 1; i < commits; i++ {
		bundle = append(bundle, ledgertest.NewCommit(s.commit(i), s.commit(i-1)))
	}
	s.mustSubmit(s.Sign(s.alice, message.CommitBundle(s.project.Hash, message.Content{}, bundle...)),
		s.Sign(s.alice, message.RefUpdate(s.project.Hash, "main", message.RefMove{New: ledgertest.Hash("old"), Nonce: 1})))
	s.next()
	return s
}

func (*searches) commit(i int) ident.Hash { return ledgertest.Hash("commit " + strconv.Itoa(i)) }

// refused returns an update to a commit that is not a fast-forward.
func (s *searches) refused(commit int, later uint32) *message.Envelope {
	move := message.RefMove{New: s.commit(commit), Nonce: 2}
	return s.SignAt(s.alice, s.Now()+later, message.RefUpdate(s.project.Hash, "main", move))
}

// TestCharge checks that submissions and dry runs charge the client for their messages and for the commits that they visit,
// although they are refused, and that a search that failed is not repeated and charged again until the next block.
//
// Rules: P9.3, P10.1.
func TestCharge(t *testing.T) {
	t.Parallel()
	const commits = 500
	s := newSearches(t, commits, mempool.Config{Capacity: 100, Workers: 1})
	charged := func(commit int, later uint32, submit func(context.Context, *message.Envelope) (*message.Refusal, error)) time.Duration {
		m := new(meter)
		refusal, err := submit(limit.WithMeter(t.Context(), m), s.refused(commit, later))
		if err != nil || refusal == nil || refusal.Code != message.CodeNotFastForward {
			t.Fatalf("%v, %v; want not_fast_forward", refusal, err)
		}
		return m.charged
	}
	const search = (commits - 100) * limit.CostVisit
	if got := charged(commits-1, 0, s.pool.Submit); got < limit.CostMessage+search {
		t.Errorf("%v charged for a search", got)
	}
	for later := range uint32(10) {
		if got := charged(commits-1, later+1, s.pool.Submit); got < limit.CostMessage || got > search {
			t.Errorf("%v charged for the same search again", got)
		}
	}
	if got := charged(commits-1, 11, s.pool.DryRun); got < limit.CostMessage || got > search {
		t.Errorf("%v charged for a dry run with the same search", got)
	}
	if got := charged(commits-2, 12, s.pool.DryRun); got < limit.CostMessage+search {
		t.Errorf("%v charged for a dry run with another search", got)
	}
	s.nextOfPeer()()
	if got := charged(commits-1, 13, s.pool.Submit); got < limit.CostMessage+search {
		t.Errorf("%v charged for the search after a block", got)
	}
}

// TestChargeForReplay checks that the client whose message makes the pool apply pending messages again is charged for them.
//
// Rules: P10.1.
func TestChargeForReplay(t *testing.T) {
	t.Parallel()
	b := newOutdated(t)
	pending := b.pool.Len()
	charge := func() time.Duration {
		m := new(meter)
		if refusal, err := b.pool.Submit(limit.WithMeter(t.Context(), m), b.commit()); refusal != nil || err != nil {
			t.Fatal(refusal, err)
		}
		return m.charged
	}
	first, second := charge(), charge()
	if first-second < time.Duration(pending)*10*time.Microsecond {
		t.Errorf("%v charged with %d pending messages to apply again, %v without", first, pending, second)
	}
}

// TestExpensiveBatch checks that a batch of messages that are expensive to refuse lets a message of another client pass, and
// ends when its client has exceeded its budget.
//
// Rules: P10.1, P10.3.
func TestExpensiveBatch(t *testing.T) {
	t.Parallel()
	type clientKey struct{}
	config := mempool.Config{Capacity: 1_000, Workers: 1, Client: func(ctx context.Context) netip.Prefix {
		client, _ := ctx.Value(clientKey{}).(byte)
		return netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 0, 2, client}), 32)
	}}
	s := newSearches(t, 900, config)
	var batch []*message.Envelope
	for i := range 50 {
		batch = append(batch, s.refused(800+i, 0))
	}
	last, other := s.create(s.alice, "last"), s.create(s.bob, "other")
	batch = append(batch, last)
	submitted := make(chan error, 1)
	s.onRow = func() {
		s.onRow = nil
		go func() {
			refusal, err := s.pool.Submit(context.WithValue(t.Context(), clientKey{}, byte(2)), other)
			if refusal != nil {
				err = refusal
			}
			submitted <- err
		}()
		for s.pool.Waiting() == 0 {
			runtime.Gosched()
		}
	}
	s.tick = time.Microsecond
	refusals, err := s.pool.SubmitBatch(context.WithValue(t.Context(), clientKey{}, byte(1)), batch)
	if err != nil || refusals[50] != nil {
		t.Fatal(refusals, err)
	}
	if err := <-submitted; err != nil {
		t.Fatal(err)
	}
	if first, second := s.statusOf(other).SeenAt, s.statusOf(last).SeenAt; !first.Before(second) {
		t.Errorf("the message of another client was admitted at %v, after the batch at %v", first, second)
	}
	s.nextOfPeer()()
	m := &meter{budget: 10 * time.Millisecond, exceeded: errors.New("over budget")}
	refusals, err = s.pool.SubmitBatch(limit.WithMeter(t.Context(), m), batch[:50])
	if !errors.Is(err, m.exceeded) || refusals[0].Code != message.CodeNotFastForward || refusals[49].Code != message.CodeUnavailable {
		t.Errorf("%v, then %v with error %v; want not_fast_forward, then unavailable", refusals[0], refusals[49], err)
	}
	if m.charged > 30*time.Millisecond {
		t.Errorf("%v charged with a budget of %v", m.charged, m.budget)
	}
}
