// Package histogram counts durations and computes percentiles.
//
// Buckets are less than 1 % wide, so percentiles have that accuracy, and the memory does not depend on the number of durations.
// The maximum is exact. No duration is dropped.
package histogram

import (
	"math/bits"
	"sync/atomic"
	"time"
)

const (
	// steps is the number of buckets between two powers of two.
	steps    = 1 << stepBits
	stepBits = 7
	// buckets reach up to the longest time.Duration.
	buckets = (64 - stepBits) << stepBits
)

// Histogram counts durations. The zero value is empty. It is safe for concurrent use.
type Histogram struct {
	counts  [buckets]atomic.Uint64
	total   atomic.Uint64
	longest atomic.Int64
}

// Record counts a duration. A negative one, which happens when a clock is set back, counts as zero.
func (h *Histogram) Record(d time.Duration) {
	d = max(d, 0)
	h.counts[bucketOf(d)].Add(1)
	h.total.Add(1)
	for {
		longest := h.longest.Load()
		if int64(d) <= longest || h.longest.CompareAndSwap(longest, int64(d)) {
			return
		}
	}
}

// Count returns the number of recorded durations.
func (h *Histogram) Count() uint64 { return h.total.Load() }

// Max returns the longest duration, or 0 if there is none.
func (h *Histogram) Max() time.Duration { return time.Duration(h.longest.Load()) }

// Quantile returns the duration that the given share of all durations does not exceed: 0.99 for the 99th percentile. It
// returns 0 if there is none.
func (h *Histogram) Quantile(share float64) time.Duration {
	total := h.total.Load()
	if total == 0 {
		return 0
	}
	rank := max(uint64(share*float64(total)+0.5), 1)
	var seen uint64
	for i := range h.counts {
		if seen += h.counts[i].Load(); seen >= rank {
			return min(upperBound(i), h.Max())
		}
	}
	return h.Max()
}

// bucketOf returns the bucket of a duration. Buckets are linear up to steps, and logarithmic above.
func bucketOf(d time.Duration) int {
	n := uint64(d)
	if n < steps {
		return int(n)
	}
	shift := bits.Len64(n) - stepBits - 1
	return shift<<stepBits + int(n>>shift)
}

// upperBound returns the longest duration of a bucket.
func upperBound(bucket int) time.Duration {
	if bucket < 2*steps {
		return time.Duration(bucket)
	}
	shift := bucket>>stepBits - 1
	return time.Duration((uint64(bucket-shift<<stepBits)+1)<<shift - 1)
}
