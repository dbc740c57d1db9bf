package ledger_test

import (
	"strconv"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// TestVisits checks the visits of messages and of their session: a search counts, refused or not, and a session that
// has read and written more rows uses more memory.
//
// Rules: P6.5.
func TestVisits(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.push(child(0, -1), child(1, -1), child(2, 1, 0), child(3, 1, 2), child(4, 3), child(5, 1))
	h.put("main", 0)
	h.Commit()
	session := h.Ledger.Begin(h.Rows, h.Block)
	apply := func(move message.RefMove) *ledger.Effects {
		t.Helper()
		before := session.Bytes()
		effects, _, err := session.Apply(h.Sign(h.owner, message.RefUpdate(h.project, "main", move)))
		if err != nil {
			t.Fatal(err)
		}
		if session.Bytes() <= before {
			t.Errorf("the session has %d bytes, had %d before the message", session.Bytes(), before)
		}
		return effects
	}
	if effects := apply(message.RefMove{New: numbered(1), Nonce: 2}); effects != nil || session.Visits() != 0 {
		t.Errorf("effects %v, %d visits: want a refusal without a search", effects, session.Visits())
	}
	if effects := apply(message.RefMove{New: numbered(5), Nonce: 2}); effects != nil || session.Visits() != 2 {
		t.Errorf("effects %v, %d visits: want a refusal after a search", effects, session.Visits())
	}
	// Commit 3 reaches commit 0 through second parents only.
	if effects := apply(message.RefMove{New: numbered(3), Nonce: 2}); effects == nil || effects.Visits != 3 || session.Visits() != 5 {
		t.Errorf("effects %v, %d visits", effects, session.Visits())
	}
	if effects := apply(message.RefMove{New: numbered(4), Nonce: 3}); effects == nil || effects.Visits != 0 || session.Visits() != 5 {
		t.Errorf("effects %v, %d visits", effects, session.Visits())
	}
}

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
