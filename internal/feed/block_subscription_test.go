package feed_test

import (
	"errors"
	"testing"

	"makechain/internal/feed"
	"makechain/internal/ident"
	"makechain/internal/ledger"
)

// heights returns the heights of all blocks that are available without waiting.
func (c *chain) heights(blocks *feed.BlockSubscription) []uint64 {
	c.Helper()
	var heights []uint64
	for {
		height, err := blocks.Next(&limitedContext{left: 1})
		if errors.Is(err, errLimitReached) {
			return heights
		}
		if err != nil {
			c.Fatalf("Next: %v", err)
		}
		heights = append(heights, height)
	}
}

// TestBlocks checks that a subscription returns every block once, empty ones included, from any height.
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
				t.Errorf("from height %d the last block is %d, want %d", from, next-1, c.height())
			}
		}
		c.commit(people.messages[0])
		if got := c.heights(now); len(got) != 1 || got[0] != c.height() {
			t.Errorf("from now on: blocks %v, want %d", got, c.height())
		}
	}
}

// TestPrunedBlocks checks the error of a subscriber whose next block was pruned.
//
// Rules: P10.7.
func TestPrunedBlocks(t *testing.T) {
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

// TestRepeatedBlocks checks that blocks which are committed again, as in a replay, are ignored.
//
// Rules: P10.7.
func TestRepeatedBlocks(t *testing.T) {
	t.Parallel()
	c, people := fixture(t, feed.Options{})
	subscription := c.subscribe(nil, feed.Filter{})
	for height := uint64(1); height <= c.height(); height++ {
		c.feed.Committed(&ledger.Committed{Block: ledger.Block{Height: height}, Applied: []ledger.Applied{{Message: people.messages[0]}}})
	}
	c.expectNothing(subscription)
}

// TestGapAfterStateSync checks that blocks the node never had are out of range, and not skipped silently.
//
// Rules: P10.7.
func TestGapAfterStateSync(t *testing.T) {
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

// TestProjects checks that the projects of every block are returned, from the ring and from the block store, and the error
// for a block that was pruned.
//
// Rules: P10.7.
func TestProjects(t *testing.T) {
	t.Parallel()
	for _, ring := range rings() {
		c, _ := fixture(t, ring)
		for height := uint64(1); height <= c.height(); height++ {
			want := map[ident.Hash]bool{}
			for _, item := range c.items {
				if item.Height == height {
					for _, project := range item.Message.Projects() {
						want[project] = true
					}
				}
			}
			got, err := c.feed.Projects(t.Context(), height-1)
			if err != nil || len(got) != len(want) {
				t.Fatalf("block %d: %v, %v; want %d projects", height, got, err, len(want))
			}
			for _, project := range got {
				if !want[project] {
					t.Errorf("block %d is not about project %s", height, project)
				}
			}
		}
		if _, err := c.feed.Projects(&limitedContext{left: 1}, c.height()); !errors.Is(err, errLimitReached) {
			t.Errorf("after the latest block: %v, want to wait", err)
		}
	}
	c, _ := fixture(t, feed.Options{RingBlocks: 1})
	c.prune(5)
	_, err := c.feed.Projects(t.Context(), 0)
	expectPosition(t, err, feed.ErrOutOfRange, 1, 5)
	c.feed.Close()
	if _, err := c.feed.Projects(t.Context(), 0); !errors.Is(err, feed.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}
