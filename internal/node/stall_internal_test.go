package node

import (
	"testing"
	"time"
)

// TestStallDetector checks when a node reports that no block is produced.
func TestStallDetector(t *testing.T) {
	t.Parallel()
	type sample struct {
		at      time.Duration
		height  uint64
		pending int
		want    bool
	}
	for name, samples := range map[string][]sample{
		"idle":                    {{0, 7, 0, false}, {time.Hour, 7, 0, false}},
		"no block for a message":  {{0, 7, 1, false}, {stallTimeout - 1, 7, 1, false}, {stallTimeout, 7, 1, true}, {time.Hour, 7, 9, true}},
		"a message after idling":  {{0, 7, 0, false}, {time.Hour, 7, 0, false}, {time.Hour + time.Second, 7, 1, false}, {time.Hour + stallTimeout, 7, 1, true}},
		"blocks":                  {{0, 7, 1, false}, {stallTimeout - 1, 8, 1, false}, {stallTimeout + 1, 8, 1, false}, {2*stallTimeout - 2, 9, 1, false}},
		"a block after the stall": {{0, 7, 1, false}, {stallTimeout, 7, 1, true}, {stallTimeout + 1, 8, 1, false}, {2*stallTimeout + 1, 8, 1, true}},
		"the messages expire":     {{0, 7, 1, false}, {stallTimeout, 7, 1, true}, {stallTimeout + 1, 7, 0, false}, {stallTimeout + 2, 7, 1, false}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var detector stallDetector
			start, was := time.Unix(1_800_000_000, 0), false
			for _, s := range samples {
				changed := detector.observe(start.Add(s.at), s.height, s.pending)
				if got := detector.stalled.Load(); got != s.want || changed != (got && !was) {
					t.Errorf("after %v at height %d with %d pending: stalled %v, reported %v", s.at, s.height, s.pending, got, changed)
				}
				was = s.want
			}
		})
	}
}
