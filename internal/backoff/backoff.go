// Package backoff waits: for a fixed time, or between retries for a time that grows exponentially and is randomized.
package backoff

import (
	"context"
	"math/rand/v2"
	"time"
)

// Sleep waits for d, or until the context ends. It returns nil after the whole of d, and the cause of the context's
// end otherwise.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Backoff is the delay between the retries of one operation. It doubles with every Wait up to a maximum. It must not
// be used by several goroutines at once.
type Backoff struct {
	initial, next, maximum time.Duration
}

// New returns a backoff whose first delay is initial and whose longest one is maximum. Both must be positive.
func New(initial, maximum time.Duration) *Backoff {
	return &Backoff{initial: initial, next: initial, maximum: maximum}
}

// Wait waits for the next delay, as Sleep does. Jitter takes off up to half of the delay, so that clients of the same
// server do not retry at the same moments.
func (b *Backoff) Wait(ctx context.Context) error {
	delay := b.next - rand.N(b.next/2+1) //nolint:gosec // jitter need not be unpredictable
	b.next = min(2*b.next, b.maximum)
	return Sleep(ctx, delay)
}

// Reset makes the next delay the initial one again, after the operation has succeeded.
func (b *Backoff) Reset() { b.next = b.initial }

// IsInitial reports whether the next delay is the initial one: no retry has been made since New or Reset.
func (b *Backoff) IsInitial() bool { return b.next == b.initial }
