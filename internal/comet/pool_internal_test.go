package comet

import "testing"

// countPool is a Pool of which only the number of pending transactions matters.
type countPool struct {
	Pool

	pending int
}

func (p *countPool) Empty() bool { return p.pending == 0 }

// TestPendingSignal checks after which steps consensus receives a signal: at most once per block, and never without pending
// transactions.
func TestPendingSignal(t *testing.T) {
	t.Parallel()
	pool := new(countPool)
	s := newPendingSignal(pool)
	raise := func(*testing.T) { s.raise() }
	update := func(t *testing.T) {
		t.Helper()
		if err := s.Update(0, nil, nil, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		name    string
		pending int
		do      func(*testing.T)
		want    bool
	}{
		{"raise without transactions", 0, raise, false},
		{"raise", 1, raise, true},
		{"raise again", 2, raise, false},
		{"a block without the transactions", 2, update, true},
		{"raise after the signal of Update", 3, raise, false},
		{"a block with all transactions", 0, update, false},
		{"an empty block", 0, update, false},
		{"raise after the block", 1, raise, true},
	} {
		pool.pending = step.pending
		step.do(t)
		if got := len(s.available) > 0; got != step.want {
			t.Errorf("%s: a signal: %v, want %v", step.name, got, step.want)
		}
		if step.want {
			<-s.TxsAvailable()
		}
	}
	pool.pending = 1
	update(t)
	update(t)
	if signals := len(s.available); signals != 1 {
		t.Errorf("%d signals for two blocks during which consensus received none", signals)
	}
}
