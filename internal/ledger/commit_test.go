package ledger_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/schema"
	"makechain/message"
)

// loose is the number of the first commit that no ref reaches.
const loose = 1_000_000

// roots returns commits without parents or children.
func roots(from, count int) []message.Commit {
	commits := make([]message.Commit, count)
	for i := range commits {
		commits[i] = child(from+i, -1)
	}
	return commits
}

// fullHistory returns a project with the maximum number of commits: unreachable ones, then a chain that a ref reaches.
func fullHistory(t *testing.T, looseCommits int) *history {
	t.Helper()
	h := newHistory(t)
	h.push(roots(loose, looseCommits)...)
	h.Next(10)
	last := ledger.MaxCommits - looseCommits - 1
	for i := 0; i <= last; i += message.MaxCommits {
		h.push(line(i, min(i+message.MaxCommits-1, last))...)
	}
	h.put("main", last)
	h.Next(10)
	return h
}

func (h *history) row() *pb.ProjectRow {
	h.Helper()
	row := &pb.ProjectRow{}
	h.Load(schema.ProjectKey(h.project), row)
	return row
}

func (h *history) has(i int) bool {
	h.Helper()
	return h.Load(schema.CommitKey(h.project, numbered(i)), &pb.CommitRow{})
}

// checkCount compares the stored number of commits. The check of the whole state compares it with the rows.
func (h *history) checkCount(t *testing.T, want uint32) {
	t.Helper()
	h.Check()
	if got := h.row().GetCommitCount(); got != want {
		t.Errorf("%d commits, want %d", got, want)
	}
}

// TestOldestCommitsArePruned checks that a project beyond its limit loses its oldest commits, by block and then by hash,
// but none that a ref reaches.
//
// Rules: P8.6, P8.7.
func TestOldestCommitsArePruned(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("executes many commits")
	}
	h := fullHistory(t, 30)
	h.checkCount(t, ledger.MaxCommits)
	h.push(roots(loose+100, 5)...)
	h.checkCount(t, ledger.MaxCommits)
	oldest := make([]ident.Hash, 30)
	for i := range oldest {
		oldest[i] = numbered(loose + i)
	}
	slices.SortFunc(oldest, func(a, b ident.Hash) int { return bytes.Compare(a[:], b[:]) })
	for i, commit := range oldest {
		if known := h.Load(schema.CommitKey(h.project, commit), &pb.CommitRow{}); known != (i >= 5) {
			t.Errorf("commit %d of the first block by hash exists: %t", i, known)
		}
	}
	for i := range 5 {
		if !h.has(loose + 100 + i) {
			t.Errorf("the bundle's own commit %d was pruned", i)
		}
	}
	if !h.has(0) {
		t.Error("the oldest commit that the ref reaches was pruned")
	}
}

// TestReachableCommitsStay checks that reachable commits and the commits of the bundle itself are not pruned.
//
// Rules: P8.7.
func TestReachableCommitsStay(t *testing.T) {
	t.Parallel()
	h := fullHistory(t, 0)
	h.push(roots(loose, 1_000)...)
	h.checkCount(t, ledger.MaxCommits+1_000)
	if row := h.row(); row.GetPrunedBundleTimestamp() != 0 {
		t.Errorf("a bundle with timestamp %d was pruned", row.GetPrunedBundleTimestamp())
	}
	for _, i := range []int{0, ledger.MaxCommits - 1, loose, loose + 999} {
		if !h.has(i) {
			t.Errorf("commit %d was pruned", i)
		}
	}
}

// TestPruningWaitsForGrowth checks that the next search happens after a tenth has been added. A message prunes at most 1,000
// commits, which count as visits, and the next bundle prunes what is left.
//
// Rules: P8.7.
func TestPruningWaitsForGrowth(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("executes many commits")
	}
	h := fullHistory(t, 10)
	h.push(roots(loose+1_000, 1)...)
	row := h.row()
	if row.GetCommitCount() != ledger.MaxCommits || row.GetCommitPruneAt() != ledger.MaxCommits+1_000 {
		t.Fatalf("%d commits, the next search is beyond %d", row.GetCommitCount(), row.GetCommitPruneAt())
	}
	h.Next(10)
	h.push(roots(loose+2_000, 1_000)...)
	h.checkCount(t, ledger.MaxCommits+1_000)
	h.Next(10)
	effects := h.Must(h.bundle(roots(loose+3_000, 1)...))
	h.checkCount(t, ledger.MaxCommits+1)
	if reached := ledger.MaxCommits - 10; effects.Visits != 1+reached+ledger.MaxPrunedCommits {
		t.Errorf("%d visits, want one ref, %d reachable and %d pruned commits", effects.Visits, reached, ledger.MaxPrunedCommits)
	}
	h.Next(10)
	h.push(roots(loose+4_000, 1)...)
	h.checkCount(t, ledger.MaxCommits)
	for i, want := range map[int]bool{loose + 9: false, loose + 1_000: false, loose + 3_000: true, 0: true} {
		if h.has(i) != want {
			t.Errorf("commit %d exists: %t", i, !want)
		}
	}
}

