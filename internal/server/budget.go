package server

import (
	"context"
	"errors"
	"net/netip"
	"sync"
)

// clientShare is the part of a budget that one client may use: one quarter.
const clientShare = 4

// errBudget is returned by acquire when the bytes in flight stay above a limit.
var errBudget = errors.New("too many bytes are in flight, try again later")

// A budget bounds the bytes in flight: of all clients, and of each client. Its methods may be called concurrently.
type budget struct {
	total     int64
	perClient int64

	mu       sync.Mutex // guards the fields below
	used     int64
	clients  map[netip.Prefix]int64 // clients with bytes in flight
	waiting  int
	released chan struct{} // closed and replaced when bytes are released while somebody waits
}

func newBudget(total int64) *budget {
	return &budget{total: total, perClient: total / clientShare, clients: map[netip.Prefix]int64{}, released: make(chan struct{})}
}

// acquire adds n bytes in flight for a client, which is the result of limit.ClientNetwork. It waits for others to release
// theirs until ctx is done, and then returns errBudget. A client without bytes in flight may acquire more than its share,
// so that a large request does not wait forever. The zero client has no share: only the total applies.
func (b *budget) acquire(ctx context.Context, client netip.Prefix, n int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for !b.fits(client, n) {
		if ctx.Err() != nil || n > b.total {
			return errBudget
		}
		released := b.released
		b.waiting++
		b.mu.Unlock()
		select {
		case <-released:
		case <-ctx.Done():
		}
		b.mu.Lock()
		b.waiting--
	}
	b.add(client, n)
	return nil
}

// tryAcquire does what acquire does, without waiting.
func (b *budget) tryAcquire(client netip.Prefix, n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.fits(client, n) {
		return false
	}
	b.add(client, n)
	return true
}

// add adds n bytes of a client. mu must be held.
func (b *budget) add(client netip.Prefix, n int64) {
	b.used += n
	if client.IsValid() {
		b.clients[client] += n
	}
}

// fits reports whether a client may add n bytes. mu must be held.
func (b *budget) fits(client netip.Prefix, n int64) bool {
	if b.used+n > b.total {
		return false
	}
	own := b.clients[client]
	return own == 0 || own+n <= b.perClient
}

// release removes bytes that acquire added for a client.
func (b *budget) release(client netip.Prefix, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
	if client.IsValid() {
		if b.clients[client] -= n; b.clients[client] == 0 {
			delete(b.clients, client)
		}
	}
	if b.waiting > 0 {
		close(b.released)
		b.released = make(chan struct{})
	}
}
