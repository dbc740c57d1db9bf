package ledger_test

import (
	"bytes"
	"fmt"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
	"makechain/message"
)

// rowsOf returns the rows of a project that its removal deletes, derived rows included.
func rowsOf(tb ledgertest.TB, rows *ledgertest.Rows, project ident.Hash) (keys [][]byte) {
	tb.Helper()
	err := rows.Scan(nil, nil, func(key, _ []byte) bool {
		switch schema.Prefix(key[0]) {
		case schema.PrefixProject, schema.PrefixForkParent, schema.PrefixLink, schema.PrefixLinkByTarget, schema.PrefixReaction, schema.PrefixReactionByTarget:
			return true // stay
		case schema.PrefixAge:
			if p := schema.Prefix(key[1]); p == schema.PrefixLink || p == schema.PrefixReaction {
				return true
			}
		}
		if bytes.Contains(key, project[:]) {
			keys = append(keys, bytes.Clone(key))
		}
		return true
	})
	if err != nil {
		tb.Fatalf("%v", err)
	}
	return keys
}

// busyProject returns a project of the owner with rows of every kind: commits, contents, refs, collaborators and merge
// requests, with tombstones and prune markers of them. It returns the requester, who has one request open.
func busyProject(t *testing.T, commits int) (h *history, requester *ledgertest.Actor) {
	t.Helper()
	h = newHistory(t)
	requester = h.Join("requester", 1)
	h.push(line(0, commits-1)...)
	h.Must(h.Sign(h.owner, message.CommitBundle(h.project, message.Content{Digest: numbered(-1), URL: "https://example.org"}, child(commits, commits-1))))
	h.put("main", commits)
	h.put("other", 0)
	for i := range schema.CollaboratorsPerUnit + 1 { // the first one is pruned
		h.Must(h.Sign(h.owner, message.CollaboratorAdd(h.project, h.Actor(fmt.Sprint("friend", i)).Address, pb.Permission_PERMISSION_READ)))
		h.Next(1)
	}
	fork := h.Sign(requester, message.Fork(h.project, numbered(0), "fork", pb.Visibility_VISIBILITY_PUBLIC))
	h.Must(fork)
	h.Must(h.Sign(requester, message.RefUpdate(fork.Hash, "topic", message.RefMove{New: numbered(0), Nonce: 1})))
	for _, title := range []string{"first", "second"} {
		h.Must(h.Sign(requester, message.MergeRequestAdd(h.project, message.MergeProposal{
			Source: fork.Hash, SourceRef: "topic", SourceCommit: numbered(0), TargetRef: "main", Title: title,
		})))
	}
	h.Must(h.Sign(requester, message.Star(h.project)))
	h.Must(h.Sign(requester, message.Like(h.project, numbered(0))))
	h.Next(1)
	h.Must(h.Sign(h.owner, message.RefDelete(h.project, "other", numbered(0), 2)))
	h.Must(h.Sign(h.owner, message.CollaboratorRemove(h.project, h.Actor("friend5").Address)))
	h.Must(h.Sign(h.owner, message.MergeRequestRemove(h.project, firstRequest(h))))
	h.Check()
	return h, requester
}

// firstRequest returns the id of the first open merge request of the project.
func firstRequest(h *history) (id ident.Hash) {
	h.Commit()
	prefix := schema.MergeRequestPrefix(h.project)
	_ = h.Rows.Scan(prefix, schema.After(prefix), func(key, _ []byte) bool {
		id, _ = ident.HashFrom(key[len(prefix):])
		return false
	})
	return id
}

// TestSweep removes a project with rows of every kind. Blocks with messages delete at most 1,000 of its rows each until only
// the project row is left, an empty block deletes none, and the state is consistent after every block.
//
// Rules: P6.6, P9.6, I3, I9.
func TestSweep(t *testing.T) {
	t.Parallel()
	h, requester := busyProject(t, 2_200)
	account := &pb.AccountRow{}
	removal := h.Propose(1, h.Sign(h.owner, message.ProjectRemove(h.project)))
	if len(removal.Applied) != 1 {
		t.Fatalf("the removal was refused: %v", removal.Refused)
	}
	if h.Load(schema.AccountKey(requester.Address), account); account.GetMergeRequestCount() != 1 {
		t.Errorf("the requester has %d requests open before the last rows are swept", account.GetMergeRequestCount())
	}
	blocks := 1
	for ; len(rowsOf(t, h.Rows, h.project)) > 0; blocks++ {
		h.Check()
		if blocks > 10 {
			t.Fatalf("%d rows are left after %d blocks", len(rowsOf(t, h.Rows, h.project)), blocks)
		}
		if empty := h.Propose(1); len(empty.Changes) > 0 {
			t.Fatalf("an empty block has %d changes", len(empty.Changes))
		}
		deleted := 0
		for _, change := range h.Propose(1, profiles(h.Chain, h.owner, 1)...).Changes {
			if change.Value == nil && schema.Prefix(change.Key[0]).Merkleized() && change.Key[0] != byte(schema.PrefixMergeRequestByRequester) {
				deleted++
			}
		}
		if deleted > ledger.MaxSweptRows {
			t.Errorf("block %d deletes %d rows", h.Block.Height, deleted)
		}
	}
	h.Check()
	if blocks != 3 {
		t.Errorf("swept in %d blocks, want 3", blocks)
	}
	if row := h.row(); !row.GetSwept() || row.GetCommitCount() != 0 || row.GetContentCount() != 0 {
		t.Errorf("the project is %v", row)
	}
	if h.Load(schema.AccountKey(requester.Address), account); account.GetMergeRequestCount() != 0 {
		t.Errorf("the requester has %d requests open", account.GetMergeRequestCount())
	}
	again := h.Propose(1, profiles(h.Chain, h.owner, 1)...)
	for _, change := range again.Changes {
		if change.Value == nil {
			t.Errorf("row %x is deleted after the sweep", change.Key)
		}
	}
}

