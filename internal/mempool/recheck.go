package mempool

import (
	"cmp"
	"slices"
	"time"

	"makechain/internal/ident"
	"makechain/internal/ledger"
)

const (
	// conflictRecheckAge is how long a message is pending before it is rechecked when its session is stale or another
	// account changed its project; most messages are committed earlier. It is at least conflictRecheckBlocks intervals of
	// blocks: in a network that is overloaded all messages wait longer, and rechecks would take time from their blocks.
	// idleRecheckAge applies otherwise.
	conflictRecheckAge    = time.Second
	conflictRecheckBlocks = 4
	idleRecheckAge        = 10 * time.Second
	// regossipInterval is the time after which a pending message is sent to peers again.
	regossipInterval = 3 * time.Second
	// minRecheckFactor is how many times the duration of a recheck of a sender passes at least until the next one.
	minRecheckFactor = 10
	// maxRecheckedCost limits the cost of the messages that one Recheck applies, except for the first sender, and
	// maxRegossiped the messages that it returns.
	maxRecheckedCost = 8 << 20
	maxRegossiped    = 256
)

// Recheck refuses pending messages that no longer apply and returns transactions to send to peers again. It is called
// periodically.
//
// A proposer discovers messages that no longer apply when it makes a block. A node that does not propose would keep them
// until they expire. A limited number of messages is sent again because a peer that was behind may have refused what it
// would admit now.
func (p *Pool) Recheck() (regossip [][]byte, err error) {
	for _, owner := range p.dueForRecheck() {
		if err := p.recheck(owner); err != nil {
			return nil, err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.config.Now()
	for _, s := range p.activeSenders() {
		for _, e := range s.entries() {
			if len(regossip) == maxRegossiped {
				return regossip, nil
			}
			if now.Sub(e.gossipedAt) >= regossipInterval {
				e.gossipedAt = now
				regossip = append(regossip, e.Transaction())
			}
		}
	}
	return regossip, nil
}

// dueForRecheck returns the accounts whose messages have been pending since before the latest block and are due, those
// with the oldest recheck first.
func (p *Pool) dueForRecheck() []ident.Address {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.config.Now()
	var due []*sender
	for _, s := range p.activeSenders() {
		changed := func(e *entry) bool { return p.changes.byOthers(e.Envelope, s.recheckedHeight) }
		age := idleRecheckAge
		if s.stale || slices.ContainsFunc(s.entries(), changed) {
			age = min(idleRecheckAge, max(conflictRecheckAge, conflictRecheckBlocks*p.blockInterval))
		}
		age = max(age, minRecheckFactor*s.recheckDuration)
		if s.recheckedHeight < p.height && now.Sub(s.entries()[0].admittedAt) >= age && now.Sub(s.recheckedAt) >= age {
			due = append(due, s)
		}
	}
	slices.SortStableFunc(due, func(a, b *sender) int { return cmp.Compare(a.recheckedHeight, b.recheckedHeight) })
	var owners []ident.Address
	for total := 0; len(due) > 0 && total < maxRecheckedCost; due = due[1:] {
		total += p.quotas.usedBy(due[0], p.quotas.all)[cost]
		owners = append(owners, due[0].owner)
	}
	return owners
}

// recheck applies the pending messages of an account to the latest state and refuses those that no longer apply.
func (p *Pool) recheck(owner ident.Address) error {
	s := p.acquireSender(owner)
	defer s.release()
	p.mu.Lock()
	s.recheckedHeight, s.recheckedAt = p.height, p.config.Now()
	p.mu.Unlock()
	refused, _, err := s.restartSession(nil)
	if err != nil {
		return err
	}
	p.mu.Lock()
	s.recheckDuration = s.startDuration
	p.mu.Unlock()
	for _, r := range refused {
		// The message may be in a durable block for which Committed has not been called yet.
		_, committed, err := p.position(r.Message.Hash)
		if err != nil {
			return err
		}
		if !committed {
			p.Refuse([]ledger.Refused{r})
		}
	}
	return nil
}

// activeSenders returns the senders with pending messages in round-robin order and removes all others from p.active.
// p.mu must be held.
func (p *Pool) activeSenders() []*sender {
	p.active = slices.DeleteFunc(p.active, func(s *sender) bool {
		s.active = s.pending > 0
		return !s.active
	})
	return p.active
}
