package rest

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	pb "makechain/gen/makechain"
)

const (
	// startTimeout is how long the first listener waits for the height of the chain.
	startTimeout = 10 * time.Second
	// readTimeout bounds one read of a listener that catches up.
	readTimeout = 10 * time.Second
	// readBytes is the size of the events that a listener reads at once to catch up, or one block if that is larger.
	readBytes = 256 << 10
	// pageOverhead is the approximate size of a page without its events.
	pageOverhead = 512
	// lookback is the number of past blocks that a hub starts with, so that clients that reconnect after a restart find
	// their position in the ring and do not all catch up on their own.
	lookback = 128
)

// Errors that end a listener.
var (
	errPruned  = errors.New("the position is no longer available")
	errFuture  = errors.New("the position is in the future")
	errClosing = errors.New("the gateway is closing")
)

// blockSource provides committed blocks.
type blockSource interface {
	// Height returns the latest height.
	Height(ctx context.Context) (uint64, error)
	// Blocks sends the blocks from a height on, in order, until ctx is done, send fails or the source ends the stream. It
	// returns errPruned if the first block is no longer available.
	Blocks(ctx context.Context, from uint64, send func(*pb.GetBlockResponse) error) error
}

// hubConfig configures a hub.
type hubConfig struct {
	source blockSource
	// encode returns the events of a block that match a filter.
	encode      func(*pb.GetBlockResponse, *eventFilter) (*eventPage, error)
	ring        ringLimits
	maxCatchUps int // listeners that catch up at a time
	log         *slog.Logger
}

// hub delivers the events of committed blocks to listeners, in order, without gaps or repetitions.
//
// While there are listeners, one subscription reads the source for all of them: each block is read and encoded once, and
// its page is shared. A listener is a cursor over the pages, so a slow listener does not delay others. A listener that falls
// behind the ring reads from the source itself until it has caught up; the number that do so at a time is limited. If the
// source fails, the subscription resumes where it stopped.
type hub struct {
	config   hubConfig
	catchUps chan struct{} // semaphore of listeners that catch up

	mu           sync.Mutex // guards the fields below
	listeners    int
	subscription *subscription // nil while there are no listeners
	closed       bool
}

func newHub(config hubConfig) *hub {
	return &hub{config: config, catchUps: make(chan struct{}, config.maxCatchUps)}
}

// listen returns a listener at a cursor, or at the next event if it is nil. The caller must close the listener.
func (h *hub) listen(ctx context.Context, from *eventCursor, filter *eventFilter) (*listener, error) {
	s, err := h.subscribe() //nolint:contextcheck // the subscription outlives the listener that started it
	if err != nil {
		return nil, err
	}
	l := &listener{hub: h, subscription: s, filter: filter}
	if err := l.start(ctx, from); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

// subscribe adds a listener to the subscription, which the first one starts.
func (h *hub) subscribe() (*subscription, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errClosing
	}
	h.listeners++
	if h.subscription == nil {
		ctx, cancel := context.WithCancel(context.Background())
		h.subscription = newSubscription(h.config, cancel)
		go h.subscription.run(ctx)
	}
	return h.subscription, nil
}

// unsubscribe removes a listener. The subscription ends with its last listener, or if it could not start, so that the next
// listener starts a new one.
func (h *hub) unsubscribe(s *subscription) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.listeners--
	if h.listeners == 0 || h.subscription == s && s.at(0).err != nil {
		h.stop()
	}
}

// stop ends the subscription. h.mu must be held.
func (h *hub) stop() {
	if h.subscription != nil {
		h.subscription.cancel()
		h.subscription = nil
	}
}

// count returns the number of listeners.
func (h *hub) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.listeners
}

// close ends all listeners.
func (h *hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	h.stop()
}
