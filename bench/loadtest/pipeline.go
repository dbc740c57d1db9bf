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
	"makechain/internal/backoff"
	"makechain/message"
)

// pipelineBlock is the number of messages per block of a pipeline. It is fixed because the cost of a message depends on it: a
// faster pipeline that made blocks of what is pending would make smaller ones.
const pipelineBlock = 1_000

// RunPipeline sends messages through a pipeline as fast as they commit. The reported cost is the usage of this process,
// including reading the signed requests. The next block's messages are submitted while a block is executed.
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

	windowStart, windowEnd time.Time
	first, last            reading
	blocks                 []sample // in the window
	rows                   int
	permits                chan struct{} // one for each request that may be submitted before the next block
	accepted               atomic.Int64
	committed              atomic.Int64
}

// prepare creates the accounts and fills the state.
func (r *pipelineRun) prepare(ctx context.Context) error {
	for i, account := range r.population.Accounts {
		r.options.Progress("creating accounts", i, len(r.population.Accounts))
		if err := r.pipeline.Claim(ctx, account.Address(), workload.Units); err != nil {
			return err
		}
		if err := r.submitNow(ctx, account.Setup); err != nil {
			return err
		}
	}
	if err := r.commitAll(ctx); err != nil {
		return err
	}
	for _, account := range r.population.Accounts {
		if err := r.submitNow(ctx, account.Fork); err != nil {
			return err
		}
	}
	for next := 0; uint64(r.rows) < r.options.Rows; next++ {
		r.options.Progress("filling", r.rows, int(r.options.Rows))
		account := r.population.Accounts[next%len(r.population.Accounts)]
		commits := min(workload.FillCommits, int(r.options.Rows)-r.rows)
		if err := r.submitNow(ctx, func(at uint32) ([]*message.Envelope, error) { return account.Fill(at, commits) }); err != nil {
			return err
		}
		if err := r.commitAll(ctx); err != nil {
			return err
		}
	}
	return r.commitAll(ctx)
}

// submitNow submits the messages that write returns.
func (r *pipelineRun) submitNow(ctx context.Context, write func(at uint32) ([]*message.Envelope, error)) error {
	messages, err := write(uint32(time.Now().Unix()))
	if err != nil {
		return err
	}
	return r.submit(ctx, messages)
}

func (r *pipelineRun) submit(ctx context.Context, messages []*message.Envelope) error {
	refusals, err := r.pipeline.Submit(ctx, messages)
	if err != nil {
		return err
	}
	for i, refusal := range refusals {
		if refusal != nil {
			return fmt.Errorf("%s: %w", messages[i].Type(), refusal)
		}
	}
	r.accepted.Add(int64(len(messages)))
	return nil
}

// commitAll commits blocks until no message is pending.
func (r *pipelineRun) commitAll(ctx context.Context) error {
	for {
		n, rows, err := r.pipeline.Block(ctx, nil)
		if r.rows = rows; n == 0 || err != nil {
			r.accepted.Store(0)
			return err
		}
	}
}

// measure submits and commits messages concurrently until the window ends.
func (r *pipelineRun) measure(ctx context.Context, plan workload.Plan, requestFile *workload.RequestFile) error {
	r.windowStart = time.Now().Add(r.load.WarmUp)
	r.windowEnd = r.windowStart.Add(r.load.For)
	r.permits = make(chan struct{}, max(1, pipelineBlock/r.load.Batch))
	r.permit()
	working, ctx := errgroup.WithContext(ctx)
	submitters := min(runtime.GOMAXPROCS(0), plan.Lanes)
	for submitter := range submitters {
		working.Go(func() error { return r.submitLanes(ctx, requestFile, submitter, submitters) })
	}
	working.Go(func() error { return r.makeBlocks(ctx) })
	return working.Wait()
}

// submitLanes submits the requests of one submitter's lanes, round-robin, until the window ends.
func (r *pipelineRun) submitLanes(ctx context.Context, requestFile *workload.RequestFile, submitter, submitters int) error {
	var lanes []*workload.Lane
	for number := submitter; number < requestFile.Lanes(); number += submitters {
		lane, err := requestFile.Open(number)
		if err != nil {
			return err
		}
		defer func() { _ = lane.Close() }() // only read
		lanes = append(lanes, lane)
	}
	var request workload.Request
	for next := 0; time.Now().Before(r.windowEnd); {
		select {
		case <-r.permits:
		default:
			if err := backoff.Sleep(ctx, pendingInterval); err != nil {
				return err
			}
			continue
		}
		if err := lanes[next%len(lanes)].Next(&request); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		next++
		messages, err := decode(&request)
		if err != nil {
			return err
		}
		if err := r.submit(ctx, messages); err != nil {
			return err
		}
	}
	return nil
}

// decode returns the messages of a request.
func decode(request *workload.Request) ([]*message.Envelope, error) {
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

// permit permits the submission of the messages of one block.
func (r *pipelineRun) permit() {
	for len(r.permits) < cap(r.permits) { // only this goroutine sends
		r.permits <- struct{}{}
	}
}

// makeBlocks commits one block after another until the window ends, each when all of its messages are submitted.
func (r *pipelineRun) makeBlocks(ctx context.Context) error {
	var height uint64
	for now := time.Now(); now.Before(r.windowEnd); now = time.Now() {
		if r.first.at.IsZero() && !now.Before(r.windowStart) {
			if err := r.read(&r.first); err != nil {
				return err
			}
		}
		if r.accepted.Load()-r.committed.Load() < int64(cap(r.permits)*r.load.Batch) {
			if err := backoff.Sleep(ctx, pendingInterval); err != nil {
				return err
			}
			continue
		}
		n, rows, err := r.pipeline.Block(ctx, r.permit)
		if err != nil {
			return err
		}
		height++
		r.rows = rows
		if at := time.Now(); !at.Before(r.windowStart) {
			r.blocks = append(r.blocks, sample{at: at, height: height, messages: uint64(r.committed.Load()) + uint64(n)})
		}
		r.committed.Add(int64(n))
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
