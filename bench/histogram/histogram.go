// Package histogram counts durations so that any percentile can be told afterwards.
//
// A duration falls into a bucket that is less than 1 % wide, whatever its size, so a percentile is that exact and the
// memory is the same for ten durations as for ten million. The longest is kept as it was. Nothing is dropped.
package histogram

import (
	"math/bits"
	"sync/atomic"
	"time"
)

const (
	// steps is how many buckets there are from one power of two to the next.
	steps    = 1 << stepBits
	stepBits = 7
	// buckets reach up to the longest time.Duration.
	buckets = (64 - stepBits) << stepBits
)

// Histogram counts durations. The zero value is empty; several goroutines may use one at a time.
type Histogram struct {
	counts  [buckets]atomic.Uint64
	total   atomic.Uint64
	longest atomic.Int64
}

// Record counts a duration. One below zero, as a clock that was set back gives, counts as zero.
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

// Count is how many durations were recorded.
func (h *Histogram) Count() uint64 { return h.total.Load() }

// Max is the longest duration, 0 when there is none.
func (h *Histogram) Max() time.Duration { return time.Duration(h.longest.Load()) }

// Quantile is the duration that a share of all is not above: 0.99 for the 99th percentile. It is 0 when there is none.
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

// bucketOf is linear below the first steps, and logarithmic above them.
func bucketOf(d time.Duration) int {
	n := uint64(d)
	if n < steps {
		return int(n)
	}
	shift := bits.Len64(n) - stepBits - 1
	return shift<<stepBits + int(n>>shift)
}

// upperBound is the longest duration of a bucket.
func upperBound(bucket int) time.Duration {
	if bucket < 2*steps {
		return time.Duration(bucket)
	}
	shift := bucket>>stepBits - 1
	return time.Duration((uint64(bucket-shift<<stepBits)+1)<<shift - 1)
}
