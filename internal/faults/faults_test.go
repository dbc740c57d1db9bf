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

// How much to suffer. The defaults are for every run of the tests; make faults asks for more.
var (
	seeds     = flag.Int("seeds", 1, "how many plans to follow")
	firstSeed = flag.Uint64("seed", 1, "of the first plan; the others follow it")
	count     = flag.Int("faults", 3, "how many faults a plan has")
	only      = flag.String("only", "", "the one kind of fault to have, as the tables name it")
	rebuilt   = flag.Bool("rebuilt", false, "have also what needs the program, and all it uses, to be built anew: wrong clocks, slow disks, lost writes")
	followers = flag.Int("followers", 1, "how many nodes of the network are no validators")
)

const (
	validators = 4
	// people is how many write at a time.
	people = 5
	// longestRun is far more than a plan takes.
	longestRun = 10 * time.Minute
)

// TestFaults follows plans, one after another, and prints what came of them.
//
// Rules: I1, T2/crash.
//
//nolint:paralleltest // a network wants the machine for itself
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a network of processes")
	}
	report, s := newReport(), shape{validators: validators, followers: *followers, mounts: true}
	if err := canMount(t); err != nil {
		s.mounts = false
		t.Logf("NO DISK IS FILLED: %v", err)
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

// follow has a network suffer what a plan says while people work.
func follow(t *testing.T, seed uint64, s shape, rebuilt string, report *report) {
	t.Helper()
	begin := time.Now()
	n := newNetwork(t, s)
	n.rebuilt = rebuilt
	n.start(n.all()...)
	n.backUp() // who is set back to it knows nobody
	at := newWork(n, seed)
	at.begin()
	kinds := s.kinds()
	if *only != "" {
		kinds = []kind{kind(*only)}
	}
	plan := newPlan(seed, s, kinds, *count)
	for _, f := range plan {
		rest(t.Context(), f.after)
		injected := n.inject(f)
		rest(t.Context(), f.lasts)
		if injected.took != nil {
			nodetest.Await(t, string(f.kind)+" to have its effect", injected.took)
		}
		height, ended := n.height(), time.Now()
		injected.undo()
		n.reach(height, n.all()...)
		took := time.Since(ended)
		t.Logf("%v: recovered in %v, %d messages committed so far", f, took.Round(time.Millisecond), at.history.count())
		report.recovered(f.kind, took)
	}
	at.end()
	result := n.judge(at.history, at.listeners)
	report.add(seed, len(plan), time.Since(begin), result)
}

// work is what people do while the network suffers.
type work struct {
	history   *history
	listeners []*listener

	writers []*writer
	writing sync.WaitGroup
	stop    chan struct{}
	cancel  func() // ends all of it at once
	network *network
}

// newWork puts people on the chain.
func newWork(n *network, seed uint64) *work {
	n.t.Helper()
	w := &work{history: newHistory(), stop: make(chan struct{}), network: n}
	w.writers = newWriters(n, w.history, seed, people)
	n.settle() // a node may be some blocks behind without knowing
	for _, m := range n.nodes {
		w.listeners = append(w.listeners, &listener{of: m})
	}
	return w
}

// begin has people write and listen, at most until the test ends.
func (w *work) begin() {
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

// end waits until people have ended what they began.
func (w *work) end() {
	close(w.stop)
	impatient := time.AfterFunc(nodetest.Timeout, w.cancel)
	defer impatient.Stop()
	w.writing.Wait()
}
