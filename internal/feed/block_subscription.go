package feed

import "context"

// BlockSubscription is a subscription to the heights of committed blocks. It is used by one goroutine, and needs no
// closing.
type BlockSubscription struct {
	feed *Feed
	next uint64
}

// SubscribeBlocks subscribes to blocks from a height on, or to those that commit from now on when it is nil. Heights are
// refused like positions of messages.
func (f *Feed) SubscribeBlocks(from *uint64) (*BlockSubscription, error) {
	var position *Position
	if from != nil {
		position = &Position{Height: *from}
	}
	next, err := f.start(position)
	if err != nil {
		return nil, err
	}
	return &BlockSubscription{feed: f, next: next.Height}, nil
}

// Next returns the height of the next block, which can be read when it is there, and ends like that of
// messages.
func (b *BlockSubscription) Next(ctx context.Context) (uint64, error) {
	for {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		now, err := b.feed.at(b.next)
		if err != nil {
			return 0, err
		}
		if b.next > now.latest {
			if err := wait(ctx, now); err != nil {
				return 0, err
			}
			continue
		}
		if now.recent == nil && b.next < b.feed.lowest(now) {
			return 0, b.feed.outOfRange(b.next, now)
		}
		b.next++
		return b.next - 1, nil
	}
}
