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

// How much to crash. The defaults are for every run of the tests; make crash asks for all of it.
var (
	kills      = flag.Int("kills", 5, "how many times to kill a node at a random moment")
	failPoints = flag.Int("fail-points", 4, "at how many of the fail points 0 to 40 to crash a node")
	seed       = flag.Uint64("seed", 0, "of the random moments; 0 takes a new one")
)

const (
	// lastFailPoint is in the fourth block or later: a block passes about ten of them.
	lastFailPoint = 40
	// longestStart and longestLoad are the most time from a node's start, or from when it serves, to its end.
	longestStart = time.Second
	longestLoad  = 800 * time.Millisecond
	// replayEvery is how many kills pass between two replays of all blocks.
	replayEvery = 20
	// goOn is how many messages a chain must still commit at the end.
	goOn = 100
)

// TestKill kills a node again and again in the same home, from before it serves to well under load.
//
// Rules: I1, T2/crash.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("crashes nodes under load")
	}
	t.Parallel()
	begin := *seed
	if begin == 0 {
		begin = rand.Uint64()
	}
	t.Logf("seed %d", begin)
	random := rand.New(rand.NewPCG(begin, 0))
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
			return // the home stays as the fault left it
		}
		reported.check(t, home, (i+1)%replayEvery == 0)
		reported.survived(t, home)
	}
	reported.finish(t, home)
}

// killStarting kills a node some time after its start, if it serves or not.
func (v *victim) killStarting(t *testing.T, reported *record, random *rand.Rand) string {
	t.Helper()
	life := time.Duration(random.Int64N(int64(longestStart)))
	end := time.AfterFunc(life, v.Kill)
	defer end.Stop()
	v.suffer(t, reported)
	<-v.Done()
	return fmt.Sprintf("%v after the start", life)
}

// killServing kills a node some time after it began to serve. When the node before it died in the middle of a
// round of consensus, no block may have come until then.
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

// killCommitting kills a node some time after it reported a message.
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
		t.Fatalf("no message has committed in %v: %s", longestLife, v.Stderr())
	}
	return fmt.Sprintf("%v after a commit", life)
}

// suffer puts load on a node until it dies.
func (v *victim) suffer(t *testing.T, reported *record) {
	t.Helper()
	if address, serves := v.Address(); serves {
		client := nodetest.Dial(address)
		defer client.Close()
		reported.load(t.Context(), t, v, client)
	}
}

// TestFailPoints ends a node at fail points of the consensus engine: between any two things that it writes.
//
// Rules: I1, T2/crash.
func TestFailPoints(t *testing.T) {
	if testing.Short() {
		t.Skip("crashes nodes under load")
	}
	t.Parallel()
	for i := range *failPoints {
		point := i * lastFailPoint / max(*failPoints-1, 1)
		t.Run(strconv.Itoa(point), func(t *testing.T) {
			t.Parallel()
			home, reported := newHome(t), newRecord()
			v := launch(t, home, "FAIL_TEST_INDEX="+strconv.Itoa(point))
			v.suffer(t, reported)
			<-v.Done()
			if code := v.State().ExitCode(); code != 1 || v.Stderr() != "" {
				t.Fatalf("the node ended with %d: %s", code, v.Stderr())
			}
			reported.check(t, home, true)
			reported.survived(t, home)
			reported.finish(t, home)
		})
	}
}

// survived starts the node again, asks for what it had reported since the last time, and stops it.
func (r *record) survived(t *testing.T, home string) {
	t.Helper()
	v := launch(t, home)
	client := v.MustServe(t)
	r.verify(t, client, r.takeFresh())
	client.Close()
	v.Stop(t)
}

// finish has the chain go on, and then asks for everything that was ever reported.
func (r *record) finish(t *testing.T, home string) {
	t.Helper()
	v := launch(t, home)
	client := v.MustServe(t)
	goal := r.count() + goOn
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r.until(goal, cancel)
	r.load(ctx, t, v, client)
	if r.count() < goal {
		t.Fatalf("the chain does not go on: %d messages, want %d: %s", r.count(), goal, v.Stderr())
	}
	v.watchdog.Stop() // there may be much to ask for
	r.verify(t, client, r.all())
	v.watchdog.Reset(longestLife)
	client.Close()
	v.Stop(t)
	r.check(t, home, true)
}

// check looks through a home in which no node runs. One that was killed before it began its chain has reported
// nothing.
func (r *record) check(t *testing.T, home string, replay bool) {
	t.Helper()
	var notes []string
	err := node.Check(home, node.CheckOptions{Replay: replay, Report: func(line string) { notes = append(notes, line) }})
	if errors.Is(err, comet.ErrNoChain) && r.count() == 0 {
		return
	}
	if err != nil {
		t.Fatalf("%v, after %s", err, strings.Join(notes, "; "))
	}
}
