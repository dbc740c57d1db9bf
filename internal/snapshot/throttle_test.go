package snapshot

import (
	"slices"
	"testing"
	"time"

	"makechain/internal/backoff"
)

// TestPace offers a state every 1,000 blocks. What takes a while is done less often, at heights that are those of faster
// nodes too.
func TestPace(t *testing.T) {
	t.Parallel()
	const minute = time.Minute
	for name, test := range map[string]struct {
		took   time.Duration
		passed time.Duration // between two offers
		want   []uint64      // thousands of blocks
	}{
		"quick":            {999 * time.Millisecond, time.Second, []uint64{1, 2, 3, 4, 5, 6, 7, 8}},
		"a quiet chain":    {minute, 20 * minute, []uint64{1, 2, 3, 4, 5, 6, 7, 8}},
		"twice as seldom":  {minute, 19 * minute, []uint64{1, 2, 4, 6, 8}},
		"four times":       {minute, 9 * minute, []uint64{1, 4, 8}},
		"longer than that": {10 * minute, 1, []uint64{1}},
	} {
		var p throttle
		var got []uint64
		now := time.Unix(1_700_000_000, 0)
		for thousand := uint64(1); thousand <= 8; thousand++ {
			if p.due(1_000*thousand, 1_000, now) {
				got = append(got, thousand)
				p.lastDuration = test.took
			}
			now = now.Add(test.passed)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: taken at %d, want %d", name, got, test.want)
		}
	}
}

// TestRestEnds closes a directory whose writer rests: it does not wait for that.
func TestRestEnds(t *testing.T) {
	t.Parallel()
	d := openDir(t, t.TempDir(), 1)
	go d.Close()
	if err := backoff.Sleep(d.closing, time.Hour); err == nil {
		t.Error("the pause went on after Close")
	}
	d.Close()
}
