package snapshot

import "time"

const (
	// paceShare is how many times as long as a snapshot takes lies between two of them at least. Each reads the whole state,
	// however little of it has changed.
	paceShare = 20
	// paceLeast is how long one may take before that matters.
	paceLeast = time.Second
	// restShare is how many times as long as a chunk takes the writer rests before the next: blocks must not wait for a
	// snapshot.
	restShare = 3
)

// pace spaces snapshots that take long.
type pace struct {
	offered time.Time     // when a state was last offered
	took    time.Duration // by the last snapshot, without rests
}

// due says whether to take a snapshot of a state. States are offered every so many blocks. When these pass too fast it
// is every twice as many, or four times, and so on, so that nodes which are not equally fast still have heights in
// common.
func (p *pace) due(height, every uint64, now time.Time) bool {
	passed := now.Sub(p.offered)
	p.offered = now
	if p.took >= paceLeast {
		for passed = max(passed, 1); passed < paceShare*p.took; passed *= 2 {
			every *= 2
		}
	}
	return height%every == 0
}
