package loadtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"makechain/bench/pipeline"
	"makechain/bench/process"
	"makechain/bench/report"
	"makechain/bench/workload"
	pb "makechain/gen/makechain"
	"makechain/message"
)

// RunPipeline sends messages through a pipeline as fast as they commit. What it costs is what this whole process uses,
// the reading of what was signed included.
func RunPipeline(ctx context.Context, options Options, load Load, p *pipeline.Pipeline) (*report.Result, error) {
	load.Rate = 0
	if err := load.check(); err != nil {
		return nil, err
	}
	population, err := workload.New(workload.Options{
		Seed: options.Seed, Network: pb.Network_NETWORK_DEVNET, Accounts: options.Accounts, Projects: options.Projects,
	})
	if err != nil {
		return nil, err
	}
	r := &pipelineRun{pipeline: p, options: options, load: load, population: population}
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	requestFile, plan, err := sign(ctx, &options, population, load)
	if err != nil {
		return nil, err
	}
	options.Progress("measuring", 0, 0)
	err = r.measure(ctx, plan, requestFile)
	if err = errors.Join(err, requestFile.Remove()); err != nil {
		return nil, err
	}
	return r.result(plan, requestFile), nil
}

type pipelineRun struct {
	pipeline   *pipeline.Pipeline
	options    Options
	load       Load
	population *workload.Population

	begun, end  time.Time
	first, last reading
	blocks      []look // of the window
	rows        int
	taken       atomic.Int64
	done        atomic.Int64
}

// prepare puts people on the chain and fills its state.
func (r *pipelineRun) prepare(ctx context.Context) error {
	for i, account := range r.population.Accounts {
		r.options.Progress("founding", i, len(r.population.Accounts))
		if err := r.pipeline.Claim(ctx, account.Address(), workload.Units); err != nil {
			return err
		}
		if err := r.submitNow(ctx, account.Setup); err != nil {
			return err
		}
	}
	if err := r.settle(ctx); err != nil {
		return err
	}
	for _, account := range r.population.Accounts {
		if err := r.submitNow(ctx, account.Fork); err != nil {
			return err
		}
	}
	for turn := 0; uint64(r.rows) < r.options.Rows; turn++ {
		r.options.Progress("filling", r.rows, int(r.options.Rows))
		account := r.population.Accounts[turn%len(r.population.Accounts)]
		commits := min(workload.FillCommits, int(r.options.Rows)-r.rows)
		if err := r.submitNow(ctx, func(at uint32) ([]*message.Envelope, error) { return account.Fill(at, commits) }); err != nil {
			return err
		}
		if err := r.settle(ctx); err != nil {
			return err
		}
	}
	return r.settle(ctx)
}

// submitNow submits what a account makes.
func (r *pipelineRun) submitNow(ctx context.Context, write func(at uint32) ([]*message.Envelope, error)) error {
	messages, err := write(uint32(time.Now().Unix()))
	if err != nil {
		return err
	}
	return r.submit(ctx, messages)
}

func (r *pipelineRun) submit(ctx context.Context, messages []*message.Envelope) error {
	verdicts, err := r.pipeline.Submit(ctx, messages)
	if err != nil {
		return err
	}
	for i, refusal := range verdicts {
		if refusal != nil {
			return fmt.Errorf("%s: %w", messages[i].Type(), refusal)
		}
	}
	r.taken.Add(int64(len(messages)))
	return nil
}

// settle makes blocks until nothing is pending.
func (r *pipelineRun) settle(ctx context.Context) error {
	for {
		n, rows, err := r.pipeline.Block(ctx)
		if r.rows = rows; n == 0 || err != nil {
			r.taken.Store(0)
			return err
		}
	}
}

