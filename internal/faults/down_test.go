package faults_test

import (
	"testing"
	"time"

	"makechain/internal/node/nodetest"
)

const (
	// enough messages show that the chain goes on.
	enough = 20
	// quiet is how long a chain is watched that must stand still. What was decided before is executed long before.
	quiet = 2 * time.Second
	// pacing is how long a chain is watched that goes on.
	pacing = 3 * time.Second
)

// TestDown ends one of four validators, without which writes go on, and then a second, without which they stop. When one
// of the two returns they go on, and in the end nothing is lost.
//
// Rules: I1, T2/crash.
//
//nolint:paralleltest // a network wants the machine for itself
func TestDown(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a network of processes")
	}
	n := newNetwork(t, shape{validators: validators})
	n.start(n.all()...)
	at := newWork(n, *firstSeed)
	at.begin()
	at.goOn()
	at.pace("with all validators")
	n.kill(3)
	at.goOn()
	at.pace("with one of them down")
	n.kill(2)
	rest(t.Context(), quiet)
	stood, committed := n.height(), at.history.count()
	rest(t.Context(), quiet)
	if height := n.height(); height != stood {
		t.Errorf("with two of %d down the chain went on from block %d to %d", validators, stood, height)
	}
	began := time.Now()
	n.start(2)
	served := time.Since(began)
	n.reach(stood, 0, 1, 2)
	t.Logf("two were down: the chain went on %v after one returned, which took %v to serve",
		time.Since(began).Round(time.Millisecond), served.Round(time.Millisecond))
	nodetest.Await(t, "messages to be reported", func() bool { return at.history.count() > committed })

	n.start(3)
	n.reach(n.height(), n.all()...)
	at.end()
	result := n.judge(at.history, at.listeners)
	t.Logf("%d messages offered, %d committed, %d refused, %d lost", result.offered, result.committed, result.refused, result.lost)
}

// pace reports how fast the chain goes on.
func (w *work) pace(when string) {
	w.network.t.Helper()
	height, committed := w.network.height(), w.history.count()
	rest(w.network.t.Context(), pacing)
	blocks, messages := w.network.height()-height, w.history.count()-committed
	w.network.t.Logf("%s: %.1f blocks and %.1f messages a second", when, float64(blocks)/pacing.Seconds(), float64(messages)/pacing.Seconds())
}

// goOn waits until more messages have committed.
func (w *work) goOn() {
	w.network.t.Helper()
	before := w.history.count()
	nodetest.Await(w.network.t, "more messages", func() bool { return w.history.count() >= before+enough })
}
