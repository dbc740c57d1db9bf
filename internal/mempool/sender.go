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

// sessionAge is how long a sender's session may lag behind the clock that judges timestamps.
const sessionAge = 5 * time.Second

// sender is what one account has pending, and the state as it would be after it.
type sender struct {
	pool  *Pool
	owner ident.Address

	// Guarded by pool.mu:
	queue  []*entry // in order; those that are gone stay until the queue is next gone through
	live   int      // how many of them wait
	users  int      // submissions under way, which keep the sender known
	ringed bool     // it is in the ring
	// reviewed is the latest block when all of them were last judged anew.
	reviewed uint64

	mu       sync.Mutex // guards what follows
	session  *ledger.Session
	snapshot Snapshot
	begun    time.Time
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
	if err := s.refresh(); err != nil {
		return nil, err
	}
	_, refusal, err := s.session.Apply(m)
	if err != nil {
		// A session that failed to read is of no use, and the next message shall not meet its failure.
		err = errors.Join(err, s.close())
	}
	return refusal, err
}

// refresh makes sure that the session builds on the latest block and runs at the node's time.
func (s *sender) refresh() error {
	now := s.pool.config.Now()
	s.pool.mu.Lock()
	fresh := s.session != nil && s.snapshot.Height() >= s.pool.height && now.Sub(s.begun) < sessionAge
	var waiting []*entry
	if !fresh {
		waiting = slices.Clone(s.waiting())
	}
	s.pool.mu.Unlock()
	if fresh {
		return nil
	}
	_, err := s.begin(waiting) // what no longer applies is for a proposer or a review to refuse
	return err
}

// idleSenders lists who has no submission under way, and forgets those who have nothing pending either. The
// caller holds p.mu.
func (p *Pool) idleSenders() []*sender {
	var idle []*sender
	for owner, s := range p.senders {
		if s.users > 0 {
			continue
		}
		idle = append(idle, s)
		if s.live == 0 {
			delete(p.senders, owner)
		}
	}
	return idle
}

// forget drops the session once a block has made it old. One that has come into use again looks for itself.
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
