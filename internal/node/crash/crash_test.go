package crash_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"makechain/internal/comet"
	"makechain/internal/node"
	"makechain/internal/node/nodetest"
)

// Flags of the tests. The defaults are for go test; make crash uses more.
var (
	kills      = flag.Int("kills", 5, "number of kills at random times")
	failPoints = flag.Int("fail-points", 4, "number of fail points, from 0 to 40, at which to crash a node")
	seed       = flag.Uint64("seed", 0, "seed of the random times; 0 for a random seed")
)

const (
	// lastFailPoint is in the fourth block or later: a block passes about ten fail points.
	lastFailPoint = 40
	// longestStart and longestLoad are the maximum times from the start of a node, or from when it serves, to the kill.
	longestStart = time.Second
	longestLoad  = 800 * time.Millisecond
	// replayEvery is the number of kills between two replays of all blocks.
	replayEvery = 20
	// finalMessages is the number of messages that a chain must still commit at the end.
	finalMessages = 100
)

// TestKill kills a node repeatedly in the same home, before it serves and under load.
//
// Rules: I1, T2/crash.
func TestKill(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("crashes nodes under load")
	}
	first := *seed
	if first == 0 {
		first = rand.Uint64()
	}
	t.Logf("seed %d", first)
	random := rand.New(rand.NewPCG(first, 0))
	home, reported := newHome(t), newRecord()
	for i := range *kills {
		v := launch(t, home)
		var when string
		switch random.IntN(4) {
		case 0:
			when = v.killStarting(t, reported, random)
		case 1:
			when = v.killServing(t, reported, random)
		default:
			when = v.killCommitting(t, reported, random)
		}
		t.Logf("kill %d %s, %d messages reported", i, when, reported.count())
		if t.Failed() {
			return // keep the home for inspection
		}
		reported.check(t, home, (i+1)%replayEvery == 0)
		reported.survived(t, home)
	}
	reported.finish(t, home)
}

// killStarting kills a node some time after its start, whether it serves or not.
func (v *victim) killStarting(t *testing.T, reported *record, random *rand.Rand) string {
	t.Helper()
	life := time.Duration(random.Int64N(int64(longestStart)))
	end := time.AfterFunc(life, v.Kill)
	defer end.Stop()
	v.loadUntilExit(t, reported)
	<-v.Done()
	return fmt.Sprintf("%v after the start", life)
}

// killServing kills a node some time after it started to serve. It may not have committed a block until then.
func (v *victim) killServing(t *testing.T, reported *record, random *rand.Rand) string {
	t.Helper()
	life := time.Duration(random.Int64N(int64(longestLoad)))
	client := v.MustServe(t)
	defer client.Close()
	end := time.AfterFunc(life, v.Kill)
	defer end.Stop()
	reported.load(t.Context(), t, v, client)
	<-v.Done()
	return fmt.Sprintf("%v after it served", life)
}

// killCommitting kills a node some time after it reported a message as committed.
func (v *victim) killCommitting(t *testing.T, reported *record, random *rand.Rand) string {
	t.Helper()
	life := time.Duration(random.Int64N(int64(longestLoad)))
	client := v.MustServe(t)
	defer client.Close()
	goal := reported.count() + 1
	reported.until(goal, func() { time.AfterFunc(life, v.Kill) })
	reported.load(t.Context(), t, v, client)
	<-v.Done()
	if reported.count() < goal {
		t.Fatalf("no message committed in %v: %s", longestLife, v.Stderr())
	}
	return fmt.Sprintf("%v after a commit", life)
}

// loadUntilExit puts load on a node until it exits.
func (v *victim) loadUntilExit(t *testing.T, reported *record) {
	t.Helper()
	if address, serves := v.Address(); serves {
		client := nodetest.Dial(address)
		defer client.Close()
		reported.load(t.Context(), t, v, client)
	}
}

// TestFailPoints crashes a node at fail points of CometBFT, which are between its writes.
//
// Rules: I1, T2/crash.
func TestFailPoints(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("crashes nodes under load")
	}
	for i := range *failPoints {
		point := i * lastFailPoint / max(*failPoints-1, 1)
		t.Run(strconv.Itoa(point), func(t *testing.T) {
			t.Parallel()
			home, reported := newHome(t), newRecord()
			v := launch(t, home, "FAIL_TEST_INDEX="+strconv.Itoa(point))
			v.loadUntilExit(t, reported)
			<-v.Done()
			if code := v.State().ExitCode(); code != 1 || v.Stderr() != "" {
				t.Fatalf("the node exited with %d: %s", code, v.Stderr())
			}
			reported.check(t, home, true)
			reported.survived(t, home)
			reported.finish(t, home)
		})
	}
}

// survived restarts the node, verifies the messages that were reported since the last call, and stops it.
func (r *record) survived(t *testing.T, home string) {
	t.Helper()
	v := launch(t, home)
	client := v.MustServe(t)
	r.verify(t, client, r.takeFresh())
	client.Close()
	v.Stop(t)
}

// finish checks that the chain makes progress, and then verifies all reported messages.
func (r *record) finish(t *testing.T, home string) {
	t.Helper()
	v := launch(t, home)
	client := v.MustServe(t)
	goal := r.count() + finalMessages
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r.until(goal, cancel)
	r.load(ctx, t, v, client)
	if r.count() < goal {
		t.Fatalf("the chain makes no progress: %d messages, want %d: %s", r.count(), goal, v.Stderr())
	}
	v.watchdog.Stop() // verification may take long
	r.verify(t, client, r.all())
	v.watchdog.Reset(longestLife)
	client.Close()
	v.Stop(t)
	r.check(t, home, true)
}

// check checks the home of a stopped node. A node that was killed before its chain started has reported nothing.
func (r *record) check(t *testing.T, home string, replay bool) {
	t.Helper()
	var lines []string
	err := node.Check(home, node.CheckOptions{Replay: replay, Report: func(line string) { lines = append(lines, line) }})
	if errors.Is(err, comet.ErrNoChain) && r.count() == 0 {
		return
	}
	if err != nil {
		t.Fatalf("%v, after %s", err, strings.Join(lines, "; "))
	}
}
