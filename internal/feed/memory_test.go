package feed_test

import (
	"runtime"
	"testing"
	"weak"

	"makechain/internal/feed"
	"makechain/internal/ledger"
	"makechain/message"
)

// noDisk is a block store without blocks.
type noDisk struct{}

func (noDisk) Base() uint64                          { return 1 }
func (noDisk) Transactions(uint64) ([][]byte, error) { return nil, nil }

// TestMemoryOfSubscription checks that a subscriber which stops in the middle of a block keeps only its queued messages
// in memory once the ring has moved on.
//
// Rules: P10.7.
func TestMemoryOfSubscription(t *testing.T) {
	t.Parallel()
	const size, few = 500, 64
	f := feed.New(noDisk{}, 0, feed.Options{RingBlocks: 1})
	subscription, err := f.SubscribeMessages(nil, feed.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	alive := commitWeakly(t, f, size)
	if _, err := subscription.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.Committed(&ledger.Committed{Block: ledger.Block{Height: 2}})
	runtime.GC()
	count := 0
	for _, m := range alive {
		if m.Value() != nil {
			count++
		}
	}
	if count > few {
		t.Errorf("%d of %d messages are in memory, want at most %d", count, size, few)
	}
	if item, err := subscription.Next(t.Context()); err != nil || item.Index != 1 {
		t.Errorf("the next item is %v, %v", item, err)
	}
}

// commitWeakly commits a block and keeps no references to its messages.
func commitWeakly(t *testing.T, f *feed.Feed, size int) []weak.Pointer[message.Envelope] {
	t.Helper()
	var messages []weak.Pointer[message.Envelope]
	block := &ledger.Committed{Block: ledger.Block{Height: 1}}
	for _, m := range newMessageSet(t, size).messages {
		messages = append(messages, weak.Make(m))
		block.Applied = append(block.Applied, ledger.Applied{Message: m})
	}
	f.Committed(block)
	return messages
}
