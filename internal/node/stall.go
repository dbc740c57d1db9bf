package node

import (
	"sync/atomic"
	"time"
)

// stallTimeout is how long messages wait without a block before a node is not ready. It is much longer than several rounds
// of consensus without a proposal.
const stallTimeout = 30 * time.Second

// stallDetector detects that no block is produced although messages are pending, as when too few validators are connected.
type stallDetector struct {
	height  uint64
	since   time.Time // when it last saw another height, or no pending message
	stalled atomic.Bool
}

// observe records the height and the number of pending messages at a time. It reports whether the chain has stalled since
// the previous call. One goroutine calls it regularly; stalled may be read by all.
func (s *stallDetector) observe(now time.Time, height uint64, pending int) (changed bool) {
	if s.since.IsZero() || height != s.height || pending == 0 {
		s.height, s.since = height, now
	}
	stalled := now.Sub(s.since) >= stallTimeout
	return s.stalled.Swap(stalled) != stalled && stalled
}
