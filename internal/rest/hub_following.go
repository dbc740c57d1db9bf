package rest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	pb "makechain/gen/makechain"
	"makechain/internal/backoff"
)

// errEnded is what a source that just stops has failed with.
var errEnded = errors.New("the stream of blocks ended")

// following is the time in which a hub follows its source, from when somebody begins to listen to when nobody does any
// more.
type following struct {
	config hubConfig
	cancel context.CancelFunc
	begun  chan struct{} // closed when it is known where the chain is, or that this cannot be known

	mu      sync.RWMutex // guards what follows
	ring    eventRing
	edge    uint64        // the first block that was not there when following began
	failed  error         // why it could not begin, or that it has ended
	changed chan struct{} // closed when any of this changes
}

func newFollowing(config hubConfig, cancel context.CancelFunc) *following {
	return &following{
		config: config, cancel: cancel, begun: make(chan struct{}), changed: make(chan struct{}),
		ring: eventRing{limits: config.ring},
	}
}

// run follows the source until the context ends.
func (f *following) run(ctx context.Context) {
	err := f.start(ctx)
	if err != nil {
		f.end(err)
	}
	close(f.begun)
	if err != nil {
		return
	}
	delay := backoff.New(minBackoff, maxBackoff)
	for ctx.Err() == nil {
		before := f.next()
		err := f.follow(ctx)
		if errors.Is(err, errNotKept) {
			err = f.skip(ctx)
		}
		if f.next() != before {
			delay.Reset()
		}
		if err != nil && ctx.Err() == nil {
			f.report(ctx, err, delay.IsInitial())
			_ = delay.Wait(ctx) // the loop checks the context
		}
	}
	f.end(errClosing)
}

// start asks where the chain is, and begins a little before it.
func (f *following) start(ctx context.Context) error {
	height, err := f.height(ctx)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.edge = height + 1
	f.ring.reset(max(f.edge, headStart+firstBlock) - headStart)
	return nil
}

func (f *following) height(ctx context.Context) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	return f.config.source.Height(ctx)
}

// follow takes blocks from the source until that fails.
func (f *following) follow(ctx context.Context) error {
	if err := f.config.source.Blocks(ctx, f.next(), f.take); err != nil {
		return err
	}
	return errEnded
}

func (f *following) take(block *pb.GetBlockResponse) error {
	page, err := f.config.encode(block, nil)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if next := f.ring.next(); page.number != next {
		return fmt.Errorf("block %d came instead of %d", page.number, next)
	}
	f.ring.add(page)
	f.announce()
	return nil
}

// skip goes on at the latest block, or behind the one that is not kept. Listeners that wanted what lies between find out
// when they try to catch up.
func (f *following) skip(ctx context.Context) error {
	height, err := f.height(ctx)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ring.reset(max(height, f.ring.next()+1))
	f.announce()
	return nil
}

// report logs that the source failed; while it goes on failing, not every time.
func (f *following) report(ctx context.Context, err error, isFirst bool) {
	level := slog.LevelDebug
	if isFirst {
		level = slog.LevelWarn
	}
	f.config.log.LogAttrs(ctx, level, "the stream of blocks broke off and is resumed",
		slog.Uint64("block", f.next()), slog.String("error", err.Error()))
}

func (f *following) next() uint64 {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.ring.next()
}

func (f *following) end(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failed = err
	f.announce()
}

// announce wakes the listeners. The caller holds f.mu.
func (f *following) announce() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// moment is how things stand for a listener that wants a block.
type moment struct {
	page    *eventPage    // the block, when it is in the ring
	low     uint64        // the lowest block of the ring
	now     uint64        // the block to come
	failed  error         // nothing more comes
	changed chan struct{} // closed when there is more
}

func (f *following) at(number uint64) moment {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return moment{
		page: f.ring.at(number), low: f.ring.low, now: max(f.edge, f.ring.next()), failed: f.failed, changed: f.changed,
	}
}
