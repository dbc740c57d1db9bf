package loadtest

import (
	"context"
	"errors"
	"io"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"makechain/bench/histogram"
	"makechain/bench/report"
	"makechain/bench/workload"
	"makechain/client"
	"makechain/internal/backoff"
	"makechain/internal/ident"
	"makechain/message"
)

const (
	// startDelay is the time from the end of the preparations to the first due time.
	startDelay = 100 * time.Millisecond
	// lateAfter is the delay after which a call counts as late. It is longer than the inaccuracy of timers.
	lateAfter = 5 * time.Millisecond
	// retryInterval is the delay before a call is repeated because the mempool was full.
	retryInterval = 20 * time.Millisecond
	// maxPending is the number of messages in the mempool when the load has no rate: enough for several full blocks.
	maxPending = 10_000
	// pendingInterval is the time between two checks of that.
	pendingInterval = 2 * time.Millisecond
)

// run is the state of one measurement.
type run struct {
	generator   *Generator
	load        Load
	plan        workload.Plan
	requestFile *workload.RequestFile
	sent        []int // requests per lane; each lane writes its own entry

	start                  time.Time // of the first call
	windowStart, windowEnd time.Time // of the measurement

	accepted, readable, streamed histogram.Histogram
	readableParts                []histogram.Histogram // readable, by the part of the window in which calls were due

	reading []*reads

	probes  chan probe
	probing atomic.Int64 // probes that have not found their commit

	calls, late, waits                         atomic.Int64
	acceptedTotal, acceptedInWindow, committed atomic.Int64 // messages

	chainSamples
	readings

	mu        sync.Mutex // guards the fields below
	refused   map[message.Code]int64
	due       map[ident.Hash]time.Time // of messages that streams have not delivered
	seconds   []int64                  // messages accepted in each second
	nextProbe time.Time                // due time from which another commit is probed
}

func newRun(g *Generator, load Load, plan workload.Plan, requestFile *workload.RequestFile) *run {
	return &run{
		generator: g, load: load, plan: plan, requestFile: requestFile, reading: newReads(load.Reads), sent: make([]int, plan.Lanes),
		refused: map[message.Code]int64{}, due: map[ident.Hash]time.Time{},
		probes:  make(chan probe, maxProbes),
		seconds: make([]int64, int(math.Ceil((load.WarmUp + load.For).Seconds()))),

		readings:      readings{reference: newReference()},
		readableParts: make([]histogram.Histogram, max(1, int((load.For+report.PartDuration-1)/report.PartDuration))),
	}
}

// inWindow reports whether a time is within the measured window.
func (r *run) inWindow(at time.Time) bool { return !at.Before(r.windowStart) && at.Before(r.windowEnd) }

// part returns the number of the part of the window that a time is in.
func (r *run) part(at time.Time) int {
	return min(max(int(at.Sub(r.windowStart)/report.PartDuration), 0), len(r.readableParts)-1)
}

// startClock sets the times of the run and reads the first counters.
func (r *run) startClock(ctx context.Context) error {
	r.start = time.Now().Add(startDelay)
	r.windowStart = r.start.Add(r.load.WarmUp)
	r.windowEnd = r.windowStart.Add(r.load.For)
	return r.readFirst(ctx)
}

// send runs all lanes until the window ends.
func (r *run) send(ctx context.Context) error {
	callers, err := r.generator.callers(r.plan.Lanes, r.generator.options.writable())
	if err != nil {
		return err
	}
	defer closeAll(callers)
	sending, ctx := errgroup.WithContext(ctx)
	for lane, to := range callers {
		sending.Go(func() error { return r.sendLane(ctx, lane, to) })
	}
	return sending.Wait()
}

// sendLane makes the calls of one lane in sequence, none before its due time.
func (r *run) sendLane(ctx context.Context, lane int, to caller) error {
	node := r.generator.clients[r.generator.nodeOf(lane)]
	requests, err := r.requestFile.Open(lane)
	if err != nil {
		return err
	}
	defer func() { _ = requests.Close() }() // only read
	var request workload.Request
	for number := lane; ; number += r.plan.Lanes {
		if err := requests.Next(&request); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		due, err := r.await(ctx, number)
		if err != nil {
			return err
		}
		if !due.Before(r.windowEnd) {
			return nil
		}
		r.sent[lane]++
		if err := r.submit(ctx, to, node, &request, due); err != nil {
			return err
		}
	}
}

// await waits until a call is due and returns its due time. Without a rate it is due when few enough messages are pending.
func (r *run) await(ctx context.Context, number int) (time.Time, error) {
	due := r.start.Add(time.Duration(number) * r.plan.Interval)
	if r.load.Rate > 0 {
		if wait := time.Until(due); wait > 0 {
			return due, backoff.Sleep(ctx, wait)
		}
		return due, nil
	}
	for r.acceptedTotal.Load()-r.committed.Load() > maxPending && time.Now().Before(r.windowEnd) {
		if err := backoff.Sleep(ctx, pendingInterval); err != nil {
			return due, err
		}
	}
	return time.Now(), nil
}

// submit makes a call, and repeats it while the mempool is full, because later messages of the lane depend on it.
func (r *run) submit(ctx context.Context, to caller, node *client.Client, request *workload.Request, due time.Time) error {
	if r.inWindow(due) {
		r.calls.Add(1)
		if time.Since(due) > lateAfter {
			r.late.Add(1)
		}
	}
	r.expect(request, due)
	for again := false; ; again = true {
		result, err := submit(ctx, to, request)
		if err != nil {
			return err
		}
		if again { // an earlier attempt submitted these
			result.accepted += result.refused[message.CodeDuplicate]
			delete(result.refused, message.CodeDuplicate)
		}
		if result.refused[message.CodeMempoolFull] == 0 || !time.Now().Before(r.windowEnd) {
			r.count(request, result, due, node)
			return nil
		}
		r.waits.Add(1)
		if err := backoff.Sleep(ctx, retryInterval); err != nil {
			return err
		}
	}
}

// count records the result of a call.
func (r *run) count(request *workload.Request, result submitResult, due time.Time, node *client.Client) {
	now := time.Now()
	r.acceptedTotal.Add(int64(result.accepted))
	if r.inWindow(due) {
		for range result.accepted {
			r.accepted.Record(now.Sub(due))
		}
	}
	if r.inWindow(now) {
		r.acceptedInWindow.Add(int64(result.accepted))
	}
	r.mu.Lock()
	for code, n := range result.refused {
		r.refused[code] += int64(n)
	}
	if second := int(now.Sub(r.start) / time.Second); second >= 0 && second < len(r.seconds) {
		r.seconds[second] += int64(result.accepted)
	}
	r.mu.Unlock()
	if request.HasCommit && result.refused == nil && r.inWindow(due) {
		r.probe(request, due, node)
	}
}
