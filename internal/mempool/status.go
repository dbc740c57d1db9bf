package mempool

import (
	"context"
	"time"

	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/message"
)

// State is what became of a message.
type State int

// What can become of a message.
const (
	Unknown State = iota
	Pending
	Committed
	Refused
	Expired
)

// Status is the fate of a message as far as it is known (P10.4).
type Status struct {
	State   State
	Height  uint64 // when committed
	Index   uint32
	Refusal *message.Refusal // when refused or expired
	SeenAt  time.Time        // when it was taken in; zero when not known any more
}

// fates remembers what left the pool without being committed, the oldest first to be forgotten.
type fates struct {
	known   map[ident.Hash]fate
	order   []remembered
	fresh   []ledger.Refused // since the last call of DrainRefused
	waiters map[ident.Hash][]chan Status
}

type fate struct {
	Status
	at time.Time
}

type remembered struct {
	hash ident.Hash
	at   time.Time
}

func (f *fates) init() {
	f.known = make(map[ident.Hash]fate)
	f.waiters = make(map[ident.Hash][]chan Status)
}

// settle records the fate of a message and tells who waits for it. The caller holds p.mu.
func (p *Pool) settle(m *message.Envelope, status Status) {
	f, hash := &p.fates, m.Hash
	for _, waiter := range f.waiters[hash] {
		waiter <- status // has room for one, and gets one
	}
	delete(f.waiters, hash)
	if status.State == Committed {
		delete(f.known, hash)
		return
	}
	now := p.config.Now()
	f.known[hash] = fate{status, now}
	f.fresh = append(f.fresh, ledger.Refused{Message: m, Refusal: status.Refusal})
	f.order = append(f.order, remembered{hash, now})
	for len(f.order) > MaxRefusals || now.Sub(f.order[0].at) > RefusalLifetime {
		oldest := f.order[0]
		f.order = f.order[1:]
		// One that was sent and refused again since is remembered by its later place.
		if f.known[oldest.hash].at.Equal(oldest.at) {
			delete(f.known, oldest.hash)
		}
	}
}

// Status tells what became of a message. Unknown means that this node has not taken it in, or forgot it.
func (p *Pool) Status(hash ident.Hash) (Status, error) {
	p.mu.Lock()
	e, status := p.pending[hash], p.fates.known[hash].Status
	p.mu.Unlock()
	if e != nil {
		return Status{State: Pending, SeenAt: e.seen}, nil
	}
	height, index, found, err := p.config.Position(hash)
	if err != nil || !found {
		return status, err
	}
	return Status{State: Committed, Height: height, Index: index}, nil
}

// Wait returns when a pending message leaves the pool, with its fate, or when ctx ends, with what is known then.
func (p *Pool) Wait(ctx context.Context, hash ident.Hash) (Status, error) {
	p.mu.Lock()
	if p.pending[hash] == nil {
		p.mu.Unlock()
		return p.Status(hash)
	}
	fate := make(chan Status, 1)
	p.fates.waiters[hash] = append(p.fates.waiters[hash], fate)
	p.mu.Unlock()
	select {
	case status := <-fate:
		return status, nil
	case <-ctx.Done():
		p.dropWaiter(hash, fate)
		return p.Status(hash)
	}
}

func (p *Pool) dropWaiter(hash ident.Hash, fate chan Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := p.fates.waiters[hash][:0]
	for _, waiter := range p.fates.waiters[hash] {
		if waiter != fate {
			kept = append(kept, waiter)
		}
	}
	if len(kept) == 0 {
		delete(p.fates.waiters, hash)
	} else {
		p.fates.waiters[hash] = kept
	}
}

// DrainRefused hands over what left without being committed since it was last asked, for others to keep.
func (p *Pool) DrainRefused() []ledger.Refused {
	p.mu.Lock()
	defer p.mu.Unlock()
	fresh := p.fates.fresh
	p.fates.fresh = nil
	return fresh
}
