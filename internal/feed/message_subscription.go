package feed

import (
	"context"
	"fmt"
	"time"

	"makechain/internal/ident"
	"makechain/internal/limit"
	"makechain/message"
)

// Limits of the messages that a subscription queues. It always queues at least one.
const (
	maxQueued      = 64
	maxQueuedBytes = 32 << 10
)

// Item is a committed message and its position.
type Item struct {
	Position

	Message *message.Envelope
}

// MessageSubscription is a subscription to messages. It must be used by one goroutine at a time and need not be closed.
type MessageSubscription struct {
	feed   *Feed
	filter matcher
	next   Position // after the queued messages
	queue  []Item
	sent   int // number of items of queue that Next returned
}

// SubscribeMessages subscribes to the messages that match a filter, from a position on, or to messages committed from now
// on if it is nil. It returns a *PositionError for a position that is no longer stored or not committed yet.
func (f *Feed) SubscribeMessages(from *Position, filter Filter) (*MessageSubscription, error) {
	next, err := f.start(from)
	if err != nil {
		return nil, err
	}
	return &MessageSubscription{feed: f, filter: filter.matcher(), next: next}, nil
}

// Next waits for the next message and returns it. It returns the error of ctx, ErrClosed, or ErrOutOfRange when the
// subscriber was so slow that its next block is no longer stored. After any error other than that of ctx, the
// subscription must not be used again.
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
	m.queue[m.sent] = Item{} // so that the message can be garbage collected
	m.sent++
	return item, nil
}

// fill queues messages of the next block, or waits for it.
func (m *MessageSubscription) fill(ctx context.Context) error {
	m.queue, m.sent = m.queue[:0], 0
	if err := ctx.Err(); err != nil {
		return err
	}
	v, err := m.feed.viewAt(m.next.Height)
	if err != nil {
		return err
	}
	switch {
	case m.next.Height > v.latest:
		return wait(ctx, v)
	case v.block != nil:
		return m.enqueue(len(v.block.messages), func(i int) (*message.Envelope, []ident.Hash, error) {
			return v.block.messages[i], v.block.projects[i], nil
		})
	default:
		return m.fillFromStore(ctx, v)
	}
}

// fillFromStore queues messages of a block that is not in the ring. It decodes only those: a large block is read again
// for the next ones, not kept in memory. A subscriber whose filter matches rarely reads much for little, so it is charged
// and waits while it has exceeded its budget.
func (m *MessageSubscription) fillFromStore(ctx context.Context, v view) error {
	if err := limit.Wait(ctx); err != nil {
		return err
	}
	height := m.next.Height
	transactions, err := m.feed.load(height, v)
	if err != nil {
		return err
	}
	cost := limit.CostBlock
	for _, transaction := range transactions[min(int(m.next.Index), len(transactions)):] {
		cost += limit.CostTransaction + time.Duration(len(transaction))*limit.CostByte
	}
	limit.Charge(ctx, cost)
	return m.enqueue(len(transactions), func(i int) (*message.Envelope, []ident.Hash, error) {
		decoded, refusal := message.Decode(transactions[i])
		if refusal != nil {
			return nil, nil, fmt.Errorf("feed: message %d of block %d: %w", i, height, refusal)
		}
		return decoded, decoded.Projects(), nil
	})
}

// enqueue queues the matching ones of the n messages of a block until the queue is full.
func (m *MessageSubscription) enqueue(n int, at func(i int) (*message.Envelope, []ident.Hash, error)) error {
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

// wait waits until a block is added, or returns the error of ctx.
func wait(ctx context.Context, v view) error {
	select {
	case <-v.changed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
