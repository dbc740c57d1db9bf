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

// TestNotForward meets a branch that somebody else has moved. Nothing is sent until the two are merged, or force says
// that theirs shall go.
//
// Rules: P9.3.
func TestNotForward(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ours := gittest.Init(t)
	ours.Commit(t, "base")
	theirs := ours.Clone(t)
	theirs.Commit(t, "theirs")
	mustRun(t, s.push(t, theirs), push.Request{Refs: []push.Ref{branch(t, theirs, "main")}})
	ours.Commit(t, "ours")
	refused := func(here bool, word string) {
		t.Helper()
		plan, err := s.push(t, ours).Run(t.Context(), push.Request{Refs: []push.Ref{branch(t, ours, "main")}})
		var not *push.NonFastForwardError
		if !errors.As(err, &not) || not.IsLocal != here || not.Remote != commitOf(t, theirs, "main") || !strings.Contains(err.Error(), word) {
			t.Errorf("%+v, %v", plan, err)
		}
		if sent := len(s.commits(t)); sent != 2 {
			t.Errorf("the chain has %d commits", sent)
		}
	}
	refused(false, "not in this repository")
	ours.Git(t, "fetch", "--quiet", theirs.Dir, "main")
	refused(true, "no ancestor")
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

// TestClonesAtOnce pushes from several clones at the same time. Those that have the same to say all succeed; of those
// that differ one does, and the others learn that they must merge.
//
// Rules: P9.3, P9.4.
func TestClonesAtOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	made := gittest.Init(t)
	made.Grow(t, gittest.Shape{Seed: 21, Commits: 2_500, Lines: 4})
	var clones []*gittest.Repo
	for range 3 {
		clones = append(clones, made.Clone(t))
	}
	for _, err := range atOnce(t, s, clones) {
		if err != nil {
			t.Errorf("the same history: %v", err)
		}
	}
	s.agrees(t, made, "main")
	for i, clone := range clones {
		clone.Commit(t, strings.Repeat("x", i+1))
	}
	errs := atOnce(t, s, clones)
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
	s.refsAreKnown(t)
}

// atOnce pushes main of every clone at the same time.
func atOnce(t *testing.T, s *site, clones []*gittest.Repo) []error {
	t.Helper()
	errs := make([]error, len(clones))
	var working sync.WaitGroup
	for i, clone := range clones {
		p := s.push(t, clone)
		request := push.Request{Refs: []push.Ref{branch(t, clone, "main")}}
		now := s.person.Now()
		p.Now = func() uint32 { return now }
		working.Go(func() { _, errs[i] = p.Run(t.Context(), request) })
	}
	working.Wait()
	return errs
}

// TestTagsAndDeletion creates, keeps, moves and deletes.
//
// Rules: P9.3.
func TestTagsAndDeletion(t *testing.T) {
	t.Parallel()
	s := newSite(t)
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
		t.Errorf("a tag moved: %v", err)
	}
	if err := run(push.Request{Force: true, Refs: []push.Ref{tag(t, made, "v1")}}); err != nil || s.refs(t)["v1"] != made.Git(t, "rev-parse", "main") {
		t.Errorf("a tag was to be moved: %v, %v", err, s.refs(t))
	}
	var kind *push.RefTypeError
	if err := run(push.Request{Refs: []push.Ref{{Name: "refs/heads/side", Type: pb.RefType_REF_TYPE_TAG, Commit: commitOf(t, made, "v1")}}}); !errors.As(err, &kind) {
		t.Errorf("a branch became a tag: %v", err)
	}
	if err := run(push.Request{Refs: []push.Ref{branch(t, made, "both"), tag(t, made, "both")}}); err != nil {
		t.Errorf("a branch and a tag of one name: %v", err)
	}
	var long *push.RefNameTooLongError
	if err := run(push.Request{Refs: []push.Ref{branchAt(t, made, strings.Repeat("n", 244), "main")}}); !errors.As(err, &long) {
		t.Errorf("a name too long: %v", err)
	}
	if err := run(push.Request{Delete: []string{"refs/heads/side", "refs/tags/v1"}}); err != nil || len(s.refs(t)) != 2 {
		t.Errorf("deleted: %v, %v", err, s.refs(t))
	}
	var none *push.RefNotFoundError
	if err := run(push.Request{Delete: []string{"refs/heads/side"}}); !errors.As(err, &none) {
		t.Errorf("deleted twice: %v", err)
	}
	// The name may be used again, but only by messages of a later second.
	if err := run(push.Request{Refs: []push.Ref{branch(t, made, "side")}}); err != nil || s.refs(t)["side"] == "" {
		t.Errorf("created again: %v, %v", err, s.refs(t))
	}
}