// measure has some submit, and makes blocks meanwhile.
func (r *pipelineRun) measure(ctx context.Context, plan workload.Plan, requestFile *workload.RequestFile) error {
	r.begun = time.Now().Add(r.load.WarmUp)
	r.end = r.begun.Add(r.load.For)
	working, ctx := errgroup.WithContext(ctx)
	feeders := min(runtime.GOMAXPROCS(0), plan.Lanes)
	for feeder := range feeders {
		working.Go(func() error { return r.feed(ctx, requestFile, feeder, feeders) })
	}
	working.Go(func() error { return r.makeBlocks(ctx) })
	return working.Wait()
}

// feed submits the requests of one feeder's share of the lanes, in turns, until the window ends.
func (r *pipelineRun) feed(ctx context.Context, requestFile *workload.RequestFile, feeder, feeders int) error {
	var lanes []*workload.Lane
	for number := feeder; number < requestFile.Lanes(); number += feeders {
		lane, err := requestFile.Open(number)
		if err != nil {
			return err
		}
		defer func() { _ = lane.Close() }() // it was only read
		lanes = append(lanes, lane)
	}
	var request workload.Request
	for turn := 0; time.Now().Before(r.end); {
		if r.taken.Load()-r.done.Load() > maxPending {
			if err := sleep(ctx, pendingPause); err != nil {
				return err
			}
			continue
		}
		if err := lanes[turn%len(lanes)].Next(&request); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		turn++
		messages, err := open(&request)
		if err != nil {
			return err
		}
		if err := r.submit(ctx, messages); err != nil {
			return err
		}
	}
	return nil
}

func open(request *workload.Request) ([]*message.Envelope, error) {
	transactions, err := request.Transactions()
	if err != nil {
		return nil, err
	}
	messages := make([]*message.Envelope, len(transactions))
	for i, tx := range transactions {
		m, refusal := message.Decode(tx)
		if refusal != nil {
			return nil, refusal
		}
		messages[i] = m
	}
	return messages, nil
}

// makeBlocks makes one block after another until the window ends.
func (r *pipelineRun) makeBlocks(ctx context.Context) error {
	var height uint64
	for now := time.Now(); now.Before(r.end); now = time.Now() {
		if r.first.at.IsZero() && !now.Before(r.begun) {
			if err := r.read(&r.first); err != nil {
				return err
			}
		}
		if r.taken.Load() == r.done.Load() {
			if err := sleep(ctx, pendingPause); err != nil {
				return err
			}
			continue
		}
		n, rows, err := r.pipeline.Block(ctx)
		if err != nil {
			return err
		}
		height++
		r.rows = rows
		if at := time.Now(); !at.Before(r.begun) {
			r.blocks = append(r.blocks, look{at: at, height: height, messages: uint64(r.done.Load()) + uint64(n)})
		}
		r.done.Add(int64(n))
	}
	return r.read(&r.last)
}

func (r *pipelineRun) read(into *reading) (err error) {
	into.at = time.Now()
	into.nodes, err = process.Read(os.Getpid())
	return err
}

func (r *pipelineRun) result(plan workload.Plan, requestFile *workload.RequestFile) *report.Result {
	result := &report.Result{
		Parameters: parameters(r.options, r.load, plan), Machine: process.ThisMachine(), Version: buildVersion(),
		Refused: map[string]int64{}, MessageBytes: ratio(float64(requestFile.Bytes), float64(requestFile.Messages)), StateRows: uint64(r.rows),
	}
	result.Parameters.Mode = ModePipeline
	if len(r.blocks) > 1 {
		first, last := r.blocks[0], r.blocks[len(r.blocks)-1]
		messages, blocks, seconds := float64(last.messages-first.messages), float64(last.height-first.height), last.at.Sub(first.at).Seconds()
		result.CommittedPerSecond, result.BlocksPerSecond = ratio(messages, seconds), ratio(blocks, seconds)
		result.MessagesPerBlock = ratio(messages, blocks)
	}
	result.OfferedPerSecond, result.AcceptedPerSecond = result.CommittedPerSecond, result.CommittedPerSecond
	addUsage(result, &r.first, &r.last)
	return result
}

// buildVersion returns the version of this program, which contains the pipeline.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return info.Main.Version
}
