package loadtest

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"makechain/bench/workload"
	"makechain/client"
	pb "makechain/gen/makechain"
	devpb "makechain/gen/makechain/dev"
	"makechain/internal/backoff"
	"makechain/message"
)

// setupWorkers is the number of accounts that are created at a time.
const setupWorkers = 32

// setUp creates all accounts with their projects, and then the forks, which need the projects of others.
func (g *Generator) setUp(ctx context.Context) error {
	err := g.forAll(ctx, "creating accounts", func(ctx context.Context, c *client.Client, account *workload.Account) (message.Hash, error) {
		owner := account.Address()
		if _, err := client.Call(ctx, c.Faucet.Claim, &devpb.ClaimRequest{OwnerAddress: owner[:], Units: workload.Units}); err != nil {
			return message.Hash{}, fmt.Errorf("claim storage from the faucet: %w", err)
		}
		return submitAll(ctx, c, account.Setup)
	})
	if err != nil {
		return err
	}
	return g.forAll(ctx, "forking", func(ctx context.Context, c *client.Client, account *workload.Account) (message.Hash, error) {
		return submitAll(ctx, c, account.Fork)
	})
}

// submitAll submits the messages that write returns, and returns the hash of the last one.
func submitAll(ctx context.Context, c *client.Client, write func(at uint32) ([]*message.Envelope, error)) (message.Hash, error) {
	messages, err := write(uint32(time.Now().Unix()))
	if err != nil {
		return message.Hash{}, err
	}
	if _, err := c.SubmitAll(ctx, messages); err != nil {
		return message.Hash{}, err
	}
	return messages[len(messages)-1].Hash, nil
}

// forAll calls do for every account, with the node that it sends to, and waits until all nodes have the resulting blocks.
func (g *Generator) forAll(
	ctx context.Context, doing string, do func(context.Context, *client.Client, *workload.Account) (message.Hash, error),
) error {
	var done atomic.Int64
	last := make([]message.Hash, len(g.population.Accounts))
	working, workCtx := errgroup.WithContext(ctx)
	working.SetLimit(setupWorkers)
	for i, account := range g.population.Accounts {
		working.Go(func() (err error) {
			last[i], err = do(workCtx, g.clients[i%len(g.clients)], account)
			g.options.Progress(doing, int(done.Add(1)), len(g.population.Accounts))
			return err
		})
	}
	if err := working.Wait(); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return g.awaitCommitted(ctx, last)
}

// awaitCommitted waits until messages have committed on the nodes they were submitted to, and all nodes have their blocks.
func (g *Generator) awaitCommitted(ctx context.Context, messages []message.Hash) error {
	var latest uint64
	for i, hash := range messages {
		block, err := g.clients[i%len(g.clients)].AwaitCommitted(ctx, hash)
		if err != nil {
			return err
		}
		latest = max(latest, block)
	}
	for _, c := range g.clients {
		for {
			status, err := client.Call(ctx, c.GetNodeStatus, &pb.GetNodeStatusRequest{})
			if err != nil {
				return err
			}
			if status.GetCurrentBlock() >= latest {
				break
			}
			if err := backoff.Sleep(ctx, pollInterval); err != nil {
				return err
			}
		}
	}
	return nil
}
