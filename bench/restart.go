package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"makechain/bench/loadtest"
	"makechain/bench/process"
	"makechain/bench/report"
	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/backoff"
)

const (
	// killLoad is the duration of the load under which a node is killed, and killMessages the number of messages that it commits
	// before.
	killLoad     = 20 * time.Second
	killMessages = 1_000
	// killTimeout is how long it may take to commit them.
	killTimeout = 5 * time.Minute
	// restartAccounts is the number of accounts that are created after a restart, to check that the chain continues.
	restartAccounts = 10
	// restartSeed is added to the seed, so that these accounts are others. Names have the lower 32 bits of it.
	restartSeed = 1 << 31
)

// runLoad measures a load, and a restart after it.
func (f *flags) runLoad(ctx context.Context, g *loadtest.Generator, restart bool) (printable, error) {
	result, err := g.Run(ctx, f.load)
	if err != nil || f.chain == nil {
		if restart && err == nil {
			err = errors.New("--restart needs a node that this command starts: omit --nodes")
		}
		return result, err
	}
	served := &report.Served{Result: result, StartSeconds: f.chain.network.Started.Seconds()}
	if restart {
		served.Restart, err = f.restart(ctx, g)
	}
	return served, err
}

// restart kills the node under load, starts it again and checks that the chain continues.
func (f *flags) restart(ctx context.Context, g *loadtest.Generator) (*report.Restart, error) {
	load := f.load
	load.For, load.WarmUp, load.Reads = killLoad, 0, nil
	loadCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = g.Run(loadCtx, load) // it fails when the node is killed
	}()
	before, err := f.chain.killUnderLoad(ctx)
	cancel()
	<-ended
	if err != nil {
		return nil, err
	}
	network, err := process.Start(ctx, f.chain.options)
	if err != nil {
		return nil, fmt.Errorf("restart after SIGKILL: %w", err)
	}
	f.chain.network = network
	restarted := &report.Restart{Seconds: f.chain.network.Started.Seconds(), KilledAt: before.GetHeader().GetHeight().GetBlockNumber()}
	options := f.options
	options.Nodes, options.Progress = f.chain.network.Nodes, func(string, int, int) {}
	options.Seed, options.Accounts, options.Rows, options.Profile = options.Seed+restartSeed, restartAccounts, 0, ""
	if restarted.ContinuedTo, err = f.chain.continued(ctx, before, options); err != nil {
		return nil, fmt.Errorf("restart after SIGKILL: %w", err)
	}
	return restarted, nil
}

// killUnderLoad kills the node when it has committed messages of the load, and returns the last block that it served.
func (c *chain) killUnderLoad(ctx context.Context) (*pb.Block, error) {
	ctx, cancel := context.WithTimeout(ctx, killTimeout)
	defer cancel()
	node, err := client.New(c.network.Nodes[0].Address)
	if err != nil {
		return nil, err
	}
	defer node.Close()
	for first := uint64(0); ; {
		status, err := client.Call(ctx, node.GetNodeStatus, &pb.GetNodeStatusRequest{})
		if err != nil {
			return nil, err
		}
		if first == 0 {
			first = max(1, status.GetTotalMessages())
		}
		if status.GetTotalMessages() >= first+killMessages {
			last, err := client.Call(ctx, node.GetBlock, &pb.GetBlockRequest{BlockNumber: status.GetCurrentBlock()})
			return last.GetBlock(), errors.Join(err, c.network.Kill())
		}
		if err := backoff.Sleep(ctx, idlePoll); err != nil {
			return nil, fmt.Errorf("no load to kill the node under: %w", err)
		}
	}
}

// continued checks that a restarted node has the last block of before, commits messages of new accounts, and returns its height.
func (c *chain) continued(ctx context.Context, before *pb.Block, options loadtest.Options) (uint64, error) {
	node, err := client.New(c.network.Nodes[0].Address)
	if err != nil {
		return 0, err
	}
	defer node.Close()
	number := before.GetHeader().GetHeight().GetBlockNumber()
	found, err := client.Call(ctx, node.GetBlock, &pb.GetBlockRequest{BlockNumber: number})
	if err != nil {
		return 0, err
	}
	if !bytes.Equal(found.GetBlock().GetHash(), before.GetHash()) {
		return 0, fmt.Errorf("block %d has hash %x, but had %x before", number, found.GetBlock().GetHash(), before.GetHash())
	}
	g, err := loadtest.Open(ctx, options)
	if err != nil {
		return 0, err
	}
	g.Close()
	status, err := client.Call(ctx, node.GetNodeStatus, &pb.GetNodeStatusRequest{})
	return status.GetCurrentBlock(), err
}
