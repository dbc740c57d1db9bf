package loadtest

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"makechain/bench/workload"
	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/message"
)

// fillWorkers is how many people fill the state at a time: enough for full blocks.
const fillWorkers = 4

// Fill brings the state up to a number of rows, with commits, which are the cheapest of them.
func (b *Generator) Fill(ctx context.Context, rows uint64) error {
	for turn := 0; ; turn += fillWorkers {
		stats, err := client.Call(ctx, b.clients[0].GetChainStats, &pb.GetChainStatsRequest{})
		if err != nil {
			return err
		}
		have := uint64(stats.GetStateEntries())
		if have >= rows {
			return nil
		}
		b.options.Progress("filling", int(have), int(rows))
		if err := b.fillOnce(ctx, turn, min(workload.FillCommits, int(rows-have)/fillWorkers+1)); err != nil {
			return fmt.Errorf("filling: %w", err)
		}
	}
}

// fillOnce has some people make a project each, with so many commits.
func (b *Generator) fillOnce(ctx context.Context, turn, commits int) error {
	last := make([]message.Hash, min(fillWorkers, len(b.population.Accounts)))
	filling, fillCtx := errgroup.WithContext(ctx)
	for i := range last {
		account := b.population.Accounts[(turn+i)%len(b.population.Accounts)]
		fill := func(at uint32) ([]*message.Envelope, error) { return account.Fill(at, commits) }
		filling.Go(func() (err error) {
			last[i], err = submitAll(fillCtx, b.clients[i%len(b.clients)], fill)
			return err
		})
	}
	if err := filling.Wait(); err != nil {
		return err
	}
	return b.settle(ctx, last)
}
