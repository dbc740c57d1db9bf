package push_test

import (
	"strings"
	"testing"
	"time"

	"makechain/internal/gitrepo/gittest"
	"makechain/internal/push"
)

// TestLongHistory pushes more commits than a project keeps without a ref, in a fast-forward that is longer than the chain
// checks. It checks that none is pruned and that the temporary refs are deleted in the end.
//
// Rules: P8.7, P9.3.
func TestLongHistory(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("pushes a long history")
	}
	s := newFixture(t)
	made := gittest.Init(t)
	made.Grow(t, gittest.Shape{Seed: 5, Commits: 13_000, Lines: 6})
	first := made.Git(t, "rev-list", "--max-count=1", "--skip=12500", "main")
	made.Git(t, "branch", "old", first)
	p := s.push(t, made)
	mustRun(t, p, push.Request{Refs: []push.Ref{branchAt(t, made, "main", "old")}})
	start, reported := time.Now(), 0
	p.Progress = func(committed, total int) {
		if committed <= reported || committed > total {
			t.Errorf("%d of %d after %d", committed, total, reported)
		}
		reported = committed
	}
	plan := mustRun(t, p, push.Request{Refs: []push.Ref{branch(t, made, "main")}})
	t.Logf("%d commits in %v", plan.Commits, time.Since(start))
	if reported != plan.Commits || plan.Commits < 12_000 {
		t.Errorf("%d of %d commits were reported", reported, plan.Commits)
	}
	s.agrees(t, made, "main")
	s.sentOnce(t)
	for name, at := range s.refs(t) {
		if name != "main" || at != made.Git(t, "rev-parse", "main") {
			t.Errorf("ref %s is at %s", name, at)
		}
	}
	if len(plan.Updates) != 1 || plan.Updates[0].Action != push.FastForward {
		t.Errorf("moves are %+v", plan.Updates)
	}
	if strings.Contains(made.Git(t, "for-each-ref"), push.TemporaryRefPrefix) {
		t.Error("the repository has temporary refs")
	}
}
