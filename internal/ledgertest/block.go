package ledgertest

import (
	"bytes"
	"slices"

	"github.com/google/go-cmp/cmp"

	"makechain/internal/fsck"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/schema"
	"makechain/message"
)

// Apply checks a message as a node does and applies it to the open block, or returns the refusal.
func (w *Chain) Apply(m *message.Envelope) (*ledger.Effects, *message.Refusal) {
	w.Helper()
	if refusal := w.Admit(m); refusal != nil {
		return nil, refusal
	}
	touched, refusal, err := w.session.Apply(m)
	if err != nil {
		w.Fatalf("apply %s: %v", m.Type(), err)
	}
	w.applied = w.applied || refusal == nil
	return touched, refusal
}

// Admit performs the checks that need no state.
func (w *Chain) Admit(m *message.Envelope) *message.Refusal {
	if refusal := m.VerifySignature(); refusal != nil {
		return refusal
	}
	if refusal := m.CheckNetwork(w.Params.Network); refusal != nil {
		return refusal
	}
	return m.Validate()
}

// Must applies a message and fails the test if it is refused.
func (w *Chain) Must(m *message.Envelope) *ledger.Effects {
	w.Helper()
	touched, refusal := w.Apply(m)
	if refusal != nil {
		w.Fatalf("%s: %v", m.Type(), refusal)
	}
	return touched
}

// MustRefuse applies a message and fails the test unless it is refused with the code.
func (w *Chain) MustRefuse(m *message.Envelope, code message.Code) {
	w.Helper()
	_, refusal := w.Apply(m)
	switch {
	case refusal == nil:
		w.Fatalf("%s applied, want it refused with %s", m.Type(), code)
	case refusal.Code != code:
		w.Fatalf("%s: %v, want %s", m.Type(), refusal, code)
	}
}

// Commit writes the changes of the open block so far to Rows. The block stays open: applying a message does not depend
// on whether earlier changes were committed.
func (w *Chain) Commit() {
	w.Helper()
	changes := w.session.Changes()
	if len(changes) == 0 {
		return
	}
	if err := w.Rows.Apply(changes); err != nil {
		w.Fatalf("block %d: %v", w.Block.Height, err)
	}
	w.session = w.Ledger.Begin(w.Rows, w.Block)
}

// Check commits and checks all rows for consistency.
func (w *Chain) Check() {
	w.Helper()
	w.Commit()
	report, err := fsck.Check(w.Rows)
	if err != nil {
		w.Fatalf("check of block %d: %v", w.Block.Height, err)
	}
	if !report.Clean() {
		w.Fatalf("the state of block %d is damaged:\n%s", w.Block.Height, report)
	}
}

// Next commits the open block and opens the next one, seconds later.
func (w *Chain) Next(seconds uint64) {
	w.Helper()
	w.SkipTo(w.Block.Time + seconds)
}

// SkipTo ends and commits the open block and opens the next one at the given time.
func (w *Chain) SkipTo(time uint64) {
	w.Helper()
	if w.applied {
		if err := w.session.Sweep(); err != nil {
			w.Fatalf("sweep in block %d: %v", w.Block.Height, err)
		}
		w.applied = false
	}
	w.Commit()
	w.Block.Height++
	w.Block.Time = time
	w.session = w.Ledger.Begin(w.Rows, w.Block)
}

// Propose assembles the next block from candidates, checks that executing it returns the same result, and commits it.
func (w *Chain) Propose(seconds uint64, candidates ...*message.Envelope) *ledger.Result {
	w.Helper()
	return w.ProposeReserved(seconds, candidates, nil)
}

// ProposeReserved is Propose with visits that are reserved for candidates.
func (w *Chain) ProposeReserved(seconds uint64, candidates []*message.Envelope, reserved map[ident.Hash]int) *ledger.Result {
	w.Helper()
	w.Next(seconds)
	assembled, err := w.Ledger.Assemble(w.Rows, w.Block, candidates, reserved)
	if err != nil {
		w.Fatalf("assemble block %d: %v", w.Block.Height, err)
	}
	executed, err := w.Ledger.Execute(w.Rows, w.Block, Messages(assembled))
	if err != nil {
		w.Fatalf("execute block %d: %v", w.Block.Height, err)
	}
	if diff := DiffChanges(assembled.Changes, executed.Changes); diff != "" {
		w.Fatalf("block %d: assembled (-) and executed (+) differ:\n%s", w.Block.Height, diff)
	}
	w.applyChanges(assembled.Changes)
	return assembled
}

// DiffChanges returns the difference between two lists of changes, which is empty when they are equal.
func DiffChanges(a, b []schema.Change) string {
	if slices.EqualFunc(a, b, func(a, b schema.Change) bool {
		return a.Existed == b.Existed && (a.Value == nil) == (b.Value == nil) &&
			bytes.Equal(a.Key, b.Key) && bytes.Equal(a.Value, b.Value)
	}) {
		return ""
	}
	return cmp.Diff(a, b)
}

func (w *Chain) applyChanges(changes []schema.Change) {
	w.Helper()
	if err := w.Rows.Apply(changes); err != nil {
		w.Fatalf("block %d: %v", w.Block.Height, err)
	}
	w.session = w.Ledger.Begin(w.Rows, w.Block)
}

// Messages returns the applied messages of a block, in order.
func Messages(r *ledger.Result) []*message.Envelope {
	messages := make([]*message.Envelope, len(r.Applied))
	for i, applied := range r.Applied {
		messages[i] = applied.Message
	}
	return messages
}
