package push_test

import (
	"slices"
	"strings"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/gitrepo/gittest"
	"makechain/internal/node/nodetest"
	"makechain/internal/push"
	"makechain/message"
)

// TestMergedRequests pushes branches that contain the commits of some merge requests, and not of others.
func TestMergedRequests(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	made := gittest.Init(t)
	made.Commit(t, "base")
	p := s.push(t, made)
	mustRun(t, p, push.Request{Refs: []push.Ref{branch(t, made, "main")}})
	fork := s.account.Sign(message.Fork(s.project, commitOf(t, made, "main"), "fork", pb.Visibility_VISIBILITY_PUBLIC))
	s.Submit(t, fork)
	s.MustCommit(t, fork)
	inFork := s.push(t, made)
	inFork.Project = fork.Hash
	open := func(name, target string) {
		t.Helper()
		mustRun(t, inFork, push.Request{Refs: []push.Ref{branch(t, made, name)}})
		request := s.account.Sign(message.MergeRequestAdd(s.project, message.MergeProposal{
			Source: fork.Hash, SourceRef: "refs/heads/" + name, SourceCommit: commitOf(t, made, name), TargetRef: "refs/heads/" + target, Title: name,
		}))
		s.Submit(t, request)
		s.MustCommit(t, request)
	}
	merged := func(plan *push.Plan) string {
		t.Helper()
		requests, err := p.MergedRequests(t.Context(), plan)
		if err != nil {
			t.Fatal(err)
		}
		var titles []string
		for _, request := range requests {
			titles = append(titles, request.GetTitle())
		}
		slices.Sort(titles)
		return strings.Join(titles, " ")
	}
	for _, name := range []string{"first", "second", "third"} {
		made.Git(t, "switch", "--quiet", "--create", name)
		made.Commit(t, name)
		open(name, "main")
	}
	made.Git(t, "switch", "--quiet", "--create", "elsewhere", "first")
	open("elsewhere", "release")
	made.Git(t, "switch", "--quiet", "main")
	for _, test := range []struct{ merge, want string }{{"first", "first"}, {"third", "second third"}} {
		made.Git(t, "merge", "--quiet", "--ff-only", test.merge)
		if got := merged(mustRun(t, p, push.Request{Refs: []push.Ref{branch(t, made, "main")}})); got != test.want {
			t.Errorf("a push of %s contains the requests %q, want %q", test.merge, got, test.want)
		}
	}
	if got, want := merged(mustRun(t, p, push.Request{Refs: []push.Ref{branch(t, made, "main")}})), "first second third"; got != want {
		t.Errorf("a branch that did not change contains the requests %q, want %q", got, want)
	}
	if got := merged(mustRun(t, p, push.Request{Refs: []push.Ref{branchAt(t, made, "release", "main")}})); got != "elsewhere" {
		t.Errorf("a new branch contains the requests %q", got)
	}
	if got := merged(mustRun(t, p, push.Request{Refs: []push.Ref{tagAt(t, made, "v1", "main")}})); got != "" {
		t.Errorf("a tag contains the requests %q", got)
	}
	if got := merged(mustRun(t, p, push.Request{Delete: []string{"refs/heads/release"}})); got != "" {
		t.Errorf("a deleted branch contains the requests %q", got)
	}
	request := nodetest.Call(t, s.ListMergeRequests, &pb.ListMergeRequestsRequest{ProjectId: s.project[:], Limit: 1}).GetMergeRequests()[0]
	request.Title = "a\x1b[31mb"
	if text := push.DescribeMerged("alice/hello", request); strings.Contains(text, "\x1b") {
		t.Errorf("the title is printed as %q", text)
	}
}

func tagAt(t *testing.T, made *gittest.Repo, name, revision string) push.Ref {
	t.Helper()
	return push.Ref{Name: "refs/tags/" + name, Type: pb.RefType_REF_TYPE_TAG, Commit: commitOf(t, made, revision)}
}
