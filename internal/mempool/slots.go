package mempool

import (
	"cmp"
	"context"
	"net/netip"
	"slices"
	"sync"
	"time"

	"makechain/internal/ident"
)

const (
	// maxTurn is the estimated processor time after which an admission passes its slot to one that waits.
	maxTurn = 10 * time.Millisecond
	// minTurn is what an admission counts for until its cost is known.
	minTurn = 100 * time.Microsecond
	// maxSources is the number of sources beyond which those that owe nothing are forgotten.
	maxSources = 4_096
)

// origin is where messages come from: the network of a client, or a peer.
type origin struct {
	client netip.Prefix
	peer   string
}

// slots limits the number of concurrent admissions, so that those that wait can be chosen fairly: the next slot is for the
// source that used the least processor time, and within a source for its senders in turn.
//
// Used time is virtual, as in start-time fair queuing: a source that was idle starts at the used time of the source that
// was served last, so that it neither saves up time nor is served after all others.
type slots struct {
	mu      sync.Mutex // guards the fields below
	free    int
	now     time.Duration // the used time of the source served last
	sources map[origin]*source
	waiting []*source // sources with waiting admissions
}

// source is an origin that uses slots.
type source struct {
	used     time.Duration
	holding  int     // slots
	lines    []*line // of its senders with waiting admissions, in turn
	bySender map[ident.Address]*line
}

// line contains the waiting admissions of one sender.
type line struct {
	sender  ident.Address
	waiters []chan struct{} // each receives a slot by being closed
}

// turn is a slot that an admission holds.
type turn struct {
	source *source
	sender ident.Address
	spent  time.Duration // estimated processor time so far
}

func newSlots(count int) *slots {
	return &slots{free: max(count, 1), sources: make(map[origin]*source)}
}

// acquire waits for a slot.
func (s *slots) acquire(ctx context.Context, from origin, sender ident.Address) (turn, error) {
	s.mu.Lock()
	src := s.sources[from]
	if src == nil {
		s.forget()
		src = &source{bySender: make(map[ident.Address]*line)}
		s.sources[from] = src
	}
	t := turn{source: src, sender: sender}
	return t, s.wait(ctx, t)
}

// wait waits for a slot for t. s.mu must be held and is unlocked.
func (s *slots) wait(ctx context.Context, t turn) error {
	t.source.used = max(t.source.used, s.now)
	if s.free > 0 && len(s.waiting) == 0 {
		s.free--
		s.grant(t.source)
		s.mu.Unlock()
		return nil
	}
	granted := make(chan struct{})
	if len(t.source.lines) == 0 {
		s.waiting = append(s.waiting, t.source)
	}
	t.source.enqueue(t.sender, granted)
	s.mu.Unlock()
	select {
	case <-granted:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.source.cancel(t.sender, granted) {
		s.removeServed(t.source)
	} else { // it was granted meanwhile
		s.pass(t.source, 0)
	}
	return ctx.Err()
}

// release returns the slot of t, if it holds one.
func (s *slots) release(t turn) {
	if t.source == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pass(t.source, t.spent)
}

// yield passes the slot of t to a waiting admission and waits for another one, if t has used it for long. When ctx ends
// before, t holds no slot.
func (s *slots) yield(ctx context.Context, t *turn) error {
	if t.spent < maxTurn {
		return nil
	}
	s.mu.Lock()
	if len(s.waiting) == 0 {
		s.mu.Unlock()
		return nil
	}
	s.pass(t.source, t.spent)
	t.spent = 0
	err := s.wait(ctx, *t)
	if err != nil {
		t.source = nil
	}
	return err
}

// pass returns a slot of a source that was used for so long, and grants it to the next admission. s.mu must be held.
func (s *slots) pass(from *source, spent time.Duration) {
	from.holding--
	from.used += spent - minTurn
	if len(s.waiting) == 0 {
		s.free++
		return
	}
	next := slices.MinFunc(s.waiting, func(a, b *source) int { return cmp.Compare(a.used, b.used) })
	s.grant(next)
	close(next.dequeue())
	s.removeServed(next)
}

// grant counts a slot for a source. s.mu must be held.
func (s *slots) grant(to *source) {
	s.now = max(s.now, to.used)
	to.used += minTurn
	to.holding++
}

// removeServed removes a source from the waiting ones if it has no waiting admission. s.mu must be held.
func (s *slots) removeServed(src *source) {
	if len(src.lines) == 0 {
		s.waiting = slices.DeleteFunc(s.waiting, func(w *source) bool { return w == src })
	}
}

// forget removes sources that hold and wait for nothing when there are many: first those that owe nothing, and all others if
// that is not enough. s.mu must be held.
func (s *slots) forget() {
	if len(s.sources) < maxSources {
		return
	}
	for _, debtors := range []bool{false, true} {
		for from, src := range s.sources {
			if src.holding == 0 && len(src.lines) == 0 && (debtors || src.used <= s.now) {
				delete(s.sources, from)
			}
		}
		if len(s.sources) < maxSources/2 {
			return
		}
	}
}

// enqueue adds an admission to the line of its sender.
func (s *source) enqueue(sender ident.Address, granted chan struct{}) {
	l := s.bySender[sender]
	if l == nil {
		l = &line{sender: sender}
		s.bySender[sender] = l
		s.lines = append(s.lines, l)
	}
	l.waiters = append(l.waiters, granted)
}

// dequeue removes the next admission: the first of the first sender, who is last in turn from then on.
func (s *source) dequeue() chan struct{} {
	first := s.lines[0]
	granted := first.waiters[0]
	first.waiters, s.lines = first.waiters[1:], s.lines[1:]
	if len(first.waiters) > 0 {
		s.lines = append(s.lines, first)
	} else {
		delete(s.bySender, first.sender)
	}
	return granted
}

// cancel removes a waiting admission of a sender. It reports false if it no longer waits.
func (s *source) cancel(sender ident.Address, granted chan struct{}) bool {
	l := s.bySender[sender]
	if l == nil {
		return false
	}
	i := slices.Index(l.waiters, granted)
	if i < 0 {
		return false
	}
	if l.waiters = slices.Delete(l.waiters, i, i+1); len(l.waiters) == 0 {
		delete(s.bySender, sender)
		s.lines = slices.DeleteFunc(s.lines, func(other *line) bool { return other == l })
	}
	return true
}
