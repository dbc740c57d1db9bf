// Package feed delivers committed blocks and messages to subscribers, in order, without gaps or duplicates (P10.7).
//
// A subscription is a position. It reads from a ring of recent blocks that all subscriptions share, or from the block
// store when it has fallen behind the ring. A slow subscriber therefore costs as much as a fast one, its position and a
// few messages, and does not delay others: Committed never blocks. The feed starts no goroutine.
//
// Filters depend on the message only, so that a message from the ring and one from the block store match alike.
package feed

import (
	"errors"
	"fmt"
	"sync"

	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/message"
)

const (
	// DefaultRingBlocks is the number of recent blocks in the ring.
	DefaultRingBlocks = 1_024
	// DefaultRingBytes is the size of the transactions in the ring; in memory they take about three times as much.
	DefaultRingBytes = 8 << 20
)

// Source is the block store. A block must be stored before Committed is called for it.
type Source interface {
	// Base returns the lowest height that is stored, 0 when there is none.
	Base() uint64
	// Transactions returns the transactions of a block in order, empty but not nil for a block without transactions, and
	// nil for a block that is not stored.
	Transactions(height uint64) ([][]byte, error)
}

// Options are the options of a feed. Zero values mean the defaults.
type Options struct {
	RingBlocks int
	RingBytes  int
}

// ErrClosed is returned by the subscriptions of a closed feed.
var ErrClosed = errors.New("the feed is closed")

// Feed delivers committed blocks. Its methods are safe for concurrent use.
type Feed struct {
	source  Source
	options Options

	mu      sync.RWMutex  // guards the fields below
	latest  uint64        // height of the latest committed block
	ring    []*block      // the most recent blocks, oldest first
	bytes   int           // size of the transactions in ring
	changed chan struct{} // closed and replaced by Committed
	closed  bool
}

// block is a committed block in the ring.
type block struct {
	height   uint64
	messages []*message.Envelope
	projects [][]ident.Hash // of each message, computed once for all subscriptions
	bytes    int
}

// New returns the feed of a chain. The height is that of the latest committed block, 0 when there is none.
func New(source Source, height uint64, options Options) *Feed {
	if options.RingBlocks == 0 {
		options.RingBlocks = DefaultRingBlocks
	}
	if options.RingBytes == 0 {
		options.RingBytes = DefaultRingBytes
	}
	return &Feed{source: source, options: options, latest: height, changed: make(chan struct{})}
}

// Committed adds a durable block. Blocks must be added in order; a block that was added before is ignored. After a gap,
// which state sync causes, the ring is emptied.
func (f *Feed) Committed(committed *ledger.Committed) {
	next := newBlock(committed)
	f.mu.Lock()
	defer f.mu.Unlock()
	if next.height <= f.latest || f.closed {
		return
	}
	if next.height != f.latest+1 {
		f.ring, f.bytes = nil, 0
	}
	f.latest = next.height
	f.ring, f.bytes = append(f.ring, next), f.bytes+next.bytes
	f.trim()
	close(f.changed)
	f.changed = make(chan struct{})
}

func newBlock(committed *ledger.Committed) *block {
	b := &block{
		height:   committed.Height,
		messages: make([]*message.Envelope, len(committed.Applied)),
		projects: make([][]ident.Hash, len(committed.Applied)),
	}
	for i, applied := range committed.Applied {
		b.messages[i], b.projects[i] = applied.Message, applied.Message.Projects()
		b.bytes += len(applied.Message.Transaction())
	}
	return b
}

// trim drops the oldest blocks of a ring that is too large, but not the newest block. f.mu must be held.
func (f *Feed) trim() {
	for len(f.ring) > 1 && (len(f.ring) > f.options.RingBlocks || f.bytes > f.options.RingBytes) {
		f.bytes -= f.ring[0].bytes
		f.ring[0] = nil // the slice keeps its backing array
		f.ring = f.ring[1:]
	}
}

// Close closes the feed. All subscriptions return ErrClosed.
func (f *Feed) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed {
		f.closed = true
		close(f.changed)
	}
}

// view is a consistent view of the feed for a subscription that needs a block.
type view struct {
	latest     uint64
	block      *block          // nil when it is not in the ring
	ringLowest uint64          // lowest height in the ring; 0 when the ring is empty
	changed    <-chan struct{} // closed when a block is added
}

// viewAt returns the view of a block.
func (f *Feed) viewAt(height uint64) (view, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.closed {
		return view{}, ErrClosed
	}
	v := view{latest: f.latest, changed: f.changed}
	if len(f.ring) > 0 {
		v.ringLowest = f.ring[0].height
		if height >= v.ringLowest && height <= f.latest {
			v.block = f.ring[height-v.ringLowest]
		}
	}
	return v, nil
}

// load reads the transactions of a block from the block store.
func (f *Feed) load(height uint64, v view) ([][]byte, error) {
	transactions, err := f.source.Transactions(height)
	switch {
	case transactions != nil && err == nil:
		return transactions, nil
	case height < f.lowest(v): // checked after reading, because blocks can be pruned meanwhile
		return nil, f.outOfRange(height, v)
	case err != nil:
		return nil, fmt.Errorf("feed: read block %d: %w", height, err)
	default:
		return nil, fmt.Errorf("feed: block %d is missing", height)
	}
}
