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

// fillWorkers is the number of accounts that fill the state at a time: enough for full blocks.
const fillWorkers = 4

// Fill adds commits, which are the cheapest rows, until the state has the given number of rows.
func (g *Generator) Fill(ctx context.Context, rows uint64) error {
	for next := 0; ; next += fillWorkers {
		stats, err := client.Call(ctx, g.clients[0].GetChainStats, &pb.GetChainStatsRequest{})
		if err != nil {
			return err
		}
		have := uint64(stats.GetStateEntries())
		if have >= rows {
			return nil
		}
		g.options.Progress("filling", int(have), int(rows))
		if err := g.fillOnce(ctx, next, min(workload.FillCommits, int(rows-have)/fillWorkers+1)); err != nil {
			return fmt.Errorf("filling: %w", err)
		}
	}
}

// fillOnce creates a project with commits for each of the next accounts.
func (g *Generator) fillOnce(ctx context.Context, next, commits int) error {
	last := make([]message.Hash, min(fillWorkers, len(g.population.Accounts)))
	filling, fillCtx := errgroup.WithContext(ctx)
	for i := range last {
		account := g.population.Accounts[(next+i)%len(g.population.Accounts)]
		fill := func(at uint32) ([]*message.Envelope, error) { return account.Fill(at, commits) }
		filling.Go(func() (err error) {
			last[i], err = submitAll(fillCtx, g.clients[i%len(g.clients)], fill)
			return err
		})
	}
	if err := filling.Wait(); err != nil {
		return err
	}
	return g.awaitCommitted(ctx, last)
}
