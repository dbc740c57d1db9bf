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

// Options say whom to measure, and with whom.
type Options struct {
	Nodes    []process.Node // of one chain; those without a PID run elsewhere
	Dir      string         // for what is signed before it is sent
	Seed     uint64
	Accounts int
	Projects int // of each account
	Rows     uint64
	Protocol string
	Profile  string // directory for profiles of nodes that serve them; none when empty
	// Progress is told what is being done, and how far it is when that is known.
	Progress func(doing string, at, total int)
}

// Load is what nodes are to bear.
type Load struct {
	Rate   float64 // messages in a second; 0 sends as fast as nodes commit
	Batch  int     // messages of a call
	For    time.Duration
	WarmUp time.Duration        // before that, and not measured
	Reads  map[ReadKind]float64 // in a second, beside the writes
}

// Bench is people on a chain who can send.
type Generator struct {
	options    Options
	version    string // of the first node
	population *workload.Population
	clients    []*client.Client // one for each node
}

// Open puts people on the chain of some nodes, and fills its state.
func Open(ctx context.Context, options Options) (*Generator, error) {
	if len(options.Nodes) == 0 {
		return nil, errors.New("there are no nodes to measure")
	}
	b := &Generator{options: options}
	for _, node := range options.Nodes {
		c, err := client.New(node.Address)
		if err != nil {
			return nil, err
		}
		b.clients = append(b.clients, c)
	}
	if err := b.prepare(ctx); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// Close gives the connections up.
func (b *Generator) Close() {
	for _, c := range b.clients {
		c.Close()
	}
}

// Population is the people who were put on the chain, for those who have them send in another way. Run must not be called
// meanwhile.
func (b *Generator) Population() *workload.Population { return b.population }

func (b *Generator) prepare(ctx context.Context) error {
	status, err := client.Call(ctx, b.clients[0].GetNodeStatus, &pb.GetNodeStatusRequest{})
	if err != nil {
		return err
	}
	if status.GetNetwork() != pb.Network_NETWORK_DEVNET {
		return fmt.Errorf("the chain is %s, and only a development chain gives away the storage that a load needs", status.GetNetwork())
	}
	b.version = status.GetVersion()
	b.population, err = workload.New(workload.Options{
		Seed: b.options.Seed, Network: status.GetNetwork(), Accounts: b.options.Accounts, Projects: b.options.Projects,
	})
	if err != nil {
		return err
	}
	if err := b.found(ctx); err != nil {
		return err
	}
	return b.Fill(ctx, b.options.Rows)
}

// Run bears a load and tells what came of it.
func (b *Generator) Run(ctx context.Context, load Load) (*report.Result, error) {
	if err := load.check(); err != nil {
		return nil, err
	}
	before := b.population.Clone()
	requestFile, plan, err := sign(ctx, &b.options, b.population, load)
	if err != nil {
		return nil, err
	}
	run := newRun(b, load, plan, requestFile)
	err = errors.Join(b.measure(ctx, run), requestFile.Remove())
	if err == nil && load.Rate == 0 {
		// Some of what was signed was not sent, and people must go on from what was.
		b.population = before
		err = before.Replay(ctx, plan, run.sent)
	}
	if err != nil {
		return nil, err
	}
	return run.result(), nil
}

// measure sends a requestFile and watches.
func (b *Generator) measure(ctx context.Context, run *run) error {
	b.options.Progress("measuring", 0, 0)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watching, watchCtx := errgroup.WithContext(ctx)
	if err := run.subscribe(watchCtx, watching); err != nil {
		return err
	}
	if err := run.begin(watchCtx); err != nil {
		return err
	}
	watching.Go(func() error { return run.watch(watchCtx) })
	watching.Go(func() error { return run.seek(watchCtx) })
	working, workCtx := errgroup.WithContext(watchCtx)
	working.Go(func() error { return run.meter(workCtx) })
	working.Go(func() error { return run.send(workCtx) })
	for _, kind := range run.reading {
		working.Go(func() error { return run.read(workCtx, kind) })
	}
	if b.options.Profile != "" {
		working.Go(func() error { return run.profile(workCtx, b.options.Profile) })
	}
	err := working.Wait()
	if err == nil {
		err = run.drain(watchCtx)
	}
	cancel()
	if watched := watching.Wait(); watched != nil && !errors.Is(watched, context.Canceled) {
		err = watched // what broke first is why the rest was given up
	}
	return err
}
