package feed_test

import (
	"context"
	"errors"
	"testing"

	"makechain/internal/feed"
)

// rings returns ring sizes: one block, a few blocks, a few bytes, everything.
func rings() []feed.Options {
	return []feed.Options{{RingBlocks: 1}, {RingBlocks: 4}, {RingBytes: 2_000}, {}}
}

// TestResumeEverywhere checks subscriptions from every position, with every filter, from the ring and the block store.
//
// Rules: P10.7.
func TestResumeEverywhere(t *testing.T) {
	t.Parallel()
	for _, ring := range rings() {
		c, people := fixture(t, ring)
		for height := uint64(0); height <= c.height(); height++ {
			for index := range uint32(25) { // beyond the end of every block
				from := feed.Position{Height: height, Index: index}
				for _, filter := range people.filters() {
					start := from
					if height == 0 {
						start = feed.Position{} // genesis has no messages
					}
					c.expect(c.subscribe(&from, filter), c.want(start, filter))
				}
			}
		}
	}
}

// TestFromNow checks that a subscription without a position starts after the latest block.
//
// Rules: P10.7.
func TestFromNow(t *testing.T) {
	t.Parallel()
	c, people := fixture(t, feed.Options{})
	next := feed.Position{Height: c.height() + 1}
	now, same := c.subscribe(nil, feed.Filter{}), c.subscribe(&next, feed.Filter{})
	c.expectNothing(now)
	c.commit(people.messages[0], people.messages[1])
	c.commit()
	c.commit(people.messages[2])
	c.expect(now, c.want(next, feed.Filter{}))
	c.expect(same, c.want(next, feed.Filter{}))
}

// TestSlowSubscriber checks that a subscriber that fell behind the ring receives the other messages from the block store,
// in order and once.
//
// Rules: P10.7.
func TestSlowSubscriber(t *testing.T) {
	t.Parallel()
	c, people := newChain(t, feed.Options{RingBlocks: 3}), newMessageSet(t, 200)
	slow := c.subscribe(nil, feed.Filter{})
	c.commit(people.messages[:10]...)
	first, err := slow.Next(t.Context())
	if err != nil || first.Message != people.messages[0] {
		t.Fatalf("%v, %v", first, err)
	}
	for i := 10; i < len(people.messages); i++ {
		c.commit(people.messages[i])
	}
	if reads := c.diskReads(); reads > 0 {
		t.Errorf("%d blocks were read from the block store too early", reads)
	}
	c.expect(slow, c.want(feed.Position{Height: 1, Index: 1}, feed.Filter{}))
	if reads, want := c.diskReads(), int(c.height())-1-3; reads != want {
		t.Errorf("%d blocks were read from the block store, want %d", reads, want)
	}
}

// TestLargeBlock checks a block that is larger than the queue of a subscription.
//
// Rules: P10.7.
func TestLargeBlock(t *testing.T) {
	t.Parallel()
	for _, ring := range rings() {
		c, people := newChain(t, ring), newMessageSet(t, 500)
		c.commit(people.messages...)
		c.commit()
		for _, filter := range people.filters() {
			c.expect(c.subscribe(&feed.Position{}, filter), c.want(feed.Position{}, filter))
		}
	}
}

// TestPrunedPosition checks that a position below the lowest stored block is refused with that height, and that a slow
// subscriber gets the same error.
//
// Rules: P10.7.
func TestPrunedPosition(t *testing.T) {
	t.Parallel()
	c, _ := fixture(t, feed.Options{RingBlocks: 2})
	slow := c.subscribe(&feed.Position{Height: 2}, feed.Filter{})
	c.prune(7)
	for height := range uint64(7) {
		_, err := c.feed.SubscribeMessages(&feed.Position{Height: height}, feed.Filter{})
		expectPosition(t, err, feed.ErrOutOfRange, max(height, 1), 7)
		_, err = c.feed.SubscribeBlocks(&height)
		expectPosition(t, err, feed.ErrOutOfRange, max(height, 1), 7)
	}
	c.expect(c.subscribe(&feed.Position{Height: 7}, feed.Filter{}), c.want(feed.Position{Height: 7}, feed.Filter{}))
	_, err := slow.Next(t.Context())
	expectPosition(t, err, feed.ErrOutOfRange, 2, 7)
}

