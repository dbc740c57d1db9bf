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
	// maxSessionAge is the age at which a session is restarted. Its block time, against which timestamps are checked, lags
	// behind the clock by at most that.
	maxSessionAge = 5 * time.Second
	// minSessionFactor is how many times the duration of its start a session is used at least, so that a sender with many
	// pending messages does not have all of them applied again for every block.
	minSessionFactor = 10
)

// sender holds the pending messages of one account and a session: the state after them.
type sender struct {
	pool  *Pool
	owner ident.Address

	// Guarded by pool.mu:
	queue   []*entry // in order of admission; removed entries stay until the next call of entries
	pending int      // entries of queue that are pending
	users   int      // calls that hold the sender; it is not dropped meanwhile
	active  bool     // it is in pool.active
	// recheckedHeight is the latest block at the time of the last recheck, recheckedAt.
	recheckedHeight uint64
	recheckedAt     time.Time
	// stale reports that the session contains a message that left the pool uncommitted, or lacks one that a block holds.
	stale bool

	mu            sync.Mutex // guards the fields below; locked before pool.mu
	session       *ledger.Session
	snapshot      Snapshot
	startedAt     time.Time
	startDuration time.Duration
}

// acquireSender returns the sender of an account, which it creates if necessary, with s.mu locked. The caller must call
// release.
func (p *Pool) acquireSender(owner ident.Address) *sender {
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

func (s *sender) release() {
	s.mu.Unlock()
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	s.users--
}

// entries returns the pending messages in order of admission. pool.mu must be held.
func (s *sender) entries() []*entry {
	if len(s.queue) == s.pending {
		return s.queue
	}
	kept := make([]*entry, 0, s.pending)
	for _, e := range s.queue {
		if s.pool.pending[e.Hash] == e {
			kept = append(kept, e)
		}
	}
	s.queue = kept
	return kept
}

// apply applies m to the session, after the pending messages. A refusal is based on the latest block. s.mu must be held.
func (s *sender) apply(m *message.Envelope) (*ledger.Effects, *message.Refusal, error) {
	if !s.canApply(m) {
		// Pending messages that no longer apply are refused by a proposal or a recheck.
		if _, err := s.restartSession(); err != nil {
			return nil, nil, err
		}
	}
	effects, refusal, err := s.session.Apply(m)
	if refusal != nil && s.outdated() {
		if _, err := s.restartSession(); err != nil {
			return nil, nil, err
		}
		effects, refusal, err = s.session.Apply(m)
	}
	if err != nil {
		err = errors.Join(err, s.closeSession()) // a session keeps a read error; the next message needs a new one
	}
	return effects, refusal, err
}

// canApply reports whether m may be applied to the session as it is. An outdated session is still used while the sender
// has pending messages, unless another account has changed a project that m acts on: to apply all pending messages
// again for every block would be expensive. The session contains what the sender has in those blocks, and apply repeats
// a refusal on the latest block. s.mu must be held.
func (s *sender) canApply(m *message.Envelope) bool {
	age := s.pool.config.Now().Sub(s.startedAt)
	if s.session == nil || age >= maxSessionAge {
		return false
	}
	if !s.outdated() {
		return true
	}
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	if s.stale || s.pending == 0 {
		return false
	}
	return age < minSessionFactor*s.startDuration || !s.pool.changes.byOthers(m, s.snapshot.Height())
}

// outdated reports whether the session is stale or not based on the latest block. s.mu must be held.
func (s *sender) outdated() bool {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	return s.stale || s.snapshot.Height() < s.pool.height
}

// restartSession replaces the session by one that is based on the latest block and has the pending messages applied, so
// that it is no longer stale. It returns the messages that no longer apply. s.mu must be held.
func (s *sender) restartSession() (refused []ledger.Refused, err error) {
	if err := s.closeSession(); err != nil {
		return nil, err
	}
	s.pool.mu.Lock()
	s.stale = false
	entries := slices.Clone(s.entries())
	s.pool.mu.Unlock()
	s.snapshot, s.startedAt = s.pool.config.Latest(), s.pool.config.Now()
	block := ledger.Block{Height: s.snapshot.Height() + 1, Time: uint64(s.startedAt.Unix())}
	s.session = s.pool.ledger.Begin(s.snapshot, block)
	for _, e := range entries {
		_, refusal, err := s.session.Apply(e.Envelope)
		if err != nil {
			return nil, errors.Join(err, s.closeSession())
		}
		if refusal != nil {
			refused = append(refused, ledger.Refused{Message: e.Envelope, Refusal: refusal})
		}
	}
	s.startDuration = s.pool.config.Now().Sub(s.startedAt)
	return refused, nil
}

// closeSession drops the session and closes its snapshot. s.mu must be held.
func (s *sender) closeSession() error {
	if s.session == nil {
		return nil
	}
	s.session = nil
	return s.snapshot.Close()
}

// dropIdleSenders drops senders without pending messages and returns all senders whose sessions are of no further use:
// the dropped ones and those with a stale session. p.mu must be held.
func (p *Pool) dropIdleSenders() []*sender {
	var idle []*sender
	for owner, s := range p.senders {
		if s.users > 0 || s.pending > 0 && !s.stale {
			continue
		}
		idle = append(idle, s)
		if s.pending == 0 {
			delete(p.senders, owner)
		}
	}
	return idle
}
