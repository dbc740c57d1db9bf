package gitcache

import (
	"context"
	"net/netip"
	"sync"

	"makechain/internal/limit"
)

// gate limits how many requests run at the same time, in total and per client address, and how many wait.
type gate struct {
	total, perClient, maxWaiting int

	// mu guards what follows.
	mu      sync.Mutex
	running int
	waiting int
	clients map[netip.Prefix]int
	changed chan struct{} // closed and replaced when a request ends
}

func newGate(total, perClient, maxWaiting int) *gate {
	return &gate{
		total: max(1, total), perClient: max(1, perClient), maxWaiting: maxWaiting,
		clients: map[netip.Prefix]int{}, changed: make(chan struct{}),
	}
}

// enter waits until the request may run. It reports whether it may: not when too many wait already, or when the context
// ends first. The caller must call leave afterwards.
func (g *gate) enter(ctx context.Context, client netip.Addr) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.admit(client) {
		return true
	}
	if g.waiting >= g.maxWaiting {
		return false
	}
	g.waiting++
	defer func() { g.waiting-- }()
	for {
		changed := g.changed
		g.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		g.mu.Lock()
		switch {
		case ctx.Err() != nil:
			return false
		case g.admit(client):
			return true
		}
	}
}

// admit counts the request if it may run. mu is held.
func (g *gate) admit(client netip.Addr) bool {
	network := limit.ClientNetwork(client)
	if g.running >= g.total || g.clients[network] >= g.perClient {
		return false
	}
	g.running++
	g.clients[network]++
	return true
}

func (g *gate) leave(client netip.Addr) {
	g.mu.Lock()
	defer g.mu.Unlock()
	network := limit.ClientNetwork(client)
	g.running--
	if g.clients[network]--; g.clients[network] == 0 {
		delete(g.clients, network)
	}
	close(g.changed)
	g.changed = make(chan struct{})
}
