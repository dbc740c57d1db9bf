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
	// projects are those that what is applied to the session acts on, and stale says that somebody else has changed
	// one of them, or the account, since the session began.
	projects map[ident.Hash]struct{}
	stale    bool

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
		s = &sender{pool: p, owner: owner, projects: make(map[ident.Hash]struct{})}
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
func (s *sender) judge(m *message.Envelope) (*ledger.Touched, *message.Refusal, error) {
	if err := s.refresh(m); err != nil {
		return nil, nil, err
	}
	touched, refusal, err := s.session.Apply(m)
	if err != nil {
		// A session that failed to read is of no use, and the next message shall not meet its failure.
		err = errors.Join(err, s.close())
	}
	return touched, refusal, err
}

// refresh makes sure that the session runs at the node's time and says of m what one that builds on the latest block
// would.
func (s *sender) refresh(m *message.Envelope) error {
	now := s.pool.config.Now()
	s.pool.mu.Lock()
	fresh := s.session != nil && now.Sub(s.begun) < sessionAge && (s.snapshot.Height() >= s.pool.height || s.lasts(m))
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

// lasts says whether the blocks since the session began make no difference to m: nobody else has changed what it acts
// on, and what the sender had in them is applied. To judge all that is pending again for every block would cost the
// more the more there is. The caller holds pool.mu.
func (s *sender) lasts(m *message.Envelope) bool {
	if _, ofProject := m.Project(); !ofProject || s.stale || s.live == 0 {
		return false
	}
	for _, project := range m.Projects() {
		if _, known := s.projects[project]; !known {
			return false
		}
	}
	return true
}

// note adds what a message that is applied to the session acts on. The caller holds pool.mu.
func (s *sender) note(touched *ledger.Touched) {
	for _, project := range touched.Projects {
		s.projects[project] = struct{}{}
	}
}

// outdate marks the sessions that a block leaves behind. The caller holds p.mu.
func (p *Pool) outdate(block *ledger.Committed) {
	changed := make(map[ident.Hash]ident.Address, len(block.Applied)) // projects, by who changed them
	for _, applied := range block.Applied {
		author := applied.Message.Owner
		for _, project := range applied.Touched.Projects {
			if other, taken := changed[project]; taken && other != author {
				changed[project] = ident.Address{} // several; nobody has this address
			} else {
				changed[project] = author
			}
		}
		for _, account := range applied.Touched.Accounts {
			if s := p.senders[account]; s != nil && account != author {
				s.stale = true
			}
		}
	}
	for owner, s := range p.senders {
		for project := range s.projects {
			if author, found := changed[project]; found && author != owner {
				s.stale = true
			}
		}
	}
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
