package loadtest

import (
	"context"
	"time"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/backoff"
)

const (
	// pollInterval is the time between two reads of the chain's counters.
	pollInterval = 20 * time.Millisecond
	// drainTimeout is how long after the last call accepted messages may take to commit.
	drainTimeout = 2 * time.Minute
)

// sample is a reading of the chain's counters, taken soon after a block.
type sample struct {
	at       time.Time
	height   uint64
	messages uint64
	rows     uint64
}

// chainSamples is written by one goroutine. Others may read it when that has returned.
type chainSamples struct {
	samples []sample // the first is from before the load
}

func (r *run) readCounters(ctx context.Context) (sample, error) {
	stats, err := client.Call(ctx, r.generator.clients[0].GetChainStats, &pb.GetChainStatsRequest{})
	if err != nil {
		return sample{}, err
	}
	return sample{time.Now(), stats.GetBlockHeight(), stats.GetTotalMessages(), uint64(stats.GetStateEntries())}, nil
}

// readFirst reads the counters from which later ones are subtracted.
func (r *run) readFirst(ctx context.Context) error {
	first, err := r.readCounters(ctx)
	r.samples = []sample{first}
	return err
}

// watch reads the counters of the chain until the context ends.
func (r *run) watch(ctx context.Context) error {
	first, last := r.samples[0], r.samples[0]
	for {
		if err := backoff.Sleep(ctx, pollInterval); err != nil {
			return err
		}
		seen, err := r.readCounters(ctx)
		if err != nil {
			return err
		}
		if seen.height == last.height {
			continue
		}
		r.samples, last = append(r.samples, seen), seen
		r.committed.Store(int64(seen.messages - first.messages))
	}
}

// drain waits until accepted messages have committed, and probes and streams have found theirs.
func (r *run) drain(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, drainTimeout)
	defer cancel()
	for r.committed.Load() < r.acceptedTotal.Load() || r.probing.Load() > 0 || r.awaited() > 0 {
		if backoff.Sleep(ctx, pollInterval) != nil {
			return nil // the result reports what is missing
		}
	}
	return nil
}

// blocks returns the counters at the last block before the window and at the last block in it.
func (r *run) blocks() (first, last sample) {
	first, last = r.samples[0], r.samples[0]
	for _, seen := range r.samples {
		if !seen.at.After(r.windowStart) {
			first = seen
		}
		if !seen.at.After(r.windowEnd) {
			last = seen
		}
	}
	return first, last
}
