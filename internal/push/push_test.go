package push_test

import (
	"maps"
	"testing"
	"time"

	"makechain/internal/gitrepo/gittest"
	"makechain/internal/push"
)

// TestPushHistory pushes a history with merges, octopus merges, several roots and tags, in both object formats, and
// compares the commits and refs on the chain with git's.
//
// Rules: P5/COMMIT_BUNDLE, P9.3, P9.4.
func TestPushHistory(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s := newFixture(t)
			made := gittest.Init(t, "--object-format="+format)
			made.Grow(t, gittest.Shape{Seed: 11, Commits: 3500, Lines: 7})
			request := push.Request{Refs: []push.Ref{
				branch(t, made, "main"), branch(t, made, "line-2"), tag(t, made, "annotated"), tag(t, made, "größe/v1"),
			}}
			start := time.Now()
			plan := mustRun(t, s.push(t, made), request)
			t.Logf("%d commits in %v", plan.Commits, time.Since(start))
			s.agrees(t, made, "main")
			s.sentOnce(t)
			want := map[string]string{
				"main": made.Git(t, "rev-parse", "main"), "line-2": made.Git(t, "rev-parse", "line-2"),
				"annotated": made.Git(t, "rev-parse", "annotated^{commit}"), "größe/v1": made.Git(t, "rev-parse", "größe/v1"),
			}
			if got := s.refs(t); !maps.Equal(got, want) {
				t.Errorf("refs are %v, want %v", got, want)
			}
			if again := mustRun(t, s.push(t, made), request); again.Commits != 0 || len(again.Updates) != 0 || len(again.Unchanged) != 4 {
				t.Errorf("the second push made changes: %+v", again)
			}
		})
	}
}
