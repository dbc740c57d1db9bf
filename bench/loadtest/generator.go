package loadtest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"makechain/bench/process"
	"makechain/bench/report"
	"makechain/bench/workload"
	"makechain/client"
	pb "makechain/gen/makechain"
)

// Options are the nodes to measure and the accounts that send messages.
type Options struct {
	Nodes    []process.Node // of one chain; nodes without a PID run on other machines
	Dir      string         // for signed requests
	Seed     uint64
	Accounts int
	Projects int // of each account
	Rows     uint64
	Protocol string
	Profile  string // directory for profiles of nodes that serve them; none when empty
	Delay    string // between nodes, as the result describes it
	// NetworkBytes returns the bytes that nodes have sent to each other so far; nil if they are not counted.
	NetworkBytes func() int64
	// Progress receives the current activity, and how much of it is done if that is known.
	Progress func(doing string, at, total int)
}

// Load is the load of one measurement.
type Load struct {
	Rate   float64 // messages per second; 0 sends as fast as nodes commit
	Batch  int     // messages per call
	For    time.Duration
	WarmUp time.Duration        // before that, not measured
	Reads  map[ReadKind]float64 // per second, during the writes
}

// Generator sends messages of accounts that it created on a chain.
type Generator struct {
	options    Options
	version    string // of the first node
	population *workload.Population
	clients    []*client.Client // one per node that is not a follower
}

// Open creates the accounts on the chain of the nodes and fills its state.
func Open(ctx context.Context, options Options) (*Generator, error) {
	if len(options.Nodes) == 0 {
		return nil, errors.New("no nodes to measure")
	}
	g := &Generator{options: options}
	for _, node := range options.writable() {
		c, err := client.New(node.Address)
		if err != nil {
			return nil, err
		}
		g.clients = append(g.clients, c)
	}
	if err := g.prepare(ctx); err != nil {
		g.Close()
		return nil, err
	}
	return g, nil
}

// Close closes the connections.
func (g *Generator) Close() {
	for _, c := range g.clients {
		c.Close()
	}
}

// Population returns the accounts on the chain, for a caller that sends their messages itself. Run must not be called then.
func (g *Generator) Population() *workload.Population { return g.population }

func (g *Generator) prepare(ctx context.Context) error {
	status, err := client.Call(ctx, g.clients[0].GetNodeStatus, &pb.GetNodeStatusRequest{})
	if err != nil {
		return err
	}
	if status.GetNetwork() != pb.Network_NETWORK_DEVNET {
		return fmt.Errorf("the chain is %s: only a development chain has the faucet that a load test needs", status.GetNetwork())
	}
	g.version = status.GetVersion()
	g.population, err = workload.New(workload.Options{
		Seed: g.options.Seed, Network: status.GetNetwork(), Accounts: g.options.Accounts, Projects: g.options.Projects,
	})
	if err != nil {
		return err
	}
	if err := g.setUp(ctx); err != nil {
		return err
	}
	return g.Fill(ctx, g.options.Rows)
}

// Run applies a load and returns the result.
func (g *Generator) Run(ctx context.Context, load Load) (*report.Result, error) {
	if err := load.check(); err != nil {
		return nil, err
	}
	before := g.population.Clone()
	requestFile, plan, err := sign(ctx, &g.options, g.population, load)
	if err != nil {
		return nil, err
	}
	run := newRun(g, load, plan, requestFile)
	err = errors.Join(g.measure(ctx, run), requestFile.Remove())
	if err == nil && load.Rate == 0 {
		// Not all signed messages were sent, so the accounts must continue from those that were.
		g.population = before
		err = before.Replay(ctx, plan, run.sent)
	}
	if err != nil {
		return nil, err
	}
	return run.result(), nil
}

// measure sends the requests and observes the chain.
func (g *Generator) measure(ctx context.Context, run *run) error {
	g.options.Progress("measuring", 0, 0)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watching, watchCtx := errgroup.WithContext(ctx)
	if err := run.subscribe(watchCtx, watching); err != nil {
		return err
	}
	if err := run.startClock(watchCtx); err != nil {
		return err
	}
	watching.Go(func() error { return run.watch(watchCtx) })
	watching.Go(func() error { return run.runProbes(watchCtx) })
	working, workCtx := errgroup.WithContext(watchCtx)
	working.Go(func() error { return run.meter(workCtx) })
	working.Go(func() error { return run.send(workCtx) })
	for _, kind := range run.reading {
		working.Go(func() error { return run.read(workCtx, kind) })
	}
	if g.options.Profile != "" {
		working.Go(func() error { return run.profile(workCtx, g.options.Profile) })
	}
	err := working.Wait()
	if err == nil {
		err = run.drain(watchCtx)
	}
	cancel()
	if watched := watching.Wait(); watched != nil && !errors.Is(watched, context.Canceled) {
		err = watched // the first failure, which cancelled the others
	}
	return err
}
