// Package feed gives committed blocks to subscribers, in order, without gap or repeat (P10.7).
//
// A subscription is a position. It reads on from there whenever it is asked: from a ring of recent blocks that
// all subscriptions share, or from disk when it fell behind the ring. So a slow subscriber costs what a fast
// one does, its position and a few messages at a time, and nobody waits for it: telling the feed of a block
// never blocks. The feed starts no goroutine.
//
// Live and from disk, a message is the same message: filters look at nothing but the message itself.
package feed

import (
	"errors"
	"fmt"
	"sync"

	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/message"
)

// Defaults of the ring of recent blocks.
const (
	DefaultRingBlocks = 1_024
	DefaultRingBytes  = 8 << 20 // of transactions, which take up three times that in memory
)

// Source is where committed blocks are on disk.
type Source interface {
	// Base is the lowest height kept, 0 when no block is.
	Base() uint64
	// Transactions are those of a block in order, empty but not nil for a block without any, nil for a block
	// that is not kept. A block is there before the feed is told of it.
	Transactions(height uint64) ([][]byte, error)
}

// Options of a feed. Zero values mean the defaults.
type Options struct {
	RingBlocks int
	RingBytes  int
}

// ErrClosed ends the subscriptions of a feed that was closed.
var ErrClosed = errors.New("the feed is closed")

// Feed hands out committed blocks. Its methods may be called by several goroutines.
type Feed struct {
	source  Source
	options Options

	mu      sync.RWMutex // guards what follows
	latest  uint64       // the last committed block
	ring    []*block     // the blocks up to latest, as many as there is room for
	bytes   int          // of their transactions
	changed chan struct{}
	closed  bool
}

// block is a committed block in the ring.
type block struct {
	height   uint64
	messages []*message.Envelope
	projects [][]ident.Hash // that each is about, so that not every subscriber works it out
	bytes    int
}

// New makes the feed of a chain whose last committed block has a height, 0 when it has none.
func New(source Source, height uint64, options Options) *Feed {
	if options.RingBlocks == 0 {
		options.RingBlocks = DefaultRingBlocks
	}
	if options.RingBytes == 0 {
		options.RingBytes = DefaultRingBytes
	}
	return &Feed{source: source, options: options, latest: height, changed: make(chan struct{})}
}

// Committed tells of a block once it is durable. Blocks come in order; one that is known already changes
// nothing. After a gap, as when a node took over a state from others, the ring begins anew.
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

// trim drops the oldest blocks from a ring that is too large, but never the newest. The caller holds f.mu.
func (f *Feed) trim() {
	for len(f.ring) > 1 && (len(f.ring) > f.options.RingBlocks || f.bytes > f.options.RingBytes) {
		f.bytes -= f.ring[0].bytes
		f.ring[0] = nil // the array behind the slice lives on for a while
		f.ring = f.ring[1:]
	}
}

// Close ends all subscriptions with ErrClosed.
func (f *Feed) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed {
		f.closed = true
		close(f.changed)
	}
}

// moment is how things stand for a subscription that wants a block.
type moment struct {
	latest  uint64
	recent  *block          // the block, when it is in the ring
	lowest  uint64          // block that can be read from the ring; 0 when that is empty
	changed <-chan struct{} // closed when there is more
}

// at looks for a block.
func (f *Feed) at(height uint64) (moment, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.closed {
		return moment{}, ErrClosed
	}
	m := moment{latest: f.latest, changed: f.changed}
	if len(f.ring) > 0 {
		m.lowest = f.ring[0].height
		if height >= m.lowest && height <= f.latest {
			m.recent = f.ring[height-m.lowest]
		}
	}
	return m, nil
}

// load reads the transactions of a block from disk.
func (f *Feed) load(height uint64, m moment) ([][]byte, error) {
	transactions, err := f.source.Transactions(height)
	switch {
	case transactions != nil && err == nil:
		return transactions, nil
	case height < f.lowest(m): // asked after the fact, since blocks can be dropped while they are read
		return nil, f.outOfRange(height, m)
	case err != nil:
		return nil, fmt.Errorf("feed: read block %d: %w", height, err)
	default:
		return nil, fmt.Errorf("feed: block %d is missing", height)
	}
}
