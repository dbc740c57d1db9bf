package histogram_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"makechain/bench/histogram"
)

// TestQuantiles compares quantiles with those of the sorted durations, over eight orders of magnitude.
func TestQuantiles(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	var h histogram.Histogram
	var all []time.Duration
	for range 50_000 {
		d := time.Duration(math.Exp(random.Float64() * math.Log(float64(10*time.Second))))
		h.Record(d)
		all = append(all, d)
	}
	slices.Sort(all)
	if h.Count() != 50_000 || h.Max() != all[len(all)-1] {
		t.Errorf("%d durations up to %v, want 50000 up to %v", h.Count(), h.Max(), all[len(all)-1])
	}
	for _, share := range []float64{0.01, 0.25, 0.5, 0.95, 0.99, 0.999} {
		got, want := h.Quantile(share), all[int(share*float64(len(all)))-1]
		if off := math.Abs(float64(got-want)) / float64(want); off > 0.01 {
			t.Errorf("quantile %v is %v, want %v within 1 %%", share, got, want)
		}
	}
	if got := h.Quantile(1); got != h.Max() {
		t.Errorf("quantile 1 is %v, the maximum is %v", got, h.Max())
	}
}

// TestEdges checks durations at the limits of buckets.
func TestEdges(t *testing.T) {
	t.Parallel()
	for _, d := range []time.Duration{0, 1, 127, 128, 129, 255, 256, 257, 1<<62 - 1, 1 << 62, math.MaxInt64} {
		var h histogram.Histogram
		h.Record(d)
		if got := h.Quantile(0.5); got != d {
			t.Errorf("the only duration is %v, want %v", got, d)
		}
	}
	var h histogram.Histogram
	if h.Quantile(0.5) != 0 || h.Max() != 0 || h.Count() != 0 {
		t.Error("an empty histogram has durations")
	}
	h.Record(-time.Second)
	if h.Quantile(1) != 0 || h.Count() != 1 {
		t.Error("a negative duration does not count as zero")
	}
}

// TestConcurrentRecord records from several goroutines.
func TestConcurrentRecord(t *testing.T) {
	t.Parallel()
	var h histogram.Histogram
	var recording sync.WaitGroup
	for i := range 8 {
		recording.Go(func() {
			for range 1_000 {
				h.Record(time.Duration(i) * time.Millisecond)
			}
		})
	}
	recording.Wait()
	if h.Count() != 8_000 || h.Max() != 7*time.Millisecond {
		t.Errorf("%d durations up to %v", h.Count(), h.Max())
	}
}
