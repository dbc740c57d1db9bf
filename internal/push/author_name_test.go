package push_test

import (
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/gitrepo/gittest"
	"makechain/internal/node/nodetest"
	"makechain/internal/push"
	"makechain/message"
)

// TestAuthorNames pushes commits with the names of their authors, without them, and to a private project, which never gets names.
//
// Rules: P5/COMMIT_BUNDLE.
func TestAuthorNames(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	created := s.account.Sign(message.ProjectCreate("secret", pb.Visibility_VISIBILITY_PRIVATE, "", ""))
	s.Submit(t, created)
	s.MustCommit(t, created)
	for _, c := range []struct {
		name    string
		project message.Hash
		omit    bool
		want    string
	}{
		{"named", s.project, false, "A U Thor"},
		{"nameless", s.project, true, ""},
		{"private", created.Hash, false, ""},
	} {
		made := gittest.Init(t)
		made.Git(t, "commit", "--quiet", "--allow-empty", "-m", c.name)
		made.Git(t, "branch", "--move", c.name)
		job := s.push(t, made)
		job.Project, job.OmitAuthorNames = c.project, c.omit
		ref := branch(t, made, c.name)
		mustRun(t, job, push.Request{Refs: []push.Ref{ref}})
		answer := nodetest.Call(t, s.GetCommit, &pb.GetCommitRequest{ProjectId: c.project[:], CommitHash: ref.Commit[:]})
		if got := answer.GetCommit().GetAuthorName(); got != c.want {
			t.Errorf("%s: the author is %q, want %q", c.name, got, c.want)
		}
	}
}
