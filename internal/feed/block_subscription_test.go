package feed_test

import (
	"errors"
	"testing"

	"makechain/internal/feed"
	"makechain/internal/ledger"
)

// heights reads blocks until none is there.
func (c *chain) heights(blocks *feed.BlockSubscription) []uint64 {
	c.Helper()
	var heights []uint64
	for {
		height, err := blocks.Next(&patience{left: 1})
		if errors.Is(err, errPatience) {
			return heights
		}
		if err != nil {
			c.Fatalf("Next: %v", err)
		}
		heights = append(heights, height)
	}
}

// TestBlocks reads every block once, empty ones too, from every height on.
//
// Rules: P10.7.
func TestBlocks(t *testing.T) {
	t.Parallel()
	for _, ring := range rings() {
		c, people := fixture(t, ring)
		now, err := c.feed.SubscribeBlocks(nil)
		if err != nil {
			t.Fatal(err)
		}
		for from := uint64(0); from <= c.height()+1; from++ {
			blocks, err := c.feed.SubscribeBlocks(&from)
			if err != nil {
				t.Fatal(err)
			}
			next := max(from, 1)
			for _, height := range c.heights(blocks) {
				if height != next {
					t.Fatalf("block %d, want %d", height, next)
				}
				next++
			}
			if next != c.height()+1 {
				t.Errorf("from %d the last block is %d, want %d", from, next-1, c.height())
			}
		}
		c.commit(people.messages[0])
		if got := c.heights(now); len(got) != 1 || got[0] != c.height() {
			t.Errorf("from now on there are %v, want %d", got, c.height())
		}
	}
}

// TestBlocksNoLongerKept tells a slow subscriber that its blocks are gone.
//
// Rules: P10.7.
func TestBlocksNoLongerKept(t *testing.T) {
	t.Parallel()
	c, _ := fixture(t, feed.Options{RingBlocks: 1})
	first := uint64(1)
	blocks, err := c.feed.SubscribeBlocks(&first)
	if err != nil {
		t.Fatal(err)
	}
	c.prune(5)
	_, err = blocks.Next(t.Context())
	expectPosition(t, err, feed.ErrOutOfRange, 1, 5)
}

// TestKnownBlocks passes over blocks that are known already, as when a node replays them.
//
// Rules: P10.7.
func TestKnownBlocks(t *testing.T) {
	t.Parallel()
	c, people := fixture(t, feed.Options{})
	subscription := c.subscribe(nil, feed.Filter{})
	for height := uint64(1); height <= c.height(); height++ {
		c.feed.Committed(&ledger.Committed{Block: ledger.Block{Height: height}, Applied: []ledger.Applied{{Message: people.messages[0]}}})
	}
	c.expectNothing(subscription)
}

// TestStateFromOthers begins anew behind blocks that the node never had: they are out of range, not left out.
//
// Rules: P10.7.
func TestStateFromOthers(t *testing.T) {
	t.Parallel()
	c, people := fixture(t, feed.Options{})
	waiting := c.subscribe(nil, feed.Filter{})
	for range 20 {
		c.disk = append(c.disk, nil)
	}
	c.prune(c.height() + 1)
	c.commit(people.messages[:3]...)
	from := feed.Position{Height: c.height()}
	c.expect(c.subscribe(&from, feed.Filter{}), c.want(from, feed.Filter{}))
	_, err := waiting.Next(t.Context())
	expectPosition(t, err, feed.ErrOutOfRange, 12, c.height())
}
