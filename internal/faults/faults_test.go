package faults_test

import (
	"context"
	"flag"
	"fmt"
	"sync"
	"testing"
	"time"

	"makechain/internal/node/nodetest"
)

// Flags of the tests. The defaults are for go test; make faults uses more.
var (
	seeds     = flag.Int("seeds", 1, "number of plans")
	firstSeed = flag.Uint64("seed", 1, "seed of the first plan; the next plans use the next seeds")
	count     = flag.Int("faults", 3, "number of faults per plan")
	only      = flag.String("only", "", "inject only this kind of fault, by its name in the report")
	rebuilt   = flag.Bool("rebuilt", false, "also inject faults that need a rebuilt program: wrong clocks, slow disks, lost writes")
	followers = flag.Int("followers", 1, "number of followers in the network")
)

const (
	validators = 4
	// writerCount is the number of concurrent writers.
	writerCount = 5
	// longestRun is far more than the duration of a plan.
	longestRun = 10 * time.Minute
)

// TestFaults runs plans in sequence and logs a report.
//
// Rules: I1, T2/crash.
//
//nolint:paralleltest // a network needs the whole machine
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a network of processes")
	}
	report, s := newReport(), shape{validators: validators, followers: *followers, mounts: true}
	if err := canMount(t); err != nil {
		s.mounts = false
		t.Logf("disks are not filled: %v", err)
	}
	var program string
	if s.rebuilt = *rebuilt; s.rebuilt {
		program = rebuild(t)
	}
	for i := range *seeds {
		seed := *firstSeed + uint64(i)
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			follow(t, seed, s, program, report)
		})
	}
	t.Log(report)
}

// follow injects the faults of a plan into a network while clients write.
func follow(t *testing.T, seed uint64, s shape, rebuilt string, report *report) {
	t.Helper()
	start := time.Now()
	n := newNetwork(t, s)
	n.rebuilt = rebuilt
	n.start(n.all()...)
	n.backUp() // from before any account exists
	clients := newWork(n, seed)
	clients.start()
	kinds := s.kinds()
	if *only != "" {
		kinds = []kind{kind(*only)}
	}
	plan := newPlan(seed, s, kinds, *count)
	for _, f := range plan {
		sleep(t.Context(), f.after)
		injected := n.inject(f)
		sleep(t.Context(), f.lasts)
		if injected.took != nil {
			nodetest.Await(t, string(f.kind)+" to have its effect", injected.took)
		}
		height, ended := n.height(), time.Now()
		injected.undo()
		n.reach(height, n.all()...)
		took := time.Since(ended)
		t.Logf("%v: recovered in %v, %d messages committed so far", f, took.Round(time.Millisecond), clients.history.count())
		report.recovered(f.kind, took)
	}
	clients.end()
	result := n.check(clients.history, clients.listeners)
	report.add(seed, len(plan), time.Since(start), result)
}

// work is the set of clients that write and subscribe during the faults.
type work struct {
	history   *history
	listeners []*listener

	writers []*writer
	writing sync.WaitGroup
	stop    chan struct{}
	cancel  func() // cancels all clients
	network *network
}

// newWork registers the writers on the chain.
func newWork(n *network, seed uint64) *work {
	n.t.Helper()
	w := &work{history: newHistory(), stop: make(chan struct{}), network: n}
	w.writers = newWriters(n, w.history, seed, writerCount)
	n.settle() // nodes may be some blocks behind
	for _, m := range n.nodes {
		w.listeners = append(w.listeners, &listener{of: m})
	}
	return w
}

// start starts all clients, at most until the test ends.
func (w *work) start() {
	ctx, cancel := context.WithTimeout(w.network.t.Context(), longestRun)
	var listening sync.WaitGroup
	for _, l := range w.listeners {
		listening.Go(func() { l.listen(ctx) })
	}
	for _, writer := range w.writers {
		w.writing.Go(func() { writer.work(ctx, w.stop) })
	}
	w.cancel = cancel
	w.network.t.Cleanup(func() {
		cancel()
		w.writing.Wait()
		listening.Wait()
	})
}

// end waits until the writers have finished their current operations.
func (w *work) end() {
	close(w.stop)
	timeout := time.AfterFunc(nodetest.Timeout, w.cancel)
	defer timeout.Stop()
	w.writing.Wait()
}
