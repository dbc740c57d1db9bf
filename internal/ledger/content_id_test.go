package ledger_test

import (
	"bytes"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
	"makechain/message"
)

// TestContentIDs checks that the ids of projects, forks and merge requests are the hashes of their messages, and that the
// ids of commits are the declared hashes.
//
// Rules: P2.7.
func TestContentIDs(t *testing.T) {
	t.Parallel()
	w := ledgertest.New(t)
	a := w.Join("alice", 1)
	create := w.Sign(a, message.ProjectCreate("project", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	w.Must(create)
	declared := ledgertest.Hash("declared")
	commit := ledgertest.NewCommit(declared)
	commit.Title = "a title that the hash knows nothing of"
	w.Must(w.Sign(a, message.CommitBundle(create.Hash, message.Content{}, commit)))
	fork := w.Sign(a, message.Fork(create.Hash, declared, "fork", pb.Visibility_VISIBILITY_PUBLIC))
	w.Must(fork)
	w.Must(w.Sign(a, message.RefUpdate(fork.Hash, "main", message.RefMove{New: declared, Nonce: 1})))
	request := w.Sign(a, message.MergeRequestAdd(create.Hash, message.MergeProposal{
		Source: fork.Hash, SourceRef: "main", SourceCommit: declared, TargetRef: "main", Title: "please",
	}))
	w.Must(request)

	var project, copied pb.ProjectRow
	if !w.Load(schema.ProjectKey(create.Hash), &project) || len(project.GetForkSource()) != 0 {
		t.Errorf("the project under the hash of its creation is %v", &project)
	}
	if !w.Load(schema.ProjectKey(fork.Hash), &copied) || !bytes.Equal(copied.GetForkSource(), create.Hash[:]) {
		t.Errorf("the project under the hash of the fork is %v", &copied)
	}
	var stored pb.CommitRow
	if !w.Load(schema.CommitKey(create.Hash, declared), &stored) || stored.GetTitle() != commit.Title {
		t.Errorf("the commit under the declared hash is %v", &stored)
	}
	var open pb.MergeRequestRow
	if !w.Load(schema.MergeRequestKey(create.Hash, request.Hash), &open) || open.GetTitle() != "please" {
		t.Errorf("the merge request under the hash of its message is %v", &open)
	}
}
