package mempool

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"makechain/internal/ident"
	"makechain/internal/ledger"
)

const (
	// reviewAge is how long a message waits before it is looked at again, when somebody changed what it acts on: longer
	// than most wait at all. Others are looked at each patientAge, for what seldom happens.
	reviewAge  = time.Second
	patientAge = 10 * time.Second
	// repeatAge is how long a message waits, first and then again, before peers are told of it once more.
	repeatAge = 3 * time.Second
	// maxReviewed and maxRepeated bound the work of one review.
	maxReviewed = 2_000
	maxRepeated = 256
)

// Recheck looks again at what has waited for a while. It is to be called now and then.
//
// What no longer applies is refused. A proposer finds that out by proposing, but a node that does not propose would
// keep the message, and have its sender wait, until it expires.
//
// What still applies is given back, a little at a time, to be handed to peers once more. A peer that was behind when
// it first heard of a message may have refused what it would take now.
func (p *Pool) Recheck() (again [][]byte, err error) {
	for _, owner := range p.unreviewed() {
		if err := p.review(owner); err != nil {
			return nil, err
		}
	}
	return p.overdue(), nil
}

// unreviewed lists senders with messages that have waited since before the latest block, those first that were not
// looked at for longest.
func (p *Pool) unreviewed() []ident.Address {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.config.Now()
	var late []*sender
	for _, s := range p.turns() {
		age := patientAge
		if s.stale || s.overtaken() {
			age = reviewAge
		}
		if s.reviewed < p.height && now.Sub(s.waiting()[0].seen) >= age && now.Sub(s.reviewedAt) >= age {
			late = append(late, s)
		}
	}
	slices.SortStableFunc(late, func(a, b *sender) int { return cmp.Compare(a.reviewed, b.reviewed) })
	var owners []ident.Address
	for count := 0; len(late) > 0 && count < maxReviewed; late = late[1:] {
		count += late[0].live
		owners = append(owners, late[0].owner)
	}
	return owners
}

// overtaken says whether somebody else has lately changed what a pending message acts on. The caller holds pool.mu.
func (s *sender) overtaken() bool {
	return slices.ContainsFunc(s.waiting(), func(e *entry) bool { return s.pool.moves.since(s.reviewed, e.Envelope) })
}

// review judges all that a sender has pending anew.
func (p *Pool) review(owner ident.Address) error {
	s := p.enter(owner)
	defer s.leave()
	p.mu.Lock()
	waiting := s.restart()
	s.reviewed, s.reviewedAt = p.height, p.config.Now()
	p.mu.Unlock()
	refused, err := s.begin(waiting)
	if err != nil {
		return err
	}
	for _, r := range refused {
		// A block that is durable, and of which the pool is about to be told, may hold it.
		_, _, committed, err := p.config.Position(r.Message.Hash)
		if err != nil {
			return err
		}
		if !committed {
			p.Refuse([]ledger.Refused{r})
		}
	}
	return nil
}

// overdue lists what peers should hear of once more, in the order it was sent.
func (p *Pool) overdue() [][]byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.config.Now()
	var transactions [][]byte
	for _, s := range p.turns() {
		for _, e := range s.waiting() {
			if len(transactions) == maxRepeated {
				return transactions
			}
			if now.Sub(e.told) >= repeatAge {
				e.told = now
				transactions = append(transactions, e.Transaction())
			}
		}
	}
	return transactions
}

// turns lists senders with pending messages in the order they take turns, and forgets all others. The caller holds
// p.mu.
func (p *Pool) turns() []*sender {
	kept := p.ring[:0]
	for _, s := range p.ring {
		if s.ringed = s.live > 0; s.ringed {
			kept = append(kept, s)
		}
	}
	clear(p.ring[len(kept):])
	p.ring = kept
	return kept
}

// begin has a session of the sender build on the latest block, with what it has pending applied. It gives what no
// longer applies; what follows is judged without it. The caller holds s.mu.
func (s *sender) begin(waiting []*entry) (refused []ledger.Refused, err error) {
	if err := s.close(); err != nil {
		return nil, err
	}
	s.snapshot, s.begun = s.pool.config.Latest(), s.pool.config.Now()
	block := ledger.Block{Height: s.snapshot.Height() + 1, Time: uint64(s.begun.Unix())}
	s.session = s.pool.ledger.Begin(s.snapshot, block)
	for _, e := range waiting {
		_, refusal, err := s.session.Apply(e.Envelope)
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
		if refusal != nil {
			refused = append(refused, ledger.Refused{Message: e.Envelope, Refusal: refusal})
		}
	}
	s.took = s.pool.config.Now().Sub(s.begun)
	return refused, nil
}
