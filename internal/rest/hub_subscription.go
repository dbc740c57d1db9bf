package rest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/backoff"
)

// Bounds of the backoff between attempts to reach an upstream that fails.
const (
	minBackoff = 50 * time.Millisecond
	maxBackoff = 2 * time.Second
)

// errEnded is returned when the source ends the stream without an error.
var errEnded = errors.New("the stream of blocks ended")

// subscription reads the blocks of a hub's source while there are listeners.
type subscription struct {
	config  hubConfig
	cancel  context.CancelFunc
	started chan struct{} // closed when the height of the chain is set, or err

	mu      sync.RWMutex // guards the fields below
	ring    eventRing
	edge    uint64        // the first block that did not exist at the start
	err     error         // why it could not start, or that it has ended
	changed chan struct{} // closed when any of these fields changes
}

func newSubscription(config hubConfig, cancel context.CancelFunc) *subscription {
	return &subscription{
		config: config, cancel: cancel, started: make(chan struct{}), changed: make(chan struct{}),
		ring: eventRing{limits: config.ring},
	}
}

// run reads blocks until ctx is done, and resumes with backoff when the source fails.
func (s *subscription) run(ctx context.Context) {
	err := s.start(ctx)
	if err != nil {
		s.end(err)
	}
	close(s.started)
	if err != nil {
		return
	}
	delay := backoff.New(minBackoff, maxBackoff)
	for ctx.Err() == nil {
		before := s.next()
		err := s.config.source.Blocks(ctx, before, s.add)
		switch {
		case err == nil:
			err = errEnded
		case errors.Is(err, errPruned):
			err = s.skip(ctx)
		}
		if s.next() != before {
			delay.Reset()
		}
		if err == nil || ctx.Err() != nil {
			continue
		}
		level := slog.LevelDebug
		if delay.IsInitial() { // log repeated failures only once
			level = slog.LevelWarn
		}
		s.config.log.LogAttrs(ctx, level, "the stream of blocks failed and is resumed",
			slog.Uint64("block", s.next()), slog.String("error", err.Error()))
		_ = delay.Wait(ctx) // the loop checks the context
	}
	s.end(errClosing)
}

// start sets the position to lookback blocks before the latest one.
func (s *subscription) start(ctx context.Context) error {
	height, err := s.height(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.edge = height + 1
	s.ring.reset(max(s.edge, lookback+firstBlock) - lookback)
	return nil
}

func (s *subscription) height(ctx context.Context) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	return s.config.source.Height(ctx)
}

// add adds the next block to the ring.
func (s *subscription) add(block *pb.GetBlockResponse) error {
	page, err := s.config.encode(block, nil)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if next := s.ring.next(); page.number != next {
		return fmt.Errorf("received block %d, want %d", page.number, next)
	}
	s.ring.add(page)
	s.notify()
	return nil
}

// skip continues at the latest block after a block that the source no longer has. Listeners that need the blocks in
// between receive errPruned when they try to catch up.
func (s *subscription) skip(ctx context.Context) error {
	height, err := s.height(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ring.reset(max(height, s.ring.next()+1))
	s.notify()
	return nil
}

func (s *subscription) next() uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.ring.next()
}

func (s *subscription) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
	s.notify()
}

// notify wakes the listeners. s.mu must be held.
func (s *subscription) notify() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// subscriptionState is the state of a subscription for a listener that needs a block.
type subscriptionState struct {
	page    *eventPage    // the block, nil if it is not in the ring
	low     uint64        // the lowest block in the ring
	next    uint64        // the next block of the chain
	err     error         // the subscription has ended
	changed chan struct{} // closed when the state changes
}

func (s *subscription) at(number uint64) subscriptionState {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return subscriptionState{
		page: s.ring.at(number), low: s.ring.low, next: max(s.edge, s.ring.next()), err: s.err, changed: s.changed,
	}
}
