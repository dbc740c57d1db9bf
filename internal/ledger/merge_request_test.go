package ledger_test

import (
	"fmt"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// TestForkDepth checks merge requests from forks of forks at the maximum depth, and one deeper.
//
// Rules: P9.8, I9.
func TestForkDepth(t *testing.T) {
	t.Parallel()
	w := ledgertest.New(t)
	owner := w.Join("owner", 30)
	commit := ledgertest.Hash("commit")
	projects := make([]ident.Hash, 0, ledger.MaxForkDepth+2)
	create := w.Sign(owner, message.ProjectCreate("project", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	w.Must(create)
	w.Must(w.Sign(owner, message.CommitBundle(create.Hash, message.Content{}, ledgertest.NewCommit(commit))))
	projects = append(projects, create.Hash)
	for i := 1; i <= ledger.MaxForkDepth+1; i++ {
		fork := w.Sign(owner, message.Fork(projects[i-1], commit, fmt.Sprintf("fork-%d", i), pb.Visibility_VISIBILITY_PUBLIC))
		w.Must(fork)
		projects = append(projects, fork.Hash)
	}
	for _, project := range projects {
		w.Must(w.Sign(owner, message.RefUpdate(project, "main", message.RefMove{New: commit, Nonce: 1})))
	}
	open := func(from, to int) *message.Envelope {
		return w.Sign(owner, message.MergeRequestAdd(projects[to], message.MergeProposal{
			Source: projects[from], SourceRef: "main", SourceCommit: commit, TargetRef: "main", Title: "up",
		}))
	}
	w.Must(open(ledger.MaxForkDepth, 0))
	w.MustRefuse(open(ledger.MaxForkDepth+1, 0), message.CodeNotAFork)
	w.Must(open(ledger.MaxForkDepth+1, 1))
	w.MustRefuse(open(1, 2), message.CodeNotAFork)

	// Removing a project in the middle does not break the chain of forks.
	w.Next(10)
	w.Must(w.Sign(owner, message.ProjectRemove(projects[100])))
	w.Must(open(ledger.MaxForkDepth, 0))
	w.Check()
}
