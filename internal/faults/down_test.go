package faults_test

import (
	"testing"
	"time"

	"makechain/internal/node/nodetest"
)

const (
	// enough is the number of messages that show that the chain makes progress.
	enough = 20
	// quiet is how long a chain that must not make progress is observed.
	quiet = 2 * time.Second
	// pacing is how long the rate of a chain is measured.
	pacing = 5 * time.Second
)

// TestDown checks that the chain makes progress with one of four validators down, none with two down, and progress again when
// one of them returns, and that nothing is lost.
//
// Rules: I1, T2/crash.
//
//nolint:paralleltest // a network needs the whole machine
func TestDown(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a network of processes")
	}
	n := newNetwork(t, shape{validators: validators})
	n.start(n.all()...)
	clients := newWork(n, *firstSeed)
	clients.start()
	clients.awaitProgress()
	undisturbed := clients.pace("with all validators")
	n.kill(3)
	clients.awaitProgress()
	t.Logf("the rate of blocks is %.0f %%", 100*clients.pace("with one of them down")/undisturbed)
	n.kill(2)
	sleep(t.Context(), quiet)
	stopped, committed := n.height(), clients.history.count()
	sleep(t.Context(), quiet)
	if height := n.height(); height != stopped {
		t.Errorf("with two of %d validators down the chain went from block %d to %d", validators, stopped, height)
	}
	start := time.Now()
	n.start(2)
	served := time.Since(start)
	n.reach(stopped, 0, 1, 2)
	t.Logf("two were down: the chain made progress %v after one was started, which took %v to serve",
		time.Since(start).Round(time.Millisecond), served.Round(time.Millisecond))
	nodetest.Await(t, "messages to be reported", func() bool { return clients.history.count() > committed })

	n.start(3)
	n.reach(n.height(), n.all()...)
	clients.end()
	result := n.check(clients.history, clients.listeners)
	t.Logf("%d messages offered, %d committed, %d refused, %d lost", result.offered, result.committed, result.refused, result.lost)
}

// pace logs the rate of the chain and returns the blocks per second.
func (w *work) pace(when string) float64 {
	w.network.t.Helper()
	height, committed := w.network.height(), w.history.count()
	sleep(w.network.t.Context(), pacing)
	blocks, messages := w.network.height()-height, w.history.count()-committed
	w.network.t.Logf("%s: %.1f blocks and %.1f messages per second", when, float64(blocks)/pacing.Seconds(), float64(messages)/pacing.Seconds())
	return float64(blocks) / pacing.Seconds()
}

// awaitProgress waits until more messages have committed.
func (w *work) awaitProgress() {
	w.network.t.Helper()
	before := w.history.count()
	nodetest.Await(w.network.t, "more messages", func() bool { return w.history.count() >= before+enough })
}
