package ledger_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
	"makechain/message"
)

// history is a project whose commits a test identifies by number.
type history struct {
	*ledgertest.Chain

	owner   *ledgertest.Actor
	project ident.Hash
	nonces  map[string]uint64
}

func newHistory(tb ledgertest.TB) *history {
	w := ledgertest.New(tb)
	h := &history{Chain: w, owner: w.Join("owner", 1), nonces: map[string]uint64{}}
	m := w.Sign(h.owner, message.ProjectCreate("project", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	w.Must(m)
	h.project = m.Hash
	return h
}

func numbered(i int) ident.Hash { return ledgertest.Hash(fmt.Sprintf("commit %d", i)) }

// push submits commits in bundles of the maximum size.
func (h *history) push(commits ...message.Commit) {
	h.Helper()
	for len(commits) > 0 {
		n := min(len(commits), message.MaxCommits)
		h.Must(h.bundle(commits[:n]...))
		commits = commits[n:]
	}
}

func (h *history) bundle(commits ...message.Commit) *message.Envelope {
	h.Helper()
	return h.Sign(h.owner, message.CommitBundle(h.project, message.Content{}, commits...))
}

// line returns a chain of commits from one number to another, each the child of the previous one.
func line(from, to int) []message.Commit {
	var commits []message.Commit
	for i := from; i <= to; i++ {
		commits = append(commits, child(i, i-1))
	}
	return commits
}

// child returns a commit with parents by number. Negative numbers are skipped.
func child(i int, parents ...int) message.Commit {
	c := ledgertest.NewCommit(numbered(i))
	for _, p := range parents {
		if p >= 0 {
			c.Parents = append(c.Parents, numbered(p))
		}
	}
	return c
}

// move returns the next update of a ref without applying it.
func (h *history) move(ref string, to int, force bool) *message.Envelope {
	h.Helper()
	move := message.RefMove{New: numbered(to), Nonce: h.nonces[ref] + 1, Force: force}
	return h.Sign(h.owner, message.RefUpdate(h.project, ref, move))
}

// put moves a ref with a forced update.
func (h *history) put(ref string, to int) {
	h.Helper()
	h.Must(h.move(ref, to, true))
	h.nonces[ref]++
}

// canMove reports whether a ref can move from one commit to another without force.
func (h *history) canMove(from, to int) bool {
	h.Helper()
	h.put("probe", from)
	_, refusal := h.Apply(h.move("probe", to, false))
	if refusal == nil {
		h.nonces["probe"]++
		return true
	}
	if refusal.Code != message.CodeNotFastForward && refusal.Code != message.CodeNothingNew {
		h.Fatalf("%d to %d: %v", from, to, refusal)
	}
	return false
}

// TestAncestryMatchesBreadthFirstSearch compares the search by jump pointers and generations with a breadth-first search
// on random histories.
//
// Rules: P9.3.
func TestAncestryMatchesBreadthFirstSearch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(t)
		parents := drawHistory(t)
		var commits []message.Commit
		for i := range parents {
			commits = append(commits, child(i, parents[i]...))
		}
		h.push(commits...)
		last := len(parents) - 1
		for range 40 {
			from, to := rapid.IntRange(0, last).Draw(t, "from"), rapid.IntRange(0, last).Draw(t, "to")
			if got, want := h.canMove(from, to), isAncestor(parents, from, to); got != want {
				t.Fatalf("%d to %d is a fast-forward: %t, want %t, parents %v", from, to, got, want, parents)
			}
		}
	})
}

// drawHistory draws the parents of each commit among the earlier ones: long chains, merges and new roots.
func drawHistory(t *rapid.T) [][]int {
	parents := make([][]int, rapid.IntRange(1, 120).Draw(t, "commits"))
	for i := 1; i < len(parents); i++ {
		switch rapid.IntRange(0, 9).Draw(t, "shape") {
		case 0: // a root
		case 1, 2: // a branch
			parents[i] = []int{rapid.IntRange(0, i-1).Draw(t, "parent")}
		case 3, 4: // a merge
			parents[i] = rapid.SliceOfN(rapid.IntRange(0, i-1), 2, 4).Draw(t, "parents")
		default:
			parents[i] = []int{i - 1}
		}
	}
	return parents
}

// isAncestor searches breadth first, as in the rule.
func isAncestor(parents [][]int, old, next int) bool {
	seen := map[int]bool{}
	for queue := []int{next}; len(queue) > 0; queue = queue[1:] {
		for _, p := range parents[queue[0]] {
			if p == old {
				return true
			}
			if !seen[p] {
				seen[p] = true
				queue = append(queue, p)
			}
		}
	}
	return false
}

