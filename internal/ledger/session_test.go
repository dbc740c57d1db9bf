package ledger_test

import (
	"testing"

	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// TestFailedSearches checks that a search that failed is not repeated by a session that remembers it, and that a session
// without that list searches again.
//
// Rules: P9.3.
func TestFailedSearches(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.push(child(0, -1), child(1, -1), child(2, 1), child(3, 2))
	h.put("main", 0)
	h.Commit()
	var failed ledger.FailedSearches
	move := h.Sign(h.owner, message.RefUpdate(h.project, "main", message.RefMove{New: numbered(3), Nonce: 2}))
	for _, step := range []struct {
		name   string
		failed *ledger.FailedSearches
		visits int
	}{{"first", &failed, 3}, {"again", &failed, 0}, {"no list", nil, 3}} {
		session := h.Ledger.Begin(h.Rows, h.Block)
		session.Remember(step.failed)
		_, refusal, err := session.Apply(move)
		if err != nil || refusal == nil || refusal.Code != message.CodeNotFastForward {
			t.Fatalf("%s: %v, %v; want not_fast_forward", step.name, refusal, err)
		}
		if session.Visits() != step.visits {
			t.Errorf("%s: %d commits visited, want %d", step.name, session.Visits(), step.visits)
		}
	}
	failed.Clear()
	session := h.Ledger.Begin(h.Rows, h.Block)
	session.Remember(&failed)
	if _, _, err := session.Apply(move); err != nil || session.Visits() != 3 {
		t.Errorf("after Clear: %d commits visited, %v", session.Visits(), err)
	}
}

// TestUndo checks that a session without the message that it undoes has the state before it, and that Undo after a refused
// message changes nothing.
func TestUndo(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.push(child(0, -1), child(1, 0))
	h.Commit()
	session := h.Ledger.Begin(h.Rows, h.Block)
	apply := func(m *message.Envelope) *message.Refusal {
		t.Helper()
		_, refusal, err := session.Apply(m)
		if err != nil {
			t.Fatal(err)
		}
		return refusal
	}
	update := func(commit int, nonce uint64) *message.Envelope {
		return h.Sign(h.owner, message.RefUpdate(h.project, "main", message.RefMove{New: numbered(commit), Nonce: nonce}))
	}
	if refusal := apply(update(0, 1)); refusal != nil {
		t.Fatal(refusal)
	}
	before := session.Changes()
	for range 2 {
		if refusal := apply(update(1, 2)); refusal != nil {
			t.Fatal(refusal)
		}
		if session.Written() == 0 {
			t.Error("the message wrote nothing")
		}
		session.Undo()
		session.Trim()
	}
	if refusal := apply(update(1, 3)); refusal == nil || session.Written() != 0 {
		t.Errorf("nonce 3: %v, and %d bytes written", refusal, session.Written())
	}
	session.Undo()
	if diff := ledgertest.DiffChanges(before, session.Changes()); diff != "" {
		t.Error(diff)
	}
}
