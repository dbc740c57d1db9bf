package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/limit"
)

// firstBlock is the first block with events; block 0 is genesis.
const firstBlock = 1

// listener reads the events of a hub. It must be used by one goroutine only.
type listener struct {
	hub          *hub
	subscription *subscription
	filter       *eventFilter
	cursor       eventCursor  // the next event to return
	backlog      []*eventPage // pages from the cursor on that are no longer in the ring
}

// close removes the listener from the hub.
func (l *listener) close() { l.hub.unsubscribe(l.subscription) }

// start sets the cursor. If the position is no longer in the ring, it reads the first events from the source, so that an
// error is returned before the stream starts.
func (l *listener) start(ctx context.Context, from *eventCursor) error {
	select {
	case <-l.subscription.started:
	case <-ctx.Done():
		return ctx.Err()
	}
	now := l.subscription.at(0)
	if now.err != nil {
		return now.err
	}
	l.cursor = eventCursor{block: now.next}
	if from == nil {
		return nil
	}
	if from.after(l.cursor) { // the source may have a block that the hub has not received yet
		height, err := l.hub.config.source.Height(ctx)
		if err != nil {
			return err
		}
		if from.after(eventCursor{block: height + 1}) {
			return errFuture
		}
	}
	l.cursor = *from
	if l.cursor.block < firstBlock {
		l.cursor = eventCursor{block: firstBlock}
	}
	if l.cursor.block < now.low {
		_, err := l.catchUp(ctx, nil, now.low)
		return err
	}
	return nil
}

// next returns the next page and the index of its first event to send. It returns no page when a heartbeat is due.
func (l *listener) next(ctx context.Context, heartbeat <-chan time.Time) (page *eventPage, from uint32, err error) {
	for {
		select {
		case <-heartbeat:
			return nil, 0, nil
		default:
		}
		if len(l.backlog) > 0 {
			page, l.backlog = l.backlog[0], l.backlog[1:]
			return page, l.advance(page), nil
		}
		now := l.subscription.at(l.cursor.block)
		switch {
		case now.err != nil:
			return nil, 0, now.err
		case now.page != nil:
			return now.page, l.advance(now.page), nil
		}
		var isDue bool
		if l.cursor.block < now.low {
			isDue, err = l.catchUp(ctx, heartbeat, now.low)
			if err != nil && !errors.Is(err, errPruned) && ctx.Err() == nil { // retry while the source fails
				retry := make(chan struct{})
				timer := time.AfterFunc(maxBackoff, func() { close(retry) })
				isDue, err = await(ctx, retry, heartbeat)
				timer.Stop()
			}
		} else {
			isDue, err = await(ctx, now.changed, heartbeat)
		}
		if isDue || err != nil {
			return nil, 0, err
		}
	}
}

// advance moves the cursor behind a page and returns the index that it had in the page.
func (l *listener) advance(page *eventPage) uint32 {
	from := l.cursor.index
	l.cursor = eventCursor{block: page.number + 1}
	return from
}

// hasMore reports whether next would return a page without waiting.
func (l *listener) hasMore() bool {
	return len(l.backlog) > 0 || l.subscription.at(l.cursor.block).page != nil
}

// await waits until a channel is closed, a heartbeat is due or ctx is done.
func await(ctx context.Context, closed <-chan struct{}, heartbeat <-chan time.Time) (isDue bool, err error) {
	select {
	case <-closed:
		return false, nil
	case <-heartbeat:
		return true, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// catchUp reads from the source into the backlog, when fewer than hubConfig.maxCatchUps listeners do so. It does not wait
// for the client of the listener, so slow clients do not keep others from reading. A client that has exceeded its budget waits
// before it counts.
func (l *listener) catchUp(ctx context.Context, heartbeat <-chan time.Time, until uint64) (isDue bool, err error) {
	if err := limit.Wait(ctx); err != nil {
		return false, err
	}
	select {
	case l.hub.catchUps <- struct{}{}:
		defer func() { <-l.hub.catchUps }()
		return false, l.read(ctx, until)
	case <-heartbeat:
		return true, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// errReadEnough ends a read.
var errReadEnough = errors.New("enough blocks were read")

// read fills the backlog from the cursor on, up to a block that is in the ring or to readBytes.
func (l *listener) read(ctx context.Context, until uint64) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	next, bytes := l.cursor.block, 0
	err := l.hub.config.source.Blocks(ctx, next, func(block *pb.GetBlockResponse) error {
		page, err := l.hub.config.encode(block, l.filter)
		if err != nil {
			return err
		}
		if page.number != next {
			return fmt.Errorf("received block %d, want %d", page.number, next)
		}
		l.backlog = append(l.backlog, page)
		next, bytes = next+1, bytes+len(page.bytes)+pageOverhead
		if next >= until || bytes >= readBytes {
			return errReadEnough
		}
		return nil
	})
	if len(l.backlog) > 0 {
		return nil // the next read returns the error again
	}
	return cmp.Or(err, errEnded)
}
