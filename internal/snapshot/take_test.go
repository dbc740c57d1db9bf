package snapshot

import (
	"slices"
	"testing"
	"time"

	"makechain/internal/backoff"
)

// TestThrottle checks that slow snapshots are taken less often, at heights that faster nodes use as well.
func TestThrottle(t *testing.T) {
	t.Parallel()
	const minute = time.Minute
	for name, test := range map[string]struct {
		took   time.Duration
		passed time.Duration // between two heights
		want   []uint64      // thousands of blocks
	}{
		"fast":          {999 * time.Millisecond, time.Second, []uint64{1, 2, 3, 4, 5, 6, 7, 8}},
		"slow blocks":   {minute, 20 * minute, []uint64{1, 2, 3, 4, 5, 6, 7, 8}},
		"half as often": {minute, 19 * minute, []uint64{1, 2, 4, 6, 8}},
		"a quarter":     {minute, 9 * minute, []uint64{1, 4, 8}},
		"very slow":     {10 * minute, 1, []uint64{1}},
	} {
		var limit throttle
		var got []uint64
		now := time.Unix(1_700_000_000, 0)
		for thousand := uint64(1); thousand <= 8; thousand++ {
			if limit.due(1_000*thousand, 1_000, now) {
				got = append(got, thousand)
				limit.lastDuration = test.took
			}
			now = now.Add(test.passed)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: taken at %d, want %d", name, got, test.want)
		}
	}
}

// TestCloseDuringPause checks that closing a directory ends the pause of its writer.
func TestCloseDuringPause(t *testing.T) {
	t.Parallel()
	d := openDir(t, t.TempDir(), 1)
	go d.Close()
	if err := backoff.Sleep(d.closing, time.Hour); err == nil {
		t.Error("the pause continued after Close")
	}
	d.Close()
}