// TestWithdrawalDuringSweep withdraws a merge request of a removed project, whose rows are not all deleted. The tombstone is
// deleted, too.
//
// Rules: P9.6, P9.8.
func TestWithdrawalDuringSweep(t *testing.T) {
	t.Parallel()
	h, requester := busyProject(t, 1_200)
	open := firstRequest(h)
	h.Propose(1, h.Sign(h.owner, message.ProjectRemove(h.project)))
	withdrawal := h.Sign(requester, message.MergeRequestRemove(h.project, open))
	if result := h.Propose(1, withdrawal); len(result.Applied) != 1 {
		t.Fatalf("the withdrawal was refused: %v", result.Refused)
	}
	h.Check()
	for range 3 {
		h.Propose(1, profiles(h.Chain, h.owner, 1)...)
		h.Check()
	}
	if left := rowsOf(t, h.Rows, h.project); len(left) > 0 || !h.row().GetSwept() {
		t.Errorf("%d rows are left, the first is %x", len(left), left)
	}
	h.MustRefuse(withdrawal, message.CodeNotFound)
}

// TestSweepOrder removes two forks in one block. They are swept by id and their fork-parent rows stay.
//
// Rules: P9.5, P9.6.
func TestSweepOrder(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.push(child(0))
	var removals []*message.Envelope
	var forks []ident.Hash
	for _, name := range []string{"one", "two"} {
		fork := h.Sign(h.owner, message.Fork(h.project, numbered(0), name, pb.Visibility_VISIBILITY_PUBLIC))
		h.Must(fork)
		h.Must(h.Sign(h.owner, message.CommitBundle(fork.Hash, message.Content{}, line(1, 600)...)))
		forks = append(forks, fork.Hash)
		removals = append(removals, h.Sign(h.owner, message.ProjectRemove(fork.Hash)))
	}
	if bytes.Compare(forks[0][:], forks[1][:]) > 0 {
		forks[0], forks[1] = forks[1], forks[0]
	}
	h.Propose(1, removals...)
	h.Check()
	if first, second := rowsOf(t, h.Rows, forks[0]), rowsOf(t, h.Rows, forks[1]); len(first) > 0 || len(second) == 0 {
		t.Errorf("the fork with the lower id has %d rows left, the other %d", len(first), len(second))
	}
	h.Propose(1, profiles(h.Chain, h.owner, 1)...)
	h.Check()
	for _, fork := range forks {
		if left := rowsOf(t, h.Rows, fork); len(left) > 0 || !h.Load(schema.ForkParentKey(fork), &pb.ForkParentRow{}) {
			t.Errorf("fork %s has %d rows left, or no fork-parent row", fork, len(left))
		}
	}
}

// TestProjectsEverCreated checks that the number of projects that an account creates is limited by the storage that was ever
// granted to it, removed projects and forks included.
//
// Rules: P8.6.
func TestProjectsEverCreated(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.push(child(0))
	h.Commit()
	key, account := schema.AccountKey(h.owner.Address), &pb.AccountRow{}
	h.Load(key, account)
	if account.GetProjectsCreated() != 1 || account.GetUnitsGranted() != 1 {
		t.Fatalf("the account is %v", account)
	}
	account.ProjectsCreated = ledger.ProjectsPerGrantedUnit
	h.write(t, key, account)
	create := h.Sign(h.owner, message.ProjectCreate("more", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	h.MustRefuse(create, message.CodeQuotaExceeded)
	h.MustRefuse(h.Sign(h.owner, message.Fork(h.project, numbered(0), "more", pb.Visibility_VISIBILITY_PUBLIC)), message.CodeQuotaExceeded)
	h.Fund(h.owner, 1)
	h.Must(create)
	if h.Load(key, account); account.GetProjectsCreated() != ledger.ProjectsPerGrantedUnit+1 || account.GetUnitsGranted() != 2 {
		t.Errorf("the account is %v", account)
	}
}