// TestFastForwardReach checks a fast-forward over the maximum number of commits, and over one more.
//
// Rules: P9.3.
func TestFastForwardReach(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	const reach = ledger.MaxFastForward
	for i := 0; i <= reach+1; i += message.MaxCommits {
		last := min(i+message.MaxCommits-1, reach+1)
		h.push(line(i, last)...)
		h.put("keep", last) // keeps all commits reachable
	}
	for _, c := range []struct {
		from, to int
		ok       bool
	}{
		{0, reach, true}, {0, reach + 1, false}, {1, reach + 1, true}, {reach / 2, reach, true}, {reach, 0, false},
	} {
		if got := h.canMove(c.from, c.to); got != c.ok {
			t.Errorf("%d to %d is a fast-forward: %t, want %t", c.from, c.to, got, c.ok)
		}
	}
}

// TestFastForwardOverSideBranches checks that old commits are found through second parents of merges, which jump
// pointers do not follow.
//
// Rules: P9.3.
func TestFastForwardOverSideBranches(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	const steps = 300
	commits := []message.Commit{child(0), child(1), child(2)}
	for i := 3; i < 3+2*steps; i += 2 {
		commits = append(commits, child(i, i-2, i-1), child(i+1, i-1, i-2))
	}
	h.push(commits...)
	last := 2 + 2*steps
	for _, old := range []int{1, 2, 3, 4, last - 2} {
		if !h.canMove(old, last) {
			t.Errorf("commit %d is not found from %d", old, last)
		}
	}
	if h.canMove(0, last) {
		t.Error("an unrelated commit is found")
	}
}

// TestFastForwardVisits checks the limit of the search off the first-parent chain.
//
// Rules: P9.3.
func TestFastForwardVisits(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	const reach = ledger.MaxFastForward
	// Commit 0 is only the second parent of commit 2. The later commits form a chain that refs reach.
	h.push(child(0), child(1), child(2, 1, 0))
	h.put("keep", 2)
	for i := 3; i <= reach+2; i += message.MaxCommits {
		last := min(i+message.MaxCommits-1, reach+2)
		h.push(line(i, last)...)
		h.put("keep", last)
	}
	if !h.canMove(0, reach+1) {
		t.Error("the last commit within the limit is not found")
	}
	if h.canMove(0, reach+2) {
		t.Error("a commit beyond the limit is found")
	}
}

// TestJumpsLimitReads checks that a fast-forward over a long chain reads few rows.
//
// Rules: P9.3.
func TestJumpsLimitReads(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.push(line(0, 4_000)...)
	h.put("main", 3)
	h.Commit()
	effects := h.Must(h.move("main", 4_000, false))
	if effects.Reads > 60 {
		t.Errorf("%d rows read for 4,000 commits", effects.Reads)
	}
	var tip pb.CommitRow
	if h.Load(schema.CommitKey(h.project, numbered(4_000)), &tip); tip.GetDepth() != 4_000 || tip.GetGeneration() != 4_001 {
		t.Errorf("the tip is at depth %d and generation %d", tip.GetDepth(), tip.GetGeneration())
	}
}

// TestAncestryAfterReadding deletes a commit from the middle of a chain, as pruning does, and adds it again on top of a
// longer history. Depths and jump pointers are then inconsistent; the search must still return correct results and end.
//
// Rules: P9.3.
func TestAncestryAfterReadding(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.push(line(0, 20)...)
	h.push(child(100))
	h.push(line(101, 160)...)
	h.Commit()
	lost := schema.Change{Key: schema.CommitKey(h.project, numbered(10)), Existed: true}
	if err := h.Rows.Apply([]schema.Change{lost}); err != nil {
		t.Fatal(err)
	}
	h.Next(10)
	if h.canMove(9, 11) {
		t.Error("the search passes through a deleted commit")
	}
	if !h.canMove(11, 20) {
		t.Error("a commit above the gap is not found")
	}
	h.push(child(10, 160))
	h.Next(10)
	if h.canMove(9, 11) {
		t.Error("the old parent of the commit is still found from its child")
	}
	for _, old := range []int{100, 130} {
		if !h.canMove(old, 10) {
			t.Errorf("commit %d is not found from the commit that was added again", old)
		}
	}
	h.canMove(0, 20)
	h.canMove(100, 20)
}
