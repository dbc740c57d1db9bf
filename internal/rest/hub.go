package rest

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	pb "makechain/gen/makechain"
)

// How a hub deals with its upstream.
const (
	// startTimeout is how long the first who listens waits for the upstream to say where the chain is.
	startTimeout = 10 * time.Second
	// turnTimeout bounds one turn of a listener that catches up.
	turnTimeout = 10 * time.Second
	// turnBytes is what a listener that catches up holds of the past, or one block if that is larger.
	turnBytes = 256 << 10
	// pageOverhead is what a page takes beside its events, about.
	pageOverhead = 512
	// headStart is how many blocks of the past a hub begins with: those who come back after a restart find their
	// place among them, and do not all catch up one by one.
	headStart = 128
	// minBackoff and maxBackoff are the first delay before a failed upstream is tried again and the longest.
	minBackoff = 50 * time.Millisecond
	maxBackoff = 2 * time.Second
)

// Why a listener is given nothing more.
var (
	errNotKept = errors.New("the position is no longer kept")
	errFuture  = errors.New("the position lies in the future")
	errClosing = errors.New("the gateway is closing")
)

// blockSource is where committed blocks come from.
type blockSource interface {
	// Height is the latest block.
	Height(ctx context.Context) (uint64, error)
	// Blocks gives the blocks from a number on, in order, until the context ends, take fails or the source does. It
	// fails with errNotKept when the first of them is gone.
	Blocks(ctx context.Context, from uint64, take func(*pb.GetBlockResponse) error) error
}

// hubConfig says what a hub reads and how much of that it holds.
type hubConfig struct {
	source blockSource
	// encode makes the events of a block that a filter takes.
	encode func(*pb.GetBlockResponse, *eventFilter) (*eventPage, error)
	ring   ringLimits
	turns  int // of listeners that catch up at a time
	log    *slog.Logger
}

// hub gives the events of committed blocks to listeners, in order, without gap or repeat.
//
// While somebody listens it follows its source, once for all of them: a block is read and encoded once, and its page is
// shared. A listener is a cursor that moves over the pages, so nobody waits for a slow one. Who falls behind the ring
// reads from the source on its own, in turns, until it is among the others again. A source that fails is asked again
// from where it stopped.
type hub struct {
	config hubConfig
	turns  chan struct{} // has room for the turns that may be taken at a time

	mu        sync.Mutex // guards what follows
	listeners int
	current   *following // nil while nobody listens
	closed    bool
}

func newHub(config hubConfig) *hub {
	return &hub{config: config, turns: make(chan struct{}, config.turns)}
}

// listen begins to listen at a cursor, or at the events to come when it is nil. The listener must leave.
func (h *hub) listen(ctx context.Context, from *eventCursor, filter *eventFilter) (*listener, error) {
	f, err := h.enter() //nolint:contextcheck // following outlives the one who began it
	if err != nil {
		return nil, err
	}
	l := &listener{hub: h, following: f, filter: filter}
	if err := l.begin(ctx, from); err != nil {
		l.leave()
		return nil, err
	}
	return l, nil
}

// enter counts a listener in. The first one starts to follow the source.
func (h *hub) enter() (*following, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errClosing
	}
	h.listeners++
	if h.current == nil {
		ctx, cancel := context.WithCancel(context.Background())
		h.current = newFollowing(h.config, cancel)
		go h.current.run(ctx)
	}
	return h.current, nil
}

// leave counts a listener out. The last one stops following, and so does one that could not begin, so that the next
// begins anew.
func (h *hub) leave(f *following) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.listeners--
	if h.listeners == 0 || h.current == f && f.at(0).failed != nil {
		h.stop()
	}
}

// stop ends the current following. The caller holds h.mu.
func (h *hub) stop() {
	if h.current != nil {
		h.current.cancel()
		h.current = nil
	}
}

// count is how many listen.
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