// TestRingAfterPruning checks that blocks in the ring are available although they were pruned from the block store.
func TestRingAfterPruning(t *testing.T) {
	t.Parallel()
	c, _ := fixture(t, feed.Options{RingBlocks: 4})
	c.prune(c.height() + 1)
	from := feed.Position{Height: c.height() - 3}
	c.expect(c.subscribe(&from, feed.Filter{}), c.want(from, feed.Filter{}))
	from.Height--
	_, err := c.feed.SubscribeMessages(&from, feed.Filter{})
	expectPosition(t, err, feed.ErrOutOfRange, from.Height, from.Height+1)
}

// TestFuture checks that positions after the next block are refused.
func TestFuture(t *testing.T) {
	t.Parallel()
	c, _ := fixture(t, feed.Options{})
	next := c.height() + 1
	for _, from := range []feed.Position{{next, 1}, {next + 1, 0}, {1 << 63, 0}} {
		_, err := c.feed.SubscribeMessages(&from, feed.Filter{})
		expectPosition(t, err, feed.ErrFuture, from.Height, 1)
	}
	beyond := next + 1
	_, err := c.feed.SubscribeBlocks(&beyond)
	expectPosition(t, err, feed.ErrFuture, beyond, 1)
}

func expectPosition(t *testing.T, err, reason error, height, lowest uint64) {
	t.Helper()
	var position *feed.PositionError
	if !errors.Is(err, reason) || !errors.As(err, &position) || position.Height != height || position.Lowest != lowest {
		t.Errorf("%v, want %v for block %d and %d as the lowest", err, reason, height, lowest)
	}
}

// TestCancel checks that a canceled wait returns the error of the context and loses no message.
func TestCancel(t *testing.T) {
	t.Parallel()
	c, people := fixture(t, feed.Options{})
	subscription := c.subscribe(nil, feed.Filter{})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := subscription.Next(ctx)
		ended <- err
	}()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Next returned %v", err)
	}
	c.commit(people.messages[:2]...)
	if _, err := subscription.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Next with a canceled context returned %v", err)
	}
	c.expect(subscription, c.want(feed.Position{Height: c.height()}, feed.Filter{}))
}

// TestClose checks that Close ends waiting subscriptions and that new ones fail.
func TestClose(t *testing.T) {
	t.Parallel()
	c, people := fixture(t, feed.Options{})
	subscription := c.subscribe(nil, feed.Filter{})
	ended := make(chan error)
	go func() {
		_, err := subscription.Next(t.Context())
		ended <- err
	}()
	c.feed.Close()
	c.feed.Close()
	c.commit(people.messages[0])
	if err := <-ended; !errors.Is(err, feed.ErrClosed) {
		t.Errorf("Next returned %v", err)
	}
	if _, err := c.feed.SubscribeMessages(nil, feed.Filter{}); !errors.Is(err, feed.ErrClosed) {
		t.Errorf("subscribing after Close returned %v", err)
	}
}

// TestSourceError checks that errors of the block store are returned and no message is skipped.
//
// Rules: P10.7.
func TestSourceError(t *testing.T) {
	t.Parallel()
	c, _ := fixture(t, feed.Options{RingBlocks: 1})
	c.readError = errors.New("disk failure")
	if _, err := c.subscribe(&feed.Position{}, feed.Filter{}).Next(t.Context()); !errors.Is(err, c.readError) {
		t.Errorf("Next returned %v, want %v", err, c.readError)
	}
	c.readError = nil
	c.disk[1][2] = []byte("no message")
	if item, err := c.subscribe(&feed.Position{}, feed.Filter{}).Next(t.Context()); err == nil {
		t.Errorf("a corrupt message was skipped: %v", item)
	}
	c.disk[1] = nil
	if item, err := c.subscribe(&feed.Position{}, feed.Filter{}).Next(t.Context()); err == nil || errors.Is(err, feed.ErrOutOfRange) {
		t.Errorf("a missing block: %v, %v", item, err)
	}
}
