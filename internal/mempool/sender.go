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
	// maxSessionAge is the age at which a session is restarted, unless minSessionFactor allows more. Its block time, against
	// which timestamps are checked, lags behind the clock by at most that.
	maxSessionAge = 5 * time.Second
	// minSessionFactor is how many times the duration of its start a session is used at least, so that a sender with many
	// pending messages does not have all of them applied again for every block, or even for every message.
	minSessionFactor = 10
	// minRefusalFactor is the same for a session that refuses a message and is not based on the latest block.
	minRefusalFactor = 3
	// maxIdleSenders is the number of senders without pending messages that are kept until the next block, and
	// maxIdleSession the memory of the session of each, in bytes. Refused messages need no pending ones.
	maxIdleSenders = 1_024
	maxIdleSession = 64 << 10
	// trimSession is the memory of a session in bytes beyond which it drops the rows that were only read. Rows that were
	// written are limited by the cost of pending messages.
	trimSession = 16 << 20
)

// sender holds the pending messages of one account and a session: the state after them.
type sender struct {
	pool  *Pool
	owner ident.Address

	// Guarded by pool.mu:
	queue   []*entry // in order of admission; removed entries stay until the next call of entries
	pending int      // entries of queue that are pending
	share   share    // of everything that is pending
	keys    int      // entries of queue that are pending and change the keys of the account
	users   int      // calls that hold the sender; it is not dropped meanwhile
	active  bool     // it is in pool.active
	idle    bool     // it counts in pool.idle
	dropped bool     // it is not in pool.senders any more, with no users; never reset
	// recheckedHeight is the latest block at the time of the last recheck, recheckedAt.
	recheckedHeight uint64
	recheckedAt     time.Time
	recheckDuration time.Duration // of the last recheck
	// stale reports that the session contains a message that left the pool uncommitted, or lacks one that a block holds.
	stale bool

	mu            sync.Mutex // guards the fields below; locked before pool.mu
	session       *ledger.Session
	snapshot      Snapshot
	startedAt     time.Time
	startDuration time.Duration
	trimAt        int // memory at which the session is trimmed
	failed        ledger.FailedSearches
	failedHeight  uint64        // latest block at the time of the failed searches
	spent         time.Duration // estimated processor time since acquireSender
}

// acquireSender returns the sender of an account, which it creates if necessary, with s.mu locked. The caller must call
// release.
func (p *Pool) acquireSender(owner ident.Address) *sender {
	p.mu.Lock()
	s := p.senders[owner]
	if s == nil {
		s = &sender{pool: p, owner: owner}
		s.share = share{sender: s, group: p.quotas.all}
		p.senders[owner] = s
	}
	s.users++
	if s.idle {
		s.idle = false
		p.idle--
	}
	p.mu.Unlock()
	s.mu.Lock()
	s.spent = 0
	return s
}

// release unlocks the sender. Without pending messages it is kept until the next block at most, with little memory.
func (s *sender) release() {
	p := s.pool
	p.mu.Lock()
	s.users--
	unused, dropped := s.users == 0 && s.pending == 0, false
	if unused {
		if dropped = p.idle >= maxIdleSenders; dropped {
			delete(p.senders, s.owner)
		} else {
			s.idle = true
			p.idle++
		}
	}
	p.mu.Unlock()
	if dropped || unused && s.session != nil && s.session.Bytes() > maxIdleSession {
		_ = s.closeSession() // the store reports snapshots that are not closed
	}
	s.mu.Unlock()
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
		if _, refusal, err := s.restartSession(m); refusal != nil || err != nil {
			return nil, refusal, err
		}
	}
	effects, refusal, err := s.applyOnce(m, nil)
	if refusal != nil && s.outdated() {
		if _, refusal, err := s.restartSession(m); refusal != nil || err != nil {
			return nil, refusal, err
		}
		effects, refusal, err = s.applyOnce(m, nil)
	}
	if err != nil {
		err = errors.Join(err, s.closeSession()) // a session keeps a read error; the next message needs a new one
	}
	return effects, refusal, err
}

