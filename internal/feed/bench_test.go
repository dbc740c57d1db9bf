package feed_test

import (
	"errors"
	"sync"
	"testing"

	"makechain/internal/feed"
)

// BenchmarkFanOut measures the delivery of blocks of 25 messages to 1,000 subscribers, each in its own goroutine; every
// fifth filters by project. 20 blocks per second are 500 messages per second.
func BenchmarkFanOut(b *testing.B) {
	const (
		subscribers = 1_000
		size        = 25
	)
	c, people := newChain(b, feed.Options{}), newMessageSet(b, size)
	last := people.messages[size-2] // a fork
	var received, running sync.WaitGroup
	for i := range subscribers {
		filter := feed.Filter{}
		if i%5 == 0 {
			filter.Project = &last.Projects()[1]
		}
		subscription := c.subscribe(nil, filter)
		running.Go(func() {
			for {
				item, err := subscription.Next(b.Context())
				if errors.Is(err, feed.ErrClosed) {
					return
				}
				if err != nil {
					b.Errorf("Next: %v", err)
					return
				}
				if item.Message == last {
					received.Done()
				}
			}
		})
	}
	b.ReportAllocs()
	for b.Loop() {
		received.Add(subscribers)
		c.commit(people.messages...)
		received.Wait()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*size*subscribers), "ns/delivery")
	c.feed.Close()
	running.Wait()
}

// BenchmarkCatchUp measures one subscriber that reads from the block store.
func BenchmarkCatchUp(b *testing.B) {
	c, people := newChain(b, feed.Options{RingBlocks: 1}), newMessageSet(b, 1_000)
	for at := 0; at < len(people.messages); at += 25 {
		c.commit(people.messages[at : at+25]...)
	}
	c.commit()
	subscription := c.subscribe(&feed.Position{}, feed.Filter{})
	left := len(people.messages)
	for b.Loop() {
		if left == 0 {
			subscription, left = c.subscribe(&feed.Position{}, feed.Filter{}), len(people.messages)
		}
		if _, err := subscription.Next(b.Context()); err != nil {
			b.Fatal(err)
		}
		left--
	}
}
