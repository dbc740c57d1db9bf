package ledger_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
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

// requests is a project and a fork of it whose ref "main" is at the same commit.
type requests struct {
	*ledgertest.Chain

	owner, requester *ledgertest.Actor
	target, fork     ident.Hash
	opened           int
}

func newRequests(t *testing.T, requesterUnits uint32) *requests {
	t.Helper()
	w := ledgertest.New(t)
	r := &requests{Chain: w, owner: w.Join("owner", 1), requester: w.Join("requester", requesterUnits)}
	create := w.Sign(r.owner, message.ProjectCreate("target", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	w.Must(create)
	w.Must(w.Sign(r.owner, message.CommitBundle(create.Hash, message.Content{}, ledgertest.NewCommit(numbered(0)))))
	w.Must(w.Sign(r.owner, message.RefUpdate(create.Hash, "main", message.RefMove{New: numbered(0), Nonce: 1})))
	fork := w.Sign(r.requester, message.Fork(create.Hash, numbered(0), "fork", pb.Visibility_VISIBILITY_PUBLIC))
	w.Must(fork)
	w.Must(w.Sign(r.requester, message.RefUpdate(fork.Hash, "main", message.RefMove{New: numbered(0), Nonce: 1})))
	r.target, r.fork = create.Hash, fork.Hash
	return r
}

// open returns a message that opens another merge request.
func (r *requests) open(replaces ident.Hash) *message.Envelope {
	r.Helper()
	r.opened++
	return r.Sign(r.requester, message.MergeRequestAdd(r.target, message.MergeProposal{
		Source: r.fork, SourceRef: "main", SourceCommit: numbered(0), TargetRef: "main", Title: fmt.Sprint("request ", r.opened), Replaces: replaces,
	}))
}

func (r *requests) close(by *ledgertest.Actor, request ident.Hash, outcome pb.MergeRequestOutcome, commit ident.Hash) *message.Envelope {
	r.Helper()
	return r.Sign(by, message.MergeRequestClose(r.target, request, outcome, commit))
}

// project returns the row of the target.
func (r *requests) project() *pb.ProjectRow {
	r.Helper()
	r.Commit()
	row := new(pb.ProjectRow)
	r.Load(schema.ProjectKey(r.target), row)
	return row
}

// openAndClose opens and closes as many merge requests, ten in each block, and returns the messages that opened them.
func (r *requests) openAndClose(count int) (opened []*message.Envelope) {
	r.Helper()
	for len(opened) < count {
		var batch []*message.Envelope
		for range min(schema.MergeRequestsOfOnePerOwnerUnit, count-len(opened)) {
			m := r.open(ident.Hash{})
			r.Must(m)
			batch = append(batch, m)
		}
		for _, m := range batch {
			r.Must(r.close(r.requester, m.Hash, pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_UNSPECIFIED, ident.Hash{}))
		}
		opened = append(opened, batch...)
		r.Next(1)
	}
	return opened
}

// TestClosedRequestsArePruned closes more merge requests than a project keeps. The oldest by block and id are deleted, also when
// the owner's storage shrinks or ends, at most 100 by a message, and none of the requests can be opened again.
//
// Rules: P8.6, I2, I3.
func TestClosedRequestsArePruned(t *testing.T) {
	t.Parallel()
	const limit = schema.ClosedRequestsPerOwnerUnit
	r := newRequests(t, 200)
	opened := r.openAndClose(limit)
	order := func(m *message.Envelope) []byte { // of the batch that a block closed
		row := new(pb.ClosedMergeRequestRow)
		r.Load(schema.ClosedMergeRequestKey(r.target, m.Hash), row)
		return schema.ClosedAgeKey(r.target, row.GetBlockNumber(), m.Hash)
	}
	r.Commit()
	slices.SortFunc(opened, func(a, b *message.Envelope) int { return bytes.Compare(order(a), order(b)) })
	if count := r.project().GetClosedMergeRequestCount(); count != limit {
		t.Fatalf("%d closed merge requests, want %d", count, limit)
	}
	kept := func(m *message.Envelope) bool {
		return r.Load(schema.ClosedMergeRequestKey(r.target, m.Hash), new(pb.ClosedMergeRequestRow))
	}
	r.openAndClose(1)
	if count := r.project().GetClosedMergeRequestCount(); count != limit || kept(opened[0]) || !kept(opened[1]) {
		t.Errorf("%d closed merge requests, the oldest is kept: %t, the next: %t", count, kept(opened[0]), kept(opened[1]))
	}
	r.Check()
	r.MustRefuse(opened[0], message.CodeStaleWrite)

	r.Next(100 * 24 * 60 * 60) // the new unit lasts longer than the first
	r.Fund(r.owner, 1)
	r.openAndClose(limit/2 + 1)
	if count := r.project().GetClosedMergeRequestCount(); count != limit*3/2+1 || !kept(opened[1]) {
		t.Errorf("%d closed merge requests with two units", count)
	}
	r.Next(300 * 24 * 60 * 60)
	r.Fund(r.requester, 30) // enough for tombstones that one message does not drop
	r.openAndClose(1)
	if count := r.project().GetClosedMergeRequestCount(); count != limit*3/2+2-ledger.MaxPrunedPerMessage {
		t.Errorf("%d closed merge requests after one message with one unit", count)
	}
	open := r.open(ident.Hash{})
	r.Must(open)
	r.Next(395 * 24 * 60 * 60) // no storage is left
	r.Must(r.close(r.requester, open.Hash, pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_WITHDRAWN, ident.Hash{}))
	if count := r.project().GetClosedMergeRequestCount(); count != limit*3/2+3-2*ledger.MaxPrunedPerMessage || !kept(open) {
		t.Errorf("%d closed merge requests after a withdrawal without storage", count)
	}
	r.Check()
	for _, m := range opened {
		if _, refusal := r.Apply(m); refusal == nil {
			t.Fatalf("merge request %s was opened again", m.Hash)
		}
	}
}

// TestReplacementQuota replaces merge requests at the three limits. A request that was opened recently leaves a tombstone, which
// counts for its requester.
//
// Rules: P8.6, P9.8.
func TestReplacementQuota(t *testing.T) {
	t.Parallel()
	r := newRequests(t, 1)
	var last *message.Envelope
	for range schema.MergeRequestsOfOnePerOwnerUnit { // the limit of one requester against one project
		last = r.open(ident.Hash{})
		r.Must(last)
	}
	r.MustRefuse(r.open(ident.Hash{}), message.CodeQuotaExceeded)
	for range schema.MergeRequestsPerRequesterUnit - schema.MergeRequestsOfOnePerOwnerUnit {
		next := r.open(last.Hash)
		r.Must(next)
		last = next
	}
	r.Check()
	r.MustRefuse(r.open(last.Hash), message.CodeQuotaExceeded) // ten are open, ten tombstones count, too
	if row := r.project(); row.GetMergeRequestCount() != 10 || row.GetMergeRequestTombstoneCount() != 10 || row.GetClosedMergeRequestCount() != 10 {
		t.Errorf("the project is %v", row)
	}
	r.Next(ledger.GuardPeriod + 1)
	next := r.open(last.Hash)
	r.Must(next)
	if row := r.project(); row.GetMergeRequestCount() != 10 || row.GetMergeRequestTombstoneCount() != 0 {
		t.Errorf("the project is %v", row)
	}
	r.Check()
}

// TestShrunkRequester opens merge requests for an account that has more old tombstones than its remaining storage allows. Each message
// drops a hundred of them; the limit on open requests applies.
//
// Rules: P8.6, P9.2.
func TestShrunkRequester(t *testing.T) {
	t.Parallel()
	const tombstones = 3*ledger.MaxDroppedPerMessage - 10
	r := newRequests(t, 20)
	r.openAndClose(tombstones)
	r.Next(400 * 24 * 60 * 60)
	r.Fund(r.owner, 3)
	r.Fund(r.requester, 1)
	for opened := 1; opened <= schema.MergeRequestsPerRequesterUnit; opened++ {
		r.Must(r.open(ident.Hash{}))
		want := uint32(max(0, tombstones-opened*ledger.MaxDroppedPerMessage))
		if row := r.project(); row.GetMergeRequestTombstoneCount() != want || row.GetMergeRequestCount() != uint32(opened) {
			t.Errorf("%d tombstones and %d open requests, want %d and %d",
				row.GetMergeRequestTombstoneCount(), row.GetMergeRequestCount(), want, opened)
		}
		r.Check()
	}
	r.MustRefuse(r.open(ident.Hash{}), message.CodeQuotaExceeded)
}

// TestMergedSearch closes merge requests as merged whose commits are as far from the target ref's as a fast-forward may be, and
// one further. A search counts as visits of the project's owner.
//
// Rules: P6.5, P9.3, P9.8.
func TestMergedSearch(t *testing.T) {
	t.Parallel()
	r := newRequests(t, 1)
	const merged = pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_MERGED
	// The history has one commit more than a fast-forward may have between its ends. A second parent hides commit 0 from the first
	// parents of one more commit.
	const last = ledger.MaxFastForward + 1
	for from, nonce := 1, uint64(1); from <= last; from, nonce = from+message.MaxCommits, nonce+1 {
		to := min(from+message.MaxCommits-1, last)
		r.Must(r.Sign(r.owner, message.CommitBundle(r.target, message.Content{}, line(from, to)...)))
		r.Must(r.Sign(r.owner, message.RefUpdate(r.target, "keep", message.RefMove{New: numbered(to), Nonce: nonce})))
		r.Next(1)
	}
	r.Must(r.Sign(r.owner, message.CommitBundle(r.target, message.Content{}, child(last+1), child(last+2, last+1, 0))))
	move := func(to int, nonce uint64) {
		r.Helper()
		r.Must(r.Sign(r.owner, message.RefUpdate(r.target, "main", message.RefMove{New: numbered(to), Nonce: nonce, Force: true})))
	}
	request := r.open(ident.Hash{})
	r.Must(request)
	move(last, 2)
	r.MustRefuse(r.close(r.owner, request.Hash, merged, ident.Hash{}), message.CodeNotMerged)
	move(last-1, 3)
	r.Must(r.close(r.owner, request.Hash, merged, ident.Hash{}))
	request = r.open(ident.Hash{})
	r.Must(request)
	move(last+2, 4)
	effects := r.Must(r.close(r.owner, request.Hash, merged, ident.Hash{}))
	if effects.Visits == 0 || effects.VisitsOwner != r.owner.Address {
		t.Errorf("%d visits of account %s, want some of %s", effects.Visits, effects.VisitsOwner, r.owner.Address)
	}
	r.Check()
}
