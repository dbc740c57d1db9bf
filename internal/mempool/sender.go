package mempool

import (
	"errors"
	"slices"
	"sync"
	"time"

	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/message"
)

const (
	// sessionAge is how long a sender's session may lag behind the clock that judges timestamps.
	sessionAge = 5 * time.Second
	// sessionWorth is how many times as long as it took to begin a session lasts at least. A sender that has much pending
	// would otherwise have all of it judged again for every block.
	sessionWorth = 10
)

// sender is what one account has pending, and the state as it would be after it.
type sender struct {
	pool  *Pool
	owner ident.Address

	// Guarded by pool.mu:
	queue  []*entry // in order; those that are gone stay until the queue is next gone through
	live   int      // how many of them wait
	users  int      // submissions under way, which keep the sender known
	ringed bool     // it is in the ring
	// reviewed is the latest block when all of them were last judged anew, at reviewedAt.
	reviewed   uint64
	reviewedAt time.Time
	// stale says that the session has applied what did not become part of the chain, or lacks what did.
	stale bool

	mu       sync.Mutex // guards what follows
	session  *ledger.Session
	snapshot Snapshot
	begun    time.Time
	took     time.Duration // to begin
}

// enter finds or makes the sender of an account and locks it for one submission.
func (p *Pool) enter(owner ident.Address) *sender {
	p.mu.Lock()
	s := p.senders[owner]
	if s == nil {
		s = &sender{pool: p, owner: owner}
		p.senders[owner] = s
	}
	s.users++
	p.mu.Unlock()
	s.mu.Lock()
	return s
}

// leave ends what enter began.
func (s *sender) leave() {
	s.mu.Unlock()
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	s.users--
}

// waiting lists what the sender has pending, in order. The caller holds pool.mu.
func (s *sender) waiting() []*entry {
	if len(s.queue) == s.live {
		return s.queue
	}
	kept := make([]*entry, 0, s.live)
	for _, e := range s.queue {
		if s.pool.pending[e.Hash] == e {
			kept = append(kept, e)
		}
	}
	s.queue = kept
	return kept
}

// judge says whether m would apply after what the sender has pending. The caller holds s.mu; on success the
// session has m applied.
func (s *sender) judge(m *message.Envelope) (*message.Refusal, error) {
	if err := s.refresh(m); err != nil {
		return nil, err
	}
	_, refusal, err := s.session.Apply(m)
	if refusal != nil && s.behind() {
		if err := s.renew(); err != nil {
			return nil, err
		}
		_, refusal, err = s.session.Apply(m)
	}
	if err != nil {
		// A session that failed to read is of no use, and the next message shall not meet its failure.
		err = errors.Join(err, s.close())
	}
	return refusal, err
}

// refresh makes sure that the session runs at the node's time, and knows of the blocks that m may rest on.
func (s *sender) refresh(m *message.Envelope) error {
	if s.session != nil && s.pool.config.Now().Sub(s.begun) < sessionAge && (!s.behind() || s.lasts(m)) {
		return nil
	}
	return s.renew()
}

// renew has the session build on the latest block.
func (s *sender) renew() error {
	s.pool.mu.Lock()
	waiting := s.restart()
	s.pool.mu.Unlock()
	_, err := s.begin(waiting) // what no longer applies is for a proposer or a review to refuse
	return err
}

// restart lists what a new session is to apply. The caller holds pool.mu.
func (s *sender) restart() []*entry {
	s.stale = false
	return slices.Clone(s.waiting())
}

// behind says whether there are blocks since the one that the session builds on, or something else became of the
// messages that it has applied.
func (s *sender) behind() bool {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	return s.stale || s.snapshot.Height() < s.pool.height
}

// lasts says whether the session may judge m though there are blocks since. To judge all that is pending again for
// every block would cost the more the more there is, so a sender with messages pending is spared it unless somebody
// else has changed the projects that m acts on. What the sender had in the blocks is applied to the session, and a
// refusal is not taken from it.
func (s *sender) lasts(m *message.Envelope) bool {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	if s.stale || s.live == 0 {
		return false
	}
	return s.pool.config.Now().Sub(s.begun) < sessionWorth*s.took || !s.pool.moves.since(s.snapshot.Height(), m)
}

// idleSenders lists who has no submission under way and a session that is of no more use, and forgets those who have
// nothing pending. The caller holds p.mu.
func (p *Pool) idleSenders() []*sender {
	var idle []*sender
	for owner, s := range p.senders {
		if s.users > 0 || s.live > 0 && !s.stale {
			continue
		}
		idle = append(idle, s)
		if s.live == 0 {
			delete(p.senders, owner)
		}
	}
	return idle
}

// forget drops a session. One that has come into use again looks for itself.
func (s *sender) forget() {
	if !s.mu.TryLock() {
		return
	}
	defer s.mu.Unlock()
	_ = s.close() // a snapshot that cannot be given back is reported by the store when it closes
}

func (s *sender) close() error {
	if s.session == nil {
		return nil
	}
	s.session = nil
	return s.snapshot.Close()
}
