package push_test

import (
	"bufio"
	"bytes"
	"errors"
	"slices"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/gitbundle"
	"makechain/internal/gitid"
	"makechain/internal/gitrepo/gittest"
	"makechain/internal/node/nodetest"
	"makechain/internal/push"
)

// TestConsolidate uploads everything of a project with branches and a tag object, in one git bundle and in several. They suffice
// without those of the pushes, the chain names them, and no temporary ref is left.
func TestConsolidate(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	made := gittest.Init(t)
	made.Grow(t, gittest.Shape{Seed: 5, Commits: 40, Lines: 3})
	p := s.push(t, made)
	if _, err := p.Consolidate(t.Context()); !errors.Is(err, push.ErrNoRefs) {
		t.Errorf("a project without refs: %v", err)
	}
	p.Uploader = newMemoryStore(t)
	annotated := tag(t, made, "annotated")
	annotated.TagObject, _ = gitid.Parse(made.Git(t, "rev-parse", "refs/tags/annotated"))
	mustRun(t, p, push.Request{Refs: []push.Ref{branch(t, made, "main"), branch(t, made, "line-0"), annotated}})
	for _, maximum := range []int64{0, 6000} {
		store := newMemoryStore(t)
		p.Uploader, p.MaxContent = store, maximum
		digests, err := p.Consolidate(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if isSplit := len(digests) > 1; isSplit != (maximum > 0) || len(digests) != len(store.bundles) {
			t.Errorf("%d digests of %d uploads with a maximum of %d bytes", len(digests), len(store.bundles), maximum)
		}
		header, err := gitbundle.Parse(bufio.NewReader(bytes.NewReader(store.bundles[digests[0]])), gitbundle.DefaultLimits())
		if err != nil || len(header.Prerequisites) > 0 {
			t.Errorf("the first git bundle builds on %v: %v", header.Prerequisites, err)
		}
		store.unbundle(t, digests, made, "main", "refs/tags/annotated", "line-0")
		named := s.named(t)
		for _, digest := range digests {
			if !slices.Contains(named, digest) {
				t.Errorf("%s is not named", digest)
			}
		}
		refs := nodetest.Call(t, s.ListRefs, &pb.ListRefsRequest{ProjectId: p.Project[:]})
		if len(refs.GetRefs()) != 3 {
			t.Errorf("the project has the refs %v", refs.GetRefs())
		}
	}

	other := gittest.Init(t)
	other.Commit(t, "something else")
	p = s.push(t, other)
	p.Uploader = newMemoryStore(t)
	if _, err := p.Consolidate(t.Context()); !errors.As(err, new(*push.IncompleteError)) {
		t.Errorf("a repository without the commits: %v", err)
	}
}
