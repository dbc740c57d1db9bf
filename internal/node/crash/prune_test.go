package crash_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"makechain/internal/comet"
	"makechain/internal/node"
)

const (
	// retained is how many blocks a node keeps that prunes: more than a message waits for its fate.
	retained = 8
	// firstPruning is a fail point in a block that prunes: no block passes more than twelve.
	firstPruning = 12 * (retained + 4)
	// pointsOfBlock are as many as a block passes. Every other is enough: two follow one another between the two
	// prunings.
	pointsOfBlock = 10
)

// TestFailPointsWhilePruning ends a node that prunes at fail points all over a block: also where its indexes are pruned
// already and the blocks are not. It goes on, and prunes the blocks.
//
// Rules: I1, T2/crash.
func TestFailPointsWhilePruning(t *testing.T) {
	if testing.Short() {
		t.Skip("crashes nodes under load")
	}
	t.Parallel()
	var between atomic.Int32
	t.Run("points", func(t *testing.T) {
		t.Parallel()
		t.Cleanup(func() {
			if between.Load() == 0 {
				t.Error("no node ended between the pruning of its indexes and that of its blocks")
			}
		})
		for point := 0; point < pointsOfBlock; point += 2 {
			t.Run(strconv.Itoa(point), func(t *testing.T) {
				t.Parallel()
				if pruneAndCrash(t, firstPruning+point) {
					between.Add(1)
				}
			})
		}
	})
}

// pruneAndCrash ends a node at a fail point and has it go on. It says whether the indexes were ahead of the blocks.
func pruneAndCrash(t *testing.T, point int) (ahead bool) {
	t.Helper()
	home, reported := newHome(t), newRecord()
	prunes := retainVariable + "=" + strconv.Itoa(retained)
	v := launch(t, home, prunes, "FAIL_TEST_INDEX="+strconv.Itoa(point))
	v.suffer(t, reported)
	<-v.Done()
	if code := v.State().ExitCode(); code != 1 || v.Stderr() != "" {
		t.Fatalf("the node ended with %d: %s", code, v.Stderr())
	}
	indexed, base := lowest(t, home)
	if base < 2 || indexed < base || indexed > base+retained {
		t.Fatalf("messages are indexed from block %d on, and blocks kept from %d on", indexed, base)
	}
	v = launch(t, home, prunes)
	client := v.MustServe(t)
	goal := reported.count() + goOn
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	reported.until(goal, cancel)
	reported.load(ctx, t, v, client)
	client.Close()
	v.Stop(t)
	if after, kept := lowest(t, home); after <= indexed || kept != after || reported.count() < goal {
		t.Errorf("after %d messages they are indexed from block %d on, and blocks kept from %d on", reported.count(), after, kept)
	}
	return indexed > base
}

// lowest looks through a home and says from which blocks on messages are indexed, and blocks are kept.
func lowest(t *testing.T, home string) (indexed, base uint64) {
	t.Helper()
	var notes []string
	err := node.Check(home, node.CheckOptions{Replay: true, Report: func(line string) { notes = append(notes, line) }})
	if err != nil {
		t.Fatalf("%v, after %s", err, strings.Join(notes, "; "))
	}
	for _, note := range notes {
		if _, err := fmt.Sscanf(note, "pruned messages before block %d", &indexed); err == nil {
			break
		}
	}
	blocks, err := comet.OpenBlocks(home)
	if err != nil {
		t.Fatal(err)
	}
	base = blocks.Base()
	if err := blocks.Close(); err != nil {
		t.Fatal(err)
	}
	return indexed, base
}
