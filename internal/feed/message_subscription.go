package feed

import (
	"context"
	"fmt"

	"makechain/internal/ident"
	"makechain/message"
)

// What a subscription holds at a time: as many messages as do not pass either bound, and at least one.
const (
	maxQueued      = 64
	maxQueuedBytes = 32 << 10
)

// Item is a committed message and where it stands.
type Item struct {
	Position

	Message *message.Envelope
}

// MessageSubscription is a subscription to messages. It is used by one goroutine, and needs no closing.
type MessageSubscription struct {
	feed   *Feed
	filter matcher
	next   Position // behind what was queued
	queue  []Item
	sent   int // of the queue
}

// SubscribeMessages subscribes to the messages that match a filter: to those that stand at a position or behind it, or
// to those that commit from now on when it is nil. A *PositionError refuses a position that is no longer kept
// or not there yet.
func (f *Feed) SubscribeMessages(from *Position, filter Filter) (*MessageSubscription, error) {
	next, err := f.start(from)
	if err != nil {
		return nil, err
	}
	return &MessageSubscription{feed: f, filter: filter.matcher(), next: next}, nil
}

// Next returns the next message, and waits for it when there is none. It ends with the error of ctx, with
// ErrClosed, or with ErrOutOfRange when the subscriber was so slow that its blocks are no longer kept. After an
// error other than that of ctx the subscription is of no use.
func (m *MessageSubscription) Next(ctx context.Context) (Item, error) {
	for m.sent == len(m.queue) {
		if err := m.fill(ctx); err != nil {
			return Item{}, err
		}
	}
	if err := ctx.Err(); err != nil {
		return Item{}, err
	}
	item := m.queue[m.sent]
	m.queue[m.sent] = Item{} // what was sent is not held on to
	m.sent++
	return item, nil
}

// fill takes messages from the next block, or waits for it.
func (m *MessageSubscription) fill(ctx context.Context) error {
	m.queue, m.sent = m.queue[:0], 0
	if err := ctx.Err(); err != nil {
		return err
	}
	now, err := m.feed.at(m.next.Height)
	if err != nil {
		return err
	}
	switch {
	case m.next.Height > now.latest:
		return wait(ctx, now)
	case now.recent != nil:
		recent := now.recent
		return m.take(len(recent.messages), func(i int) (*message.Envelope, []ident.Hash, error) {
			return recent.messages[i], recent.projects[i], nil
		})
	default:
		return m.fillFromDisk(now)
	}
}

// fillFromDisk decodes no more than it takes: a large block is read again rather than held.
func (m *MessageSubscription) fillFromDisk(now moment) error {
	height := m.next.Height
	transactions, err := m.feed.load(height, now)
	if err != nil {
		return err
	}
	return m.take(len(transactions), func(i int) (*message.Envelope, []ident.Hash, error) {
		decoded, refusal := message.Decode(transactions[i])
		if refusal != nil {
			return nil, nil, fmt.Errorf("feed: message %d of block %d: %w", i, height, refusal)
		}
		return decoded, decoded.Projects(), nil
	})
}

// take queues what matches of the n messages of a block, until the queue is full.
func (m *MessageSubscription) take(n int, at func(i int) (*message.Envelope, []ident.Hash, error)) error {
	bytes := 0
	for i := int(m.next.Index); i < n; i++ {
		candidate, projects, err := at(i)
		if err != nil {
			return err
		}
		if !m.filter.matches(candidate, projects) {
			continue
		}
		bytes += len(candidate.Transaction())
		if len(m.queue) == maxQueued || len(m.queue) > 0 && bytes > maxQueuedBytes {
			m.next.Index = uint32(i)
			return nil
		}
		m.queue = append(m.queue, Item{Position: Position{Height: m.next.Height, Index: uint32(i)}, Message: candidate})
	}
	m.next = Position{Height: m.next.Height + 1}
	return nil
}

// wait returns when there is a new block, or with the error of ctx.
func wait(ctx context.Context, now moment) error {
	select {
	case <-now.changed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
