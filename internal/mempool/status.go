package mempool

import (
	"context"
	"errors"
	"slices"
	"time"

	"makechain/internal/ident"
	"makechain/internal/index"
	"makechain/internal/ledger"
	"makechain/message"
)

// State is the state of a message.
type State int

// The states of a message, with the numbers of pb.MessageState.
const (
	Unknown State = iota
	Pending
	Committed
	Refused
	Expired
)

// Status is what became of a message, as far as this node knows (P10.4).
type Status struct {
	State   State
	Height  uint64           // of the block, when committed
	Index   uint32           // in the block, when committed
	Refusal *message.Refusal // when refused or expired
	SeenAt  time.Time        // when the message was added to the pool; zero when no longer known
}

// outcomes keeps the status of messages that left the pool without being committed, up to index.MaxRefusals of them and
// for index.RefusalTTL. The index keeps refusals across restarts.
type outcomes struct {
	byHash    map[ident.Hash]outcome
	order     []outcome        // oldest first
	undrained []ledger.Refused // since the last call of DrainRefused
	waiters   map[ident.Hash][]chan Status
}

// outcome is the status of one message and when it was recorded.
type outcome struct {
	Status

	hash ident.Hash
	at   time.Time
}

// record records the final status of a message and notifies its waiters. p.mu must be held.
func (p *Pool) record(m *message.Envelope, status Status) {
	o, hash := &p.outcomes, m.Hash
	for _, waiter := range o.waiters[hash] {
		waiter <- status // does not block: buffered for the only value it receives
	}
	delete(o.waiters, hash)
	if status.State == Committed {
		delete(o.byHash, hash)
		return
	}
	latest := outcome{status, hash, p.config.Now()}
	o.byHash[hash] = latest
	o.undrained = append(o.undrained, ledger.Refused{Message: m, Refusal: status.Refusal})
	o.order = append(o.order, latest)
	for len(o.order) > index.MaxRefusals || latest.at.Sub(o.order[0].at) > index.RefusalTTL {
		oldest := o.order[0]
		o.order = o.order[1:]
		// A message that was submitted and refused again since has a later outcome, which is kept.
		if o.byHash[oldest.hash].at.Equal(oldest.at) {
			delete(o.byHash, oldest.hash)
		}
	}
}

// Status returns the status of a message. It is Unknown for a message that this node has not admitted, or whose outcome
// it no longer keeps.
func (p *Pool) Status(hash ident.Hash) (Status, error) {
	p.mu.Lock()
	e, status := p.pending[hash], p.outcomes.byHash[hash].Status
	p.mu.Unlock()
	if e != nil {
		return Status{State: Pending, SeenAt: e.admittedAt}, nil
	}
	at, found, err := p.position(hash)
	if err != nil || !found {
		return status, err
	}
	return Status{State: Committed, Height: at.Height, Index: at.Index}, nil
}

// position returns the position of a committed message.
func (p *Pool) position(hash ident.Hash) (at index.Position, found bool, err error) {
	latest := p.config.Latest()
	at, found, err = index.NewReader(latest).Position(hash)
	return at, found, errors.Join(err, latest.Close())
}

// Wait waits until a message is no longer pending, or ctx ends, and returns its status then.
func (p *Pool) Wait(ctx context.Context, hash ident.Hash) (Status, error) {
	p.mu.Lock()
	if p.pending[hash] == nil {
		p.mu.Unlock()
		return p.Status(hash)
	}
	waiter, waiters := make(chan Status, 1), p.outcomes.waiters
	waiters[hash] = append(waiters[hash], waiter)
	p.mu.Unlock()
	select {
	case status := <-waiter:
		return status, nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	waiters[hash] = slices.DeleteFunc(waiters[hash], func(w chan Status) bool { return w == waiter })
	if len(waiters[hash]) == 0 {
		delete(waiters, hash)
	}
	p.mu.Unlock()
	return p.Status(hash)
}

// DrainRefused returns the messages that left the pool without being committed since the last call, for the index to
// store.
func (p *Pool) DrainRefused() []ledger.Refused {
	p.mu.Lock()
	defer p.mu.Unlock()
	drained := p.outcomes.undrained
	p.outcomes.undrained = nil
	return drained
}
