package feed_test

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"makechain/internal/feed"
	"makechain/message"
)

// TestConcurrent checks that concurrent subscribers receive all items while blocks are committed.
//
// Rules: P10.7.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	c, people := newChain(t, feed.Options{RingBlocks: 4}), newMessageSet(t, 400)
	plan := newChain(t, feed.Options{}) // the same blocks, all at once
	blocks := [][]*message.Envelope{}
	for left, n := people.messages, 0; len(left) > 0; n = (n + 1) % 7 {
		size := min(n, len(left))
		blocks, left = append(blocks, left[:size]), left[size:]
		plan.commit(blocks[len(blocks)-1]...)
	}

	var subscribers sync.WaitGroup
	for i := range 48 {
		filter := people.filters()[i%len(people.filters())]
		early := c.subscribe(&feed.Position{}, filter)
		subscribers.Go(func() { follow(t, early, plan.want(feed.Position{}, filter)) })
	}
	for i, messages := range blocks {
		c.commit(messages...)
		from := feed.Position{Height: uint64(i)/2 + 1, Index: uint32(i % 5)}
		late := c.subscribe(&from, feed.Filter{})
		subscribers.Go(func() { follow(t, late, plan.want(from, feed.Filter{})) })
	}
	subscribers.Wait()
}

// follow reads len(want) items and compares them with want.
func follow(t *testing.T, subscription *feed.MessageSubscription, want []feed.Item) {
	t.Helper()
	for i, w := range want {
		got, err := subscription.Next(t.Context())
		if err != nil || got.Position != w.Position || got.Message.Hash != w.Message.Hash {
			t.Errorf("item %d is at %v, %v; want %v", i, got.Position, err, w.Position)
			return
		}
	}
}

// follower is a subscription and the items it has returned.
type follower struct {
	*feed.MessageSubscription

	from   feed.Position
	filter feed.Filter
	got    int
}

// TestAnyInterleaving checks with random sequences of commits, subscriptions, reads and pruning that a subscriber
// receives exactly the matching messages from its position on, until they are out of range.
//
// Rules: P10.7.
func TestAnyInterleaving(t *testing.T) {
	t.Parallel()
	people := newMessageSet(t, 120)
	rapid.Check(t, func(draw *rapid.T) {
		c := newChain(draw, feed.Options{RingBlocks: rapid.IntRange(1, 4).Draw(draw, "ring")})
		left := people.messages
		var followers []*follower
		draw.Repeat(map[string]func(*rapid.T){
			"commit": func(draw *rapid.T) {
				n := rapid.IntRange(0, min(5, len(left))).Draw(draw, "messages")
				c.commit(left[:n]...)
				left = left[n:]
			},
			"subscribe": func(draw *rapid.T) {
				f := &follower{from: feed.Position{Height: c.height() + 1}, filter: rapid.SampledFrom(people.filters()).Draw(draw, "filter")}
				if from := anyPosition(draw, c); from != nil {
					f.from = *from
				}
				var err error
				if f.MessageSubscription, err = c.feed.SubscribeMessages(&f.from, f.filter); err == nil {
					followers = append(followers, f)
				} else if !errors.Is(err, feed.ErrOutOfRange) || f.from.Height >= c.Base() {
					draw.Fatalf("subscribe from %v: %v", f.from, err)
				}
			},
			"read": func(draw *rapid.T) {
				if len(followers) > 0 {
					f := rapid.SampledFrom(followers).Draw(draw, "follower")
					if !f.read(c, rapid.IntRange(1, 4).Draw(draw, "items")) {
						followers = slices.DeleteFunc(followers, func(other *follower) bool { return other == f })
					}
				}
			},
			"prune": func(draw *rapid.T) {
				c.prune(rapid.Uint64Range(c.Base(), max(c.height(), c.Base())).Draw(draw, "base"))
			},
		})
		for _, f := range followers {
			f.read(c, len(people.messages)+1)
		}
	})
}

// anyPosition draws a position in or after a committed block, or nil.
func anyPosition(draw *rapid.T, c *chain) *feed.Position {
	if c.height() == 0 || rapid.Bool().Draw(draw, "now") {
		return nil
	}
	return &feed.Position{
		Height: rapid.Uint64Range(1, c.height()).Draw(draw, "height"), Index: rapid.Uint32Range(0, 6).Draw(draw, "index"),
	}
}

// read reads up to n items and reports whether the follower can continue.
func (f *follower) read(c *chain, n int) bool {
	c.Helper()
	want := c.want(f.from, f.filter)
	for range n {
		got, err := f.Next(&limitedContext{left: int(c.height()) + 2})
		switch {
		case errors.Is(err, errLimitReached) && f.got == len(want):
			return true
		case errors.Is(err, feed.ErrOutOfRange):
			var position *feed.PositionError
			if !errors.As(err, &position) || position.Height >= c.Base() || f.got < len(want) && want[f.got].Height < position.Height {
				c.Fatalf("%v, with %d of %d items", err, f.got, len(want))
			}
			return false
		case err != nil || f.got == len(want) || got.Position != want[f.got].Position || got.Message.Hash != want[f.got].Message.Hash:
			c.Fatalf("item %d of %d is at %v, %v", f.got, len(want), got.Position, err)
		}
		f.got++
	}
	return true
}
