package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	pb "makechain/gen/makechain"
)

// firstBlock is the first block with events; block 0 is genesis.
const firstBlock = 1

// listener moves over the events of a hub. It is used by one goroutine.
type listener struct {
	hub       *hub
	following *following
	filter    *eventFilter
	cursor    eventCursor  // the first event that was not given yet
	backlog   []*eventPage // pages of the past, up to the cursor
}

// leave ends listening.
func (l *listener) leave() { l.hub.leave(l.following) }

// begin finds the first event. A listener that wants what the ring no longer has reads some of it at once, so that it
// is known before its stream begins whether that can be had.
func (l *listener) begin(ctx context.Context, from *eventCursor) error {
	select {
	case <-l.following.begun:
	case <-ctx.Done():
		return ctx.Err()
	}
	now := l.following.at(0)
	if now.failed != nil {
		return now.failed
	}
	l.cursor = eventCursor{block: now.now}
	if from == nil {
		return nil
	}
	if from.after(l.cursor) {
		if err := l.checkFuture(ctx, *from); err != nil {
			return err
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

// checkFuture refuses a cursor behind the next block, which the source may know and the hub not yet.
func (l *listener) checkFuture(ctx context.Context, from eventCursor) error {
	height, err := l.hub.config.source.Height(ctx)
	if err == nil && from.after(eventCursor{block: height + 1}) {
		err = errFuture
	}
	return err
}

// next gives the next page and the place in it from which on its events are wanted. It gives no page when it is time
// for a sign of life.
func (l *listener) next(ctx context.Context, beat <-chan time.Time) (page *eventPage, from uint32, err error) {
	for {
		select {
		case <-beat:
			return nil, 0, nil
		default:
		}
		if len(l.backlog) > 0 {
			page, l.backlog = l.backlog[0], l.backlog[1:]
			return page, l.pass(page), nil
		}
		now := l.following.at(l.cursor.block)
		switch {
		case now.failed != nil:
			return nil, 0, now.failed
		case now.page != nil:
			return now.page, l.pass(now.page), nil
		}
		var isDue bool
		if l.cursor.block < now.low {
			isDue, err = l.tryCatchUp(ctx, beat, now.low)
		} else {
			isDue, err = await(ctx, now.changed, beat)
		}
		if isDue || err != nil {
			return nil, 0, err
		}
	}
}

// pass moves the cursor behind a page and gives the place in it that it had.
func (l *listener) pass(page *eventPage) uint32 {
	from := l.cursor.index
	l.cursor = eventCursor{block: page.number + 1}
	return from
}

// isLate says whether there is more to be had at once.
func (l *listener) isLate() bool {
	return len(l.backlog) > 0 || l.following.at(l.cursor.block).page != nil
}

// tryCatchUp catches up with patience: a source that fails is asked again.
func (l *listener) tryCatchUp(ctx context.Context, beat <-chan time.Time, until uint64) (isDue bool, err error) {
	isDue, err = l.catchUp(ctx, beat, until)
	if err == nil || errors.Is(err, errNotKept) || ctx.Err() != nil {
		return isDue, err
	}
	pause := make(chan struct{})
	defer time.AfterFunc(maxBackoff, func() { close(pause) }).Stop()
	return await(ctx, pause, beat)
}

// await waits for something to happen, or for a sign of life to be due.
func await(ctx context.Context, happened <-chan struct{}, beat <-chan time.Time) (isDue bool, err error) {
	select {
	case <-happened:
		return false, nil
	case <-beat:
		return true, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// catchUp takes a turn at the source. A turn never waits for the listener's own client, so slow clients do not keep
// others from theirs.
func (l *listener) catchUp(ctx context.Context, beat <-chan time.Time, until uint64) (isDue bool, err error) {
	select {
	case l.hub.turns <- struct{}{}:
		defer func() { <-l.hub.turns }()
		return false, l.read(ctx, until)
	case <-beat:
		return true, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// errEnough ends a turn.
var errEnough = errors.New("enough was read")

// read fills the backlog from the cursor on, until the ring has what follows or there is enough for now.
func (l *listener) read(ctx context.Context, until uint64) error {
	ctx, cancel := context.WithTimeout(ctx, turnTimeout)
	defer cancel()
	next, bytes := l.cursor.block, 0
	err := l.hub.config.source.Blocks(ctx, next, func(block *pb.GetBlockResponse) error {
		page, err := l.hub.config.encode(block, l.filter)
		if err != nil {
			return err
		}
		if page.number != next {
			return fmt.Errorf("block %d came instead of %d", page.number, next)
		}
		l.backlog = append(l.backlog, page)
		next, bytes = next+1, bytes+len(page.bytes)+pageOverhead
		if next >= until || bytes >= turnBytes {
			return errEnough
		}
		return nil
	})
	if len(l.backlog) > 0 {
		return nil // whatever ended the turn, the next one meets it again
	}
	return cmp.Or(err, errEnded)
}