// applyOnce applies m to the session as it is. before is its execution in an earlier session, nil if there is none. s.mu must
// be held.
func (s *sender) applyOnce(m *message.Envelope, before *ledger.Execution) (*ledger.Effects, *message.Refusal, error) {
	visits := s.session.Visits()
	effects, refusal, err := s.session.Reapply(m, before)
	s.spent += applyCost(m, s.session.Visits()-visits)
	if s.session.Bytes() > s.trimAt {
		s.session.Trim()
		s.trimAt = max(trimSession, 2*s.session.Bytes())
	}
	return effects, refusal, err
}

// canApply reports whether m may be applied to the session as it is. An outdated session is still used while the sender
// has pending messages, unless another account has changed a project that m acts on: to apply all pending messages
// again for every block would be expensive. The session contains what the sender has in those blocks, and apply repeats
// a refusal on the latest block. s.mu must be held.
func (s *sender) canApply(m *message.Envelope) bool {
	if s.session == nil {
		return false
	}
	age, minAge := s.pool.config.Now().Sub(s.startedAt), minSessionFactor*s.startDuration
	if age >= max(maxSessionAge, minAge) {
		return false
	}
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	if !s.stale && s.snapshot.Height() >= s.pool.height {
		return true
	}
	if s.stale || s.pending == 0 {
		return false
	}
	return age < minAge || !s.pool.changes.byOthers(m, s.snapshot.Height())
}

// outdated reports whether the session is stale or not based on the latest block, so that a refusal may be wrong. It is not
// while the session is so new that to restart it for every refusal would take most of the time. s.mu must be held.
func (s *sender) outdated() bool {
	if s.pool.config.Now().Sub(s.startedAt) < minRefusalFactor*s.startDuration {
		return false
	}
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	return s.stale || s.snapshot.Height() < s.pool.height
}

// restartSession replaces the session by one that is based on the latest block and has the pending messages applied, so
// that it is no longer stale. It returns the messages that no longer apply. If pending messages would be applied for a
// message that is not authorized to act for the account, it returns the refusal of that message instead and keeps the
// session. s.mu must be held.
func (s *sender) restartSession(forMessage *message.Envelope) (refused []ledger.Refused, refusal *message.Refusal, err error) {
	s.pool.mu.Lock()
	wasStale, entries := s.stale, slices.Clone(s.entries())
	executions := make([]*ledger.Execution, len(entries)) // in the old session, then in the new one
	for i, e := range entries {
		executions[i] = e.execution
	}
	s.stale = false
	s.pool.mu.Unlock()
	// After the entries: a message that is committed between the two is applied to a state that contains it, and refused.
	latest := s.pool.config.Latest()
	if forMessage != nil && len(entries) > 0 {
		if refusal, err = s.authorize(forMessage, latest); refusal != nil || err != nil {
			s.pool.mu.Lock()
			s.stale = s.stale || wasStale
			s.pool.mu.Unlock()
			return nil, refusal, errors.Join(err, latest.Close())
		}
	}
	if err := s.closeSession(); err != nil {
		return nil, nil, errors.Join(err, latest.Close())
	}
	s.snapshot, s.startedAt, s.trimAt = latest, s.pool.config.Now(), trimSession
	if height := s.snapshot.Height(); height != s.failedHeight {
		s.failed.Clear()
		s.failedHeight = height
	}
	s.session = s.pool.ledger.Begin(s.snapshot, nextBlock(s.snapshot, s.startedAt))
	s.session.Remember(&s.failed)
	s.session.Record()
	for i, e := range entries {
		_, refusal, err := s.applyOnce(e.Envelope, executions[i])
		executions[i] = s.session.Recorded()
		if err != nil {
			return nil, nil, errors.Join(err, s.closeSession())
		}
		if refusal != nil {
			refused = append(refused, ledger.Refused{Message: e.Envelope, Refusal: refusal})
		}
	}
	s.startDuration = s.pool.config.Now().Sub(s.startedAt)
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	for i, e := range entries {
		e.execution = executions[i]
	}
	return refused, nil, nil
}

// nextBlock returns the block to which messages are applied after a snapshot.
func nextBlock(after Snapshot, at time.Time) ledger.Block {
	return ledger.Block{Height: after.Height() + 1, Time: uint64(at.Unix())}
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
			s.dropped = true
		}
	}
	p.idle = 0 // all idle senders were dropped
	return idle
}
