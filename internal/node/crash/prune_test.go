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
	// retained is the number of retained blocks: more than a message waits for its commit.
	retained = 8
	// firstPruning is a fail point in a block that prunes: no block passes more than twelve fail points.
	firstPruning = 12 * (retained + 4)
	// pointsOfBlock is the number of fail points of a block. Every other one is enough, because there are two between the
	// pruning of indexes and of blocks.
	pointsOfBlock = 10
)

// TestFailPointsWhilePruning crashes a node that prunes at the fail points of a block, also when its indexes are pruned and its
// blocks are not. After a restart it prunes the blocks.
//
// Rules: I1, T2/crash.
func TestFailPointsWhilePruning(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("crashes nodes under load")
	}
	var between atomic.Int32
	t.Run("points", func(t *testing.T) {
		t.Parallel()
		t.Cleanup(func() {
			if between.Load() == 0 {
				t.Error("no node crashed between the pruning of its indexes and of its blocks")
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

// pruneAndCrash crashes a node at a fail point and restarts it. It reports whether the indexes were pruned before the blocks.
func pruneAndCrash(t *testing.T, point int) (ahead bool) {
	t.Helper()
	home, reported := newHome(t), newRecord()
	prunes := retainVariable + "=" + strconv.Itoa(retained)
	v := launch(t, home, prunes, "FAIL_TEST_INDEX="+strconv.Itoa(point))
	v.loadUntilExit(t, reported)
	<-v.Done()
	if code := v.State().ExitCode(); code != 1 || v.Stderr() != "" {
		t.Fatalf("the node exited with %d: %s", code, v.Stderr())
	}
	indexed, base := lowest(t, home)
	if base < 2 || indexed < base || indexed > base+retained {
		t.Fatalf("messages are indexed from block %d, and blocks retained from %d", indexed, base)
	}
	v = launch(t, home, prunes)
	client := v.MustServe(t)
	goal := reported.count() + finalMessages
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	reported.until(goal, cancel)
	reported.load(ctx, t, v, client)
	client.Close()
	v.Stop(t)
	if after, kept := lowest(t, home); after <= indexed || kept != after || reported.count() < goal {
		t.Errorf("after %d messages the index starts at block %d, and the blocks at %d", reported.count(), after, kept)
	}
	return indexed > base
}

// lowest checks a home and returns the lowest indexed and the lowest retained block.
func lowest(t *testing.T, home string) (indexed, base uint64) {
	t.Helper()
	var lines []string
	err := node.Check(home, node.CheckOptions{Replay: true, Report: func(line string) { lines = append(lines, line) }})
	if err != nil {
		t.Fatalf("%v, after %s", err, strings.Join(lines, "; "))
	}
	for _, line := range lines {
		if _, err := fmt.Sscanf(line, "pruned messages before block %d", &indexed); err == nil {
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
