package rest

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"

	pb "makechain/gen/makechain"
)

// errCut ends the subscriptions of a chain in breakOff.
var errCut = errors.New("the connection was cut")

// memoryChain is a block source in memory.
type memoryChain struct {
	mu      sync.Mutex // guards what follows
	blocks  []*pb.GetBlockResponse
	base    uint64 // the lowest block that is kept
	isDown  bool
	changed chan struct{} // closed when there is a block
	cut     chan struct{} // closed to end the subscriptions
	calls   int           // subscriptions so far
	open    int           // subscriptions now
}

func newMemoryChain() *memoryChain {
	return &memoryChain{base: firstBlock, changed: make(chan struct{}), cut: make(chan struct{})}
}

// commit adds a block of messages that have only a type.
func (c *memoryChain) commit(types ...pb.MessageType) {
	messages := make([]*pb.Message, len(types))
	for i, kind := range types {
		messages[i] = &pb.Message{Data: &pb.MessageData{Type: kind}}
	}
	c.add(messages)
}

// add adds a block of messages.
func (c *memoryChain) add(messages []*pb.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	number := uint64(len(c.blocks)) + 1
	for i, m := range messages {
		m.BlockNumber, m.Index = number, uint32(i)
	}
	c.blocks = append(c.blocks, &pb.GetBlockResponse{
		Block:            &pb.Block{Header: &pb.BlockHeader{Height: &pb.Height{BlockNumber: number}}},
		ExecutionPayload: &pb.ExecutionPayload{BlockNumber: number, AccountMessages: messages},
	})
	close(c.changed)
	c.changed = make(chan struct{})
}

// breakOff ends all subscriptions. A chain that is down refuses new ones.
func (c *memoryChain) breakOff(isDown bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.isDown = isDown
	close(c.cut)
	c.cut = make(chan struct{})
}

// prune deletes the blocks below a number. The next block is always available.
func (c *memoryChain) prune(base uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.base = max(c.base, min(base, uint64(len(c.blocks))+1))
}

// kept returns the lowest and the latest block.
func (c *memoryChain) kept() (lowest, latest uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.base, uint64(len(c.blocks))
}

func (c *memoryChain) subscriptions() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls
}

func (c *memoryChain) subscribed() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open
}

func (c *memoryChain) Height(context.Context) (uint64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isDown {
		return 0, errCut
	}
	return uint64(len(c.blocks)), nil
}

func (c *memoryChain) Blocks(ctx context.Context, from uint64, take func(*pb.GetBlockResponse) error) error {
	c.mu.Lock()
	cut := c.cut
	c.calls, c.open = c.calls+1, c.open+1
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.open--
	}()
	for {
		block, changed, err := c.block(from)
		if err != nil {
			return err
		}
		if block != nil {
			if err := take(block); err != nil {
				return err
			}
			from++
		}
		select {
		case <-changed:
		case <-cut:
			return errCut
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// block returns a block by number. changed is closed when the chain changes.
func (c *memoryChain) block(number uint64) (block *pb.GetBlockResponse, changed <-chan struct{}, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.isDown:
		return nil, nil, errCut
	case number < c.base:
		return nil, nil, errPruned
	case number > uint64(len(c.blocks)):
		return nil, c.changed, nil
	default:
		now := make(chan struct{})
		close(now)
		return c.blocks[number-1], now, nil
	}
}

// want returns the ids of the events that a listener must receive from a cursor on.
func (c *memoryChain) want(from eventCursor, filter *eventFilter) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var ids []string
	for _, block := range c.blocks {
		for _, m := range block.GetExecutionPayload().GetAccountMessages() {
			at := eventCursor{block: m.GetBlockNumber(), index: m.GetIndex()}
			if !from.after(at) && filter.matches(&eventSubject{messageType: m.GetData().GetType()}) {
				ids = append(ids, messageID(at.block, at.index))
			}
		}
	}
	return ids
}

// encodeIDs encodes each message as its id, like encodeMessages.
func encodeIDs(block *pb.GetBlockResponse, filter *eventFilter) (*eventPage, error) {
	page := &eventPage{number: blockNumber(block)}
	for i, m := range block.GetExecutionPayload().GetAccountMessages() {
		event, subject := pageEvent{}, &eventSubject{messageType: m.GetData().GetType()}
		if filter == nil {
			event.subject = subject
		}
		if filter.matches(subject) {
			page.bytes = append(page.bytes, messageID(page.number, uint32(i))+"\n"...)
		}
		event.end = len(page.bytes)
		page.events = append(page.events, event)
	}
	return page, nil
}

// idsOf decodes the events of encodeIDs.
func idsOf(page *eventPage, from uint32, filter *eventFilter) []string {
	var text strings.Builder
	for run := range page.runs(from, filter) {
		text.Write(run)
	}
	return strings.Fields(text.String())
}

func newTestHub(chain *memoryChain, ringBlocks int) *hub {
	return newHub(hubConfig{
		source: chain, encode: encodeIDs, ring: ringLimits{blocks: ringBlocks, bytes: DefaultRingBytes}, maxCatchUps: 2,
		log: slog.New(slog.DiscardHandler),
	})
}
