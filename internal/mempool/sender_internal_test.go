package mempool

import (
	"sync/atomic"
	"testing"
	"time"

	"makechain/internal/ident"
	"makechain/internal/ledger"
)

// openSnapshot is an empty state that counts how often it is open.
type openSnapshot struct{ open *atomic.Int64 }

func (openSnapshot) Get([]byte) ([]byte, error)                       { return nil, nil }
func (openSnapshot) Scan(_, _ []byte, _ func(_, _ []byte) bool) error { return nil }
func (openSnapshot) Height() uint64                                   { return 1 }

func (s openSnapshot) Close() error {
	s.open.Add(-1)
	return nil
}

// TestDroppedWhileReleased commits a block while a call that has released its sender still holds the sender's lock, and checks
// that the session is closed.
func TestDroppedWhileReleased(t *testing.T) {
	t.Parallel()
	var open atomic.Int64
	p := New(Config{
		Latest: func() Snapshot {
			open.Add(1)
			return openSnapshot{&open}
		},
		Now: time.Now, Capacity: 1, Workers: 1,
	})
	s := p.acquireSender(ident.Address{1})
	if _, _, err := s.restartSession(nil); err != nil {
		t.Fatal(err)
	}
	p.mu.Lock() // as release does before it unlocks the sender
	s.users--
	s.idle = true
	p.idle++
	p.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.Committed(&ledger.Committed{Block: ledger.Block{Height: 2}})
	}()
	for dropped := false; !dropped; {
		p.mu.Lock()
		dropped = p.senders[s.owner] == nil
		p.mu.Unlock()
	}
	s.mu.Unlock()
	<-done
	if err := p.Close(); err != nil || open.Load() != 0 {
		t.Errorf("%d snapshots are open, %v", open.Load(), err)
	}
}
