package ledger_test

import (
	"errors"
	"testing"

	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/message"
)

var errRead = errors.New("the disk is gone")

// failingView fails at one read: a Get, the start of a scan, or a row in the middle of a scan.
type failingView struct {
	ledger.View

	left int // reads until the failure
}

func (v *failingView) fails() bool {
	v.left--
	return v.left < 0
}

func (v *failingView) Get(key []byte) ([]byte, error) {
	if v.fails() {
		return nil, errRead
	}
	return v.View.Get(key)
}

func (v *failingView) Scan(lower, upper []byte, visit func(key, value []byte) bool) error {
	if v.fails() {
		return errRead
	}
	failed := false
	err := v.View.Scan(lower, upper, func(key, value []byte) bool {
		failed = v.fails()
		return !failed && visit(key, value)
	})
	if failed {
		return errRead
	}
	return err
}

// TestFailedReadsReturnErrors fails each read of every message type in turn, for messages that would apply and messages
// that would be refused, and checks that Apply returns an error and no result.
//
// Rules: I10.
func TestFailedReadsReturnErrors(t *testing.T) {
	t.Parallel()
	base := newStage(t)
	for _, k := range kindsOfMessages() {
		s := base.branch(t)
		a := k.author(s)
		m := k.make(s, a, a.Author)
		s.Commit()
		reads := failEverywhere(t, k.name, s.Chain, m)
		if reads == 0 {
			t.Errorf("%s: applies without reading anything", k.name)
		}
		s.Must(m)
		s.Commit()
		failEverywhere(t, k.name+" again", s.Chain, m)
	}
}

// failEverywhere applies a message with a failure at each of its reads in turn, and returns the number of reads.
func failEverywhere(t *testing.T, name string, w *ledgertest.Chain, m *message.Envelope) (reads int) {
	t.Helper()
	for {
		view := &failingView{View: w.Rows, left: reads}
		effects, refusal, err := w.Ledger.Begin(view, w.Block).Apply(m)
		if view.left >= 0 {
			if err != nil {
				t.Errorf("%s: error %v without a failure", name, err)
			}
			return reads
		}
		if !errors.Is(err, errRead) || effects != nil || refusal != nil {
			t.Errorf("%s: failure at read %d returns %v, %v, %v", name, reads, effects, refusal, err)
		}
		reads++
	}
}

// TestFailedReadsOfBlocks checks that a failed read during Assemble or Execute is not reported as an invalid block.
//
// Rules: I10.
func TestFailedReadsOfBlocks(t *testing.T) {
	t.Parallel()
	w := ledgertest.New(t)
	a := w.Join("alice", 1)
	messages := profiles(w, a, 3)
	w.Commit()
	for reads := range 4 {
		for name, run := range map[string]func(ledger.View, ledger.Block, []*message.Envelope) (*ledger.Result, error){
			"execute": w.Ledger.Execute,
			"assemble": func(view ledger.View, block ledger.Block, candidates []*message.Envelope) (*ledger.Result, error) {
				return w.Ledger.Assemble(view, block, candidates, nil)
			},
		} {
			view := &failingView{View: w.Rows, left: reads}
			result, err := run(view, w.Block, messages)
			var invalid *ledger.InvalidBlockError
			switch failed := view.left < 0; {
			case failed && (!errors.Is(err, errRead) || errors.As(err, &invalid) || result != nil):
				t.Errorf("%s: failure at read %d returns %v, %v", name, reads, result, err)
			case !failed && err != nil:
				t.Errorf("%s: error %v without a failure", name, err)
			}
		}
	}
}

// TestFailedSessionStaysFailed checks that a session returns its error again after the view has recovered.
func TestFailedSessionStaysFailed(t *testing.T) {
	t.Parallel()
	w := ledgertest.New(t)
	a := w.Join("alice", 1)
	m := profiles(w, a, 1)[0]
	w.Commit()
	session := w.Ledger.Begin(&failingView{View: w.Rows}, w.Block)
	for range 2 {
		if _, refusal, err := session.Apply(m); !errors.Is(err, errRead) || refusal != nil {
			t.Errorf("refusal %v, error %v", refusal, err)
		}
	}
}

// garblingView returns invalid bytes for one row.
type garblingView struct {
	ledger.View

	left int
}

func (v *garblingView) Get(key []byte) ([]byte, error) {
	value, err := v.View.Get(key)
	if value == nil {
		return nil, err
	}
	if v.left--; v.left == -1 {
		return []byte{0xFF}, err
	}
	return value, err
}

// TestGarbledRowsDoNotPanic returns invalid bytes for every row that a message reads. Rows that only have to exist may
// still lead to a result; all others lead to an error.
//
// Rules: I10.
func TestGarbledRowsDoNotPanic(t *testing.T) {
	t.Parallel()
	base := newStage(t)
	failures := 0
	for _, k := range kindsOfMessages() {
		s := base.branch(t)
		a := k.author(s)
		m := k.make(s, a, a.Author)
		s.Commit()
		for garbled := 0; ; garbled++ {
			view := &garblingView{View: s.Rows, left: garbled}
			_, refusal, err := s.Ledger.Begin(view, s.Block).Apply(m)
			if view.left >= 0 {
				break
			}
			if err != nil {
				failures++
				if refusal != nil {
					t.Errorf("%s: both %v and %v", k.name, refusal, err)
				}
			}
		}
	}
	if failures < 50 {
		t.Errorf("only %d garbled rows were detected", failures)
	}
}
