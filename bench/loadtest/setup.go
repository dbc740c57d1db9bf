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
	"makechain/message"
)

// foundingWorkers is how many people are put on the chain at a time.
const foundingWorkers = 32

// found puts everybody on the chain. Forks need the projects of others, so they come second.
func (b *Generator) found(ctx context.Context) error {
	err := b.everybody(ctx, "founding", func(ctx context.Context, c *client.Client, account *workload.Account) (message.Hash, error) {
		owner := account.Address()
		if _, err := client.Call(ctx, c.Faucet.Claim, &devpb.ClaimRequest{OwnerAddress: owner[:], Units: workload.Units}); err != nil {
			return message.Hash{}, fmt.Errorf("storage from the faucet: %w", err)
		}
		return submitAll(ctx, c, account.Setup)
	})
	if err != nil {
		return err
	}
	return b.everybody(ctx, "forking", func(ctx context.Context, c *client.Client, account *workload.Account) (message.Hash, error) {
		return submitAll(ctx, c, account.Fork)
	})
}

// submitAll hands over what a account makes, and gives the last of it.
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

// everybody has all people do something, each at the node it will send to, and waits until all nodes have it.
func (b *Generator) everybody(
	ctx context.Context, doing string, do func(context.Context, *client.Client, *workload.Account) (message.Hash, error),
) error {
	var done atomic.Int64
	last := make([]message.Hash, len(b.population.Accounts))
	working, workCtx := errgroup.WithContext(ctx)
	working.SetLimit(foundingWorkers)
	for i, account := range b.population.Accounts {
		working.Go(func() (err error) {
			last[i], err = do(workCtx, b.clients[i%len(b.clients)], account)
			b.options.Progress(doing, int(done.Add(1)), len(b.population.Accounts))
			return err
		})
	}
	if err := working.Wait(); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return b.settle(ctx, last)
}

// settle waits until messages have committed, each where it was submitted, and all nodes have come that far.
func (b *Generator) settle(ctx context.Context, messages []message.Hash) error {
	var latest uint64
	for i, hash := range messages {
		block, err := b.clients[i%len(b.clients)].AwaitCommitted(ctx, hash)
		if err != nil {
			return err
		}
		latest = max(latest, block)
	}
	for _, c := range b.clients {
		for {
			status, err := client.Call(ctx, c.GetNodeStatus, &pb.GetNodeStatusRequest{})
			if err != nil {
				return err
			}
			if status.GetCurrentBlock() >= latest {
				break
			}
			if err := sleep(ctx, lookInterval); err != nil {
				return err
			}
		}
	}
	return nil
}

// sleep waits, unless the context ends first.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
