package push_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/gitrepo/gittest"
	"makechain/internal/push"
)

// TestNonFastForward checks that a push to a branch that another clone has updated sends nothing until the two are
// merged, unless it is forced.
//
// Rules: P9.3.
func TestNonFastForward(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	ours := gittest.Init(t)
	ours.Commit(t, "base")
	theirs := ours.Clone(t)
	theirs.Commit(t, "theirs")
	mustRun(t, s.push(t, theirs), push.Request{Refs: []push.Ref{branch(t, theirs, "main")}})
	ours.Commit(t, "ours")
	refused := func(isLocal bool, text string) {
		t.Helper()
		plan, err := s.push(t, ours).Run(t.Context(), push.Request{Refs: []push.Ref{branch(t, ours, "main")}})
		var not *push.NonFastForwardError
		if !errors.As(err, &not) || not.IsLocal != isLocal || not.Remote != commitOf(t, theirs, "main") || !strings.Contains(err.Error(), text) {
			t.Errorf("%+v, %v", plan, err)
		}
		if sent := len(s.commits(t)); sent != 2 {
			t.Errorf("the chain has %d commits", sent)
		}
	}
	refused(false, "not in this repository")
	ours.Git(t, "fetch", "--quiet", theirs.Dir, "main")
	refused(true, "not an ancestor")
	ours.Git(t, "branch", "before")
	ours.Git(t, "merge", "--quiet", "--no-edit", "FETCH_HEAD")
	plan := mustRun(t, s.push(t, ours), push.Request{Refs: []push.Ref{branch(t, ours, "main")}})
	if plan.Commits != 2 || plan.Updates[0].Action != push.FastForward {
		t.Errorf("the merge was pushed as %+v", plan)
	}
	plan = mustRun(t, s.push(t, ours), push.Request{Force: true, Refs: []push.Ref{branchAt(t, ours, "main", "before")}})
	if plan.Commits != 0 || plan.Updates[0].Action != push.ForceUpdate || s.refs(t)["main"] != ours.Git(t, "rev-parse", "before") {
		t.Errorf("force pushed %+v", plan)
	}
}

// TestConcurrentPushes pushes from several clones at the same time. It checks that all succeed when they push the same
// commits, and that one succeeds and the others get a NonFastForwardError when they push different ones.
//
// Rules: P9.3, P9.4.
func TestConcurrentPushes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("pushes from several clones")
	}
	s := newFixture(t)
	made := gittest.Init(t)
	made.Grow(t, gittest.Shape{Seed: 21, Commits: 2_500, Lines: 4})
	var clones []*gittest.Repo
	for range 3 {
		clones = append(clones, made.Clone(t))
	}
	for _, err := range pushConcurrently(t, s, clones) {
		if err != nil {
			t.Errorf("the same history: %v", err)
		}
	}
	s.agrees(t, made, "main")
	for i, clone := range clones {
		clone.Commit(t, strings.Repeat("x", i+1))
	}
	errs := pushConcurrently(t, s, clones)
	won := slices.Index(errs, nil)
	for i, err := range errs {
		var not *push.NonFastForwardError
		if i != won && (!errors.As(err, &not) || not.Remote != commitOf(t, clones[won], "main")) {
			t.Errorf("clone %d: %v", i, err)
		}
	}
	if got := s.refs(t)["main"]; won < 0 || got != clones[won].Git(t, "rev-parse", "main") {
		t.Errorf("clone %d won, and main is at %s", won, got)
	}
	s.checkRefs(t)
}

// pushConcurrently pushes main of every clone at the same time.
func pushConcurrently(t *testing.T, s *fixture, clones []*gittest.Repo) []error {
	t.Helper()
	errs := make([]error, len(clones))
	var working sync.WaitGroup
	for i, clone := range clones {
		p := s.push(t, clone)
		request := push.Request{Refs: []push.Ref{branch(t, clone, "main")}}
		now := s.account.Now()
		p.Now = func() uint32 { return now }
		working.Go(func() { _, errs[i] = p.Run(t.Context(), request) })
	}
	working.Wait()
	return errs
}

// TestTagsAndDeletion checks the creation, update and deletion of tags and branches.
//
// Rules: P9.3.
func TestTagsAndDeletion(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("pushes a repository")
	}
	s := newFixture(t)
	made := gittest.Init(t)
	made.Commit(t, "one")
	made.Git(t, "tag", "v1")
	made.Git(t, "branch", "side")
	made.Git(t, "tag", "both")
	made.Git(t, "branch", "both")
	all := push.Request{Refs: []push.Ref{branch(t, made, "main"), branch(t, made, "side"), tag(t, made, "v1")}}
	mustRun(t, s.push(t, made), all)
	made.Commit(t, "two")
	made.Git(t, "tag", "--force", "v1")
	run := func(request push.Request) error {
		_, err := s.push(t, made).Run(t.Context(), request)
		return err
	}
	var moved *push.NonFastForwardError
	if err := run(push.Request{Refs: []push.Ref{tag(t, made, "v1")}}); !errors.As(err, &moved) || !strings.Contains(err.Error(), "tag") {
		t.Errorf("update of a tag: %v", err)
	}
	if err := run(push.Request{Force: true, Refs: []push.Ref{tag(t, made, "v1")}}); err != nil || s.refs(t)["v1"] != made.Git(t, "rev-parse", "main") {
		t.Errorf("forced update of a tag: %v, %v", err, s.refs(t))
	}
	var kind *push.RefTypeError
	if err := run(push.Request{Refs: []push.Ref{{Name: "refs/heads/side", Type: pb.RefType_REF_TYPE_TAG, Commit: commitOf(t, made, "v1")}}}); !errors.As(err, &kind) {
		t.Errorf("branch as a tag: %v", err)
	}
	if err := run(push.Request{Refs: []push.Ref{branch(t, made, "both"), tag(t, made, "both")}}); err != nil {
		t.Errorf("a branch and a tag of one name: %v", err)
	}
	var long *push.RefNameTooLongError
	if err := run(push.Request{Refs: []push.Ref{branchAt(t, made, strings.Repeat("n", 244), "main")}}); !errors.As(err, &long) {
		t.Errorf("long name: %v", err)
	}
	if err := run(push.Request{Delete: []string{"refs/heads/side", "refs/tags/v1"}}); err != nil || len(s.refs(t)) != 2 {
		t.Errorf("deleted: %v, %v", err, s.refs(t))
	}
	var none *push.RefNotFoundError
	if err := run(push.Request{Delete: []string{"refs/heads/side"}}); !errors.As(err, &none) {
		t.Errorf("deleted twice: %v", err)
	}
	// The name can be used again with a later timestamp.
	if err := run(push.Request{Refs: []push.Ref{branch(t, made, "side")}}); err != nil || s.refs(t)["side"] == "" {
		t.Errorf("created again: %v, %v", err, s.refs(t))
	}
}
