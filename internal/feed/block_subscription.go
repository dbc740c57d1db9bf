package feed

import "context"

// BlockSubscription is a subscription to the heights of committed blocks. It must be used by one goroutine at a time and
// need not be closed.
type BlockSubscription struct {
	feed *Feed
	next uint64
}

// SubscribeBlocks subscribes to blocks from a height, or to blocks committed from now on if it is nil. It returns a
// *PositionError for a height that is no longer stored or not committed yet.
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

// Next waits for the next block and returns its height; the block can be read from the source then. It returns the same
// errors as MessageSubscription.Next.
func (b *BlockSubscription) Next(ctx context.Context) (uint64, error) {
	for {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		v, err := b.feed.viewAt(b.next)
		if err != nil {
			return 0, err
		}
		if b.next > v.latest {
			if err := wait(ctx, v); err != nil {
				return 0, err
			}
			continue
		}
		if v.block == nil && b.next < b.feed.lowest(v) {
			return 0, b.feed.outOfRange(b.next, v)
		}
		b.next++
		return b.next - 1, nil
	}
}
