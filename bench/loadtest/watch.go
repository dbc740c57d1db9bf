package loadtest

import (
	"context"
	"time"

	"makechain/client"
	pb "makechain/gen/makechain"
)

const (
	// lookInterval is the time between two looks at the chain.
	lookInterval = 20 * time.Millisecond
	// drainPatience is how long after the last call what was accepted may take to commit.
	drainPatience = 2 * time.Minute
)

// look is what the chain said of itself when a block had just become durable.
type look struct {
	at       time.Time
	height   uint64
	messages uint64
	rows     uint64
}

// watched is what one goroutine sees of the chain; others read it when that has ended.
type watched struct {
	looks []look // the first is from before the load
}

func (r *run) lookOnce(ctx context.Context) (look, error) {
	stats, err := client.Call(ctx, r.bench.clients[0].GetChainStats, &pb.GetChainStatsRequest{})
	if err != nil {
		return look{}, err
	}
	return look{time.Now(), stats.GetBlockHeight(), stats.GetTotalMessages(), uint64(stats.GetStateEntries())}, nil
}

// firstLook is what all others are compared with.
func (r *run) firstLook(ctx context.Context) error {
	first, err := r.lookOnce(ctx)
	r.looks = []look{first}
	return err
}

// watch looks at the chain until the context ends.
func (r *run) watch(ctx context.Context) error {
	first, last := r.looks[0], r.looks[0]
	for {
		if err := sleep(ctx, lookInterval); err != nil {
			return err
		}
		seen, err := r.lookOnce(ctx)
		if err != nil {
			return err
		}
		if seen.height == last.height {
			continue
		}
		r.looks, last = append(r.looks, seen), seen
		r.settled.Store(int64(seen.messages - first.messages))
	}
}

// drain waits until what was accepted has committed, and what is looked for is found.
func (r *run) drain(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, drainPatience)
	defer cancel()
	for r.settled.Load() < r.taken.Load() || r.seeking.Load() > 0 || r.expected() > 0 {
		if sleep(ctx, lookInterval) != nil {
			return nil // the result tells what is missing
		}
	}
	return nil
}

// blocks is what the chain did from the last block before the window to the last block in it.
func (r *run) blocks() (first, last look) {
	first, last = r.looks[0], r.looks[0]
	for _, seen := range r.looks {
		if !seen.at.After(r.begun) {
			first = seen
		}
		if !seen.at.After(r.end) {
			last = seen
		}
	}
	return first, last
}