// TestPrunedBundlesDoNotReturn checks that a bundle whose commits were pruned cannot be replayed, and that a later bundle
// can add them again.
//
// Rules: P6.2, P8.7, P9.4, I2.
func TestPrunedBundlesDoNotReturn(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	first := h.bundle(roots(loose, 2)...)
	h.Must(first)
	h.Next(10)
	// The second bundle repeats a commit of the first one and adds one of its own.
	second := h.bundle(child(loose, -1), child(0, -1))
	h.Must(second)
	h.put("main", 0)
	h.Next(10)
	for i := 1; i < ledger.MaxCommits; i += message.MaxCommits {
		h.push(line(i, i+message.MaxCommits-1)...)
		h.put("main", i+message.MaxCommits-1)
	}
	h.Next(10)
	h.push(roots(loose+10, 1)...)
	if h.has(loose) || h.has(loose+1) {
		t.Fatal("the first bundle was not pruned")
	}
	if row := h.row(); row.GetPrunedBundleTimestamp() != second.Data.GetTimestamp() {
		t.Errorf("the newest bundle with a pruned commit has timestamp %d, want %d", row.GetPrunedBundleTimestamp(), second.Data.GetTimestamp())
	}
	h.Next(10)
	h.MustRefuse(first, message.CodeStaleWrite)
	h.MustRefuse(second, message.CodeStaleWrite)
	h.MustRefuse(h.SignAt(h.owner, second.Data.GetTimestamp(), message.CommitBundle(h.project, message.Content{}, roots(loose+20, 1)...)), message.CodeStaleWrite)
	h.push(roots(loose, 2)...)
	if !h.has(loose) {
		t.Error("a later bundle cannot add the commits again")
	}
}

// TestRepeatedCommitsAreUnchanged checks that repeating a commit changes only the timestamp of its latest bundle.
//
// Rules: P9.4.
func TestRepeatedCommitsAreUnchanged(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.push(child(0), child(1, 0))
	var before, after pb.CommitRow
	h.Load(schema.CommitKey(h.project, numbered(1)), &before)
	h.Next(10)
	other := child(1)
	other.Title = "rewritten"
	h.push(other, child(2, 1))
	h.Load(schema.CommitKey(h.project, numbered(1)), &after)
	if after.GetBundleTimestamp() != before.GetBundleTimestamp()+10 {
		t.Errorf("the latest bundle has timestamp %d", after.GetBundleTimestamp())
	}
	after.BundleTimestamp = before.GetBundleTimestamp()
	if after.String() != before.String() {
		t.Errorf("the commit is now %v, was %v", &after, &before)
	}
}

// TestReachVisitsAreBounded checks that commits are pruned while the search for what refs reach leaves visits for it, and not beyond
// 20,000 commits.
//
// Rules: P8.7.
func TestReachVisitsAreBounded(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("executes many commits")
	}
	h := newHistory(t)
	h.push(append(roots(loose, 1), child(0))...)
	h.put("main", 0)
	const within = ledger.MaxReachVisits - 10 // pruning visits commits too
	h.lengthen(t, 1, within)
	beyond := &history{Chain: h.Branch(t), owner: h.owner, project: h.project, nonces: h.nonces}
	h.push(roots(loose+1, 1)...)
	if h.has(loose) {
		t.Error("the unreachable commit was not pruned within the limit of visits")
	}
	beyond.lengthen(t, within, ledger.MaxReachVisits+1)
	beyond.push(roots(loose+1, 1)...)
	if !beyond.has(loose) {
		t.Error("the unreachable commit was pruned beyond the limit of visits")
	}
}

// TestManyRefsArePruned checks that a project with the most refs is pruned, and that reading the refs counts as visits: 5,000 refs
// at one commit cost as much as 5,000 commits.
//
// Rules: P6.5, P8.7.
func TestManyRefsArePruned(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.push(append(roots(loose, 1), child(0))...)
	h.Next(10)
	target, project := numbered(0), h.row()
	for i := range ledger.MaxRefs {
		ref := &pb.RefRow{Timestamp: 1, Hash: target[:], Nonce: 1, Floor: 1}
		if err := h.Rows.Put(schema.RefKey(h.project, fmt.Append(nil, "refs/tags/", i)), ref); err != nil {
			t.Fatal(err)
		}
	}
	project.RefCount, project.CommitCount = ledger.MaxRefs, ledger.MaxCommits
	h.write(t, schema.ProjectKey(h.project), project)
	effects := h.Must(h.bundle(roots(loose+1, 1)...))
	if want := ledger.MaxRefs + 1 + 1; effects.Visits != want {
		t.Errorf("%d visits, want %d: the refs, their commit and the pruned one", effects.Visits, want)
	}
	if h.has(loose) || !h.has(0) {
		t.Errorf("the unreachable commit exists: %t, the commit of the refs exists: %t", h.has(loose), h.has(0))
	}
}

// lengthen extends the chain of the ref main by writing rows, which is faster than applying messages.
func (h *history) lengthen(t *testing.T, from, to int) {
	t.Helper()
	h.Next(10)
	put := func(key []byte, row proto.Message) {
		if err := h.Rows.Put(key, row); err != nil {
			t.Fatal(err)
		}
	}
	for i := from; i < to; i++ {
		parent := numbered(i - 1)
		put(schema.CommitKey(h.project, numbered(i)), &pb.CommitRow{Parents: [][]byte{parent[:]}, BlockNumber: h.Block.Height})
	}
	tip, project := numbered(to-1), h.row()
	project.CommitCount = uint32(to + 1)
	put(schema.RefKey(h.project, []byte("main")), &pb.RefRow{Timestamp: 1, Hash: tip[:], Nonce: 1})
	put(schema.ProjectKey(h.project), project)
}
