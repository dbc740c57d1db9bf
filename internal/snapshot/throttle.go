package snapshot

import "time"

const (
	// paceShare is how many times as long as a snapshot takes lies between two of them at least. Each reads the whole state,
	// however little of it has changed.
	minIntervalFactor = 20
	// paceLeast is how long one may take before that matters.
	minThrottledDuration = time.Second
	// restShare is how many times as long as a chunk takes the writer rests before the next: blocks must not wait for a
	// snapshot.
	pauseFactor = 3
)

// pace spaces snapshots that take long.
type throttle struct {
	lastOffer time.Time     // when a state was last offered
	lastDuration    time.Duration // by the last snapshot, without rests
}

// due says whether to take a snapshot of a state. States are offered every so many blocks. When these pass too fast it
// is every twice as many, or four times, and so on, so that nodes which are not equally fast still have heights in
// common.
func (p *throttle) due(height, every uint64, now time.Time) bool {
	passed := now.Sub(p.lastOffer)
	p.lastOffer = now
	if p.lastDuration >= minThrottledDuration {
		for passed = max(passed, 1); passed < minIntervalFactor*p.lastDuration; passed *= 2 {
			every *= 2
		}
	}
	return height%every == 0
}
