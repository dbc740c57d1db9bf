package ledger_test

import (
	"strconv"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// TestMaxBlockVisits moves a ref back and forth over a graph in which the way back requires a search. A block contains
// updates up to the limit of visits, the others are deferred, and a block with all of them is refused.
//
// Rules: P6.5.
func TestMaxBlockVisits(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("executes many commits")
	}
	const commits, moves = 9_000, 60
	w := ledgertest.New(t)
	alice := w.Join("alice", 1)
	project := w.Sign(alice, message.ProjectCreate("slow", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	w.Must(project)
	root, side := ledgertest.Hash("root"), ledgertest.Hash("side")
	bundle := []message.Commit{ledgertest.NewCommit(root), ledgertest.NewCommit(side)}
	tip := root
	for n := range commits {
		next := ledgertest.Hash(strconv.Itoa(n))
		bundle, tip = append(bundle, ledgertest.NewCommit(next, side, tip)), next
		if len(bundle) == message.MaxCommits || n == commits-1 {
			w.Must(w.Sign(alice, message.CommitBundle(project.Hash, message.Content{}, bundle...)))
			bundle = nil
		}
	}
	w.Must(w.Sign(alice, message.RefUpdate(project.Hash, "main", message.RefMove{New: root, Nonce: 1})))
	w.Commit()

	var updates []*message.Envelope
	for n := range uint64(moves) {
		move := message.RefMove{New: tip, Nonce: n + 2}
		if n%2 == 1 {
			move = message.RefMove{New: root, Force: true, Nonce: n + 2}
		}
		updates = append(updates, w.Sign(alice, message.RefUpdate(project.Hash, "main", move)))
	}
	result, err := w.Ledger.Assemble(w.Rows, w.Block, updates)
	if err != nil {
		t.Fatal(err)
	}
	// Every other update searches. The one that passes the limit is the last.
	want := 2*(ledger.MaxBlockVisits/(commits+1)) + 1
	if len(result.Applied) != want || len(result.Deferred) != moves-want || len(result.Refused) > 0 {
		t.Errorf("%d applied, %d deferred, %d refused; want %d applied and the others deferred",
			len(result.Applied), len(result.Deferred), len(result.Refused), want)
	}
	if _, err := w.Ledger.Execute(w.Rows, w.Block, ledgertest.Messages(result)); err != nil {
		t.Errorf("the block as assembled: %v", err)
	}
	if _, err := w.Ledger.Execute(w.Rows, w.Block, updates); err == nil {
		t.Error("a block with all updates is valid, want an error")
	}
}
