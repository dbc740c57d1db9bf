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
	"makechain/bench/workload"
	"makechain/client"
	"makechain/internal/ident"
	"makechain/message"
)

const (
	// headStart is the time from when all is ready to when the first call is due.
	headStart = 100 * time.Millisecond
	// lateAfter is how long after it is due a call is late: more than timers are off.
	lateAfter = 5 * time.Millisecond
	// fullPause is how long a lane waits before it asks a full mempool again.
	fullPause = 20 * time.Millisecond
	// maxPending is how many messages wait for a block when the load is to go as fast as it can: enough for several full
	// blocks.
	maxPending = 10_000
	// pendingPause is how long a lane waits for that.
	pendingPause = 2 * time.Millisecond
)

// run is one load under way.
type run struct {
	bench       *Generator
	load        Load
	plan        workload.Plan
	requestFile *workload.RequestFile
	sent        []int // requests of each lane, which writes its own

	start      time.Time // of the first call
	begun, end time.Time // of what is measured

	accepted, readable, streamed histogram.Histogram

	reading []*reads

	probes  chan probe
	seeking atomic.Int64 // probes that are not found yet

	calls, late, waits       atomic.Int64
	taken, inWindow, settled atomic.Int64 // messages accepted, those of them within the window, and committed

	watched
	metered

	mu      sync.Mutex // guards what follows
	refused map[message.Code]int64
	due     map[ident.Hash]time.Time // of messages that streams will show
	seconds []int64                  // accepted in each
	// nextProbe is from when on another commit is looked for.
	nextProbe time.Time
}

func newRun(b *Generator, load Load, plan workload.Plan, requestFile *workload.RequestFile) *run {
	return &run{
		bench: b, load: load, plan: plan, requestFile: requestFile, reading: newReads(load.Reads), sent: make([]int, plan.Lanes),
		refused: map[message.Code]int64{}, due: map[ident.Hash]time.Time{},
		probes:  make(chan probe, maxProbes),
		seconds: make([]int64, int(math.Ceil((load.WarmUp + load.For).Seconds()))),
	}
}

// measures says whether something that was due at a time counts.
func (r *run) measures(due time.Time) bool { return !due.Before(r.begun) && due.Before(r.end) }

// begin sets the clock.
func (r *run) begin(ctx context.Context) error {
	r.start = time.Now().Add(headStart)
	r.begun = r.start.Add(r.load.WarmUp)
	r.end = r.begun.Add(r.load.For)
	return r.firstLook(ctx)
}

// send has all lanes send until the end.
func (r *run) send(ctx context.Context) error {
	links, err := r.bench.links(r.plan.Lanes)
	if err != nil {
		return err
	}
	defer closeAll(links)
	sending, ctx := errgroup.WithContext(ctx)
	for lane, to := range links {
		sending.Go(func() error { return r.sendLane(ctx, lane, to) })
	}
	return sending.Wait()
}

// sendLane makes the calls of one lane, one after another, none before it is due.
func (r *run) sendLane(ctx context.Context, lane int, to link) error {
	node := r.bench.clients[r.bench.nodeOf(lane)]
	requests, err := r.requestFile.Open(lane)
	if err != nil {
		return err
	}
	defer func() { _ = requests.Close() }() // it was only read
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
		if !due.Before(r.end) {
			return nil
		}
		r.sent[lane]++
		if err := r.submit(ctx, to, node, &request, due); err != nil {
			return err
		}
	}
}

// await waits until a call is due, and says when that is. Without a rate it is due when few enough messages are pending.
func (r *run) await(ctx context.Context, number int) (time.Time, error) {
	due := r.start.Add(time.Duration(number) * r.plan.Interval)
	if r.load.Rate > 0 {
		if wait := time.Until(due); wait > 0 {
			return due, sleep(ctx, wait)
		}
		return due, nil
	}
	for r.taken.Load()-r.settled.Load() > maxPending && time.Now().Before(r.end) {
		if err := sleep(ctx, pendingPause); err != nil {
			return due, err
		}
	}
	return time.Now(), nil
}

// submit makes a call, and again while the mempool is full: messages later in the lane rely on it.
func (r *run) submit(ctx context.Context, to link, node *client.Client, request *workload.Request, due time.Time) error {
	if r.measures(due) {
		r.calls.Add(1)
		if time.Since(due) > lateAfter {
			r.late.Add(1)
		}
	}
	r.expect(request, due)
	for again := false; ; again = true {
		v, err := submit(ctx, to, request)
		if err != nil {
			return err
		}
		if again { // what an earlier call took in
			v.accepted += v.refused[message.CodeDuplicate]
			delete(v.refused, message.CodeDuplicate)
		}
		if v.refused[message.CodeMempoolFull] == 0 || !time.Now().Before(r.end) {
			r.count(request, v, due, node)
			return nil
		}
		r.waits.Add(1)
		if err := sleep(ctx, fullPause); err != nil {
			return err
		}
	}
}

// count keeps what a node said of a call.
func (r *run) count(request *workload.Request, v verdict, due time.Time, node *client.Client) {
	now := time.Now()
	r.taken.Add(int64(v.accepted))
	if r.measures(due) {
		for range v.accepted {
			r.accepted.Record(now.Sub(due))
		}
	}
	if r.measures(now) {
		r.inWindow.Add(int64(v.accepted))
	}
	r.mu.Lock()
	for code, n := range v.refused {
		r.refused[code] += int64(n)
	}
	if second := int(now.Sub(r.start) / time.Second); second >= 0 && second < len(r.seconds) {
		r.seconds[second] += int64(v.accepted)
	}
	r.mu.Unlock()
	if request.HasCommit && v.refused == nil && r.measures(due) {
		r.probe(request, due, node)
	}
}
