package feed_test

import (
	"runtime"
	"testing"
	"weak"

	"makechain/internal/feed"
	"makechain/internal/ledger"
	"makechain/message"
)

// noDisk is a source without blocks.
type noDisk struct{}

func (noDisk) Base() uint64                          { return 1 }
func (noDisk) Transactions(uint64) ([][]byte, error) { return nil, nil }

// TestHoldsLittle stops reading in the middle of a block. Once the ring has passed by, only the few messages
// that come next are still in memory.
//
// Rules: P10.7.
func TestHoldsLittle(t *testing.T) {
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
		t.Errorf("%d of %d messages are held, want at most %d", count, size, few)
	}
	if item, err := subscription.Next(t.Context()); err != nil || item.Index != 1 {
		t.Errorf("the next item is %v, %v", item, err)
	}
}

// commitWeakly commits a block and keeps none of its messages alive.
func commitWeakly(t *testing.T, f *feed.Feed, size int) []weak.Pointer[message.Envelope] {
	t.Helper()
	var messages []weak.Pointer[message.Envelope]
	block := &ledger.Committed{Block: ledger.Block{Height: 1}}
	for _, m := range newCast(t, size).messages {
		messages = append(messages, weak.Make(m))
		block.Applied = append(block.Applied, ledger.Applied{Message: m})
	}
	f.Committed(block)
	return messages
}
