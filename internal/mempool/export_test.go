package mempool

import "makechain/internal/ident"

// Waiting returns the number of clients whose admissions wait for a slot.
func (p *Pool) Waiting() int {
	p.slots.mu.Lock()
	defer p.slots.mu.Unlock()
	return len(p.slots.waiting)
}

// Waiters returns the number of calls that wait for a message.
func (p *Pool) Waiters(hash ident.Hash) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.outcomes.waiters[hash])
}

// Cost returns the cost of all pending messages.
func (p *Pool) Cost() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.quotas.all.used[cost]
}
