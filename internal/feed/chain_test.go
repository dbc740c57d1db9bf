package feed_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/feed"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// tb is the part of testing.TB that a chain uses; *rapid.T implements it too.
type tb interface {
	Helper()
	Fatalf(format string, args ...any)
}

// chain is a feed with an in-memory block store.
type chain struct {
	tb

	feed *feed.Feed

	mu        sync.Mutex // guards what follows
	base      uint64
	disk      [][][]byte // by height - 1
	items     []feed.Item
	reads     int // of blocks
	readError error
}

func newChain(t tb, options feed.Options) *chain {
	c := &chain{tb: t, base: 1}
	c.feed = feed.New(c, 0, options)
	return c
}

func (c *chain) Base() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.base
}

func (c *chain) Transactions(height uint64) ([][]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reads++
	if height < c.base || height > uint64(len(c.disk)) {
		return nil, c.readError
	}
	return c.disk[height-1], c.readError
}

// diskReads returns the number of blocks read from the block store.
func (c *chain) diskReads() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reads
}

// prune deletes the blocks below a height from the block store.
func (c *chain) prune(base uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.base = base
}

// height returns the height of the latest block.
func (c *chain) height() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return uint64(len(c.disk))
}

// commit stores a block and adds it to the feed.
func (c *chain) commit(messages ...*message.Envelope) {
	c.mu.Lock()
	block := &ledger.Committed{Block: ledger.Block{Height: uint64(len(c.disk)) + 1}}
	transactions := make([][]byte, len(messages))
	for i, m := range messages {
		block.Applied = append(block.Applied, ledger.Applied{Message: m})
		transactions[i] = m.Transaction()
		c.items = append(c.items, feed.Item{Position: feed.Position{Height: block.Height, Index: uint32(i)}, Message: m})
	}
	c.disk = append(c.disk, transactions)
	c.mu.Unlock()
	c.feed.Committed(block)
}

// want returns the items that a subscription must return by now.
func (c *chain) want(from feed.Position, filter feed.Filter) []feed.Item {
	c.mu.Lock()
	defer c.mu.Unlock()
	var items []feed.Item
	for _, item := range c.items {
		if !before(item.Position, from) && wanted(filter, item.Message) {
			items = append(items, item)
		}
	}
	return items
}

func before(a, b feed.Position) bool {
	return a.Height < b.Height || a.Height == b.Height && a.Index < b.Index
}

// wanted reports whether a message matches a filter, as documented by Filter.
func wanted(filter feed.Filter, m *message.Envelope) bool {
	return (filter.Owner == nil || m.Owner == *filter.Owner) &&
		(len(filter.Types) == 0 || slices.Contains(filter.Types, m.Type())) &&
		(filter.Project == nil || slices.Contains(m.Projects(), *filter.Project))
}

func (c *chain) subscribe(from *feed.Position, filter feed.Filter) *feed.MessageSubscription {
	c.Helper()
	subscription, err := c.feed.SubscribeMessages(from, filter)
	if err != nil {
		c.Fatalf("subscribe from %v: %v", from, err)
	}
	return subscription
}

// expect checks that a subscription returns the given items without waiting, and no others.
func (c *chain) expect(subscription *feed.MessageSubscription, want []feed.Item) {
	c.Helper()
	for i, w := range want {
		got, err := subscription.Next(context.Background())
		if err != nil {
			c.Fatalf("item %d: %v", i, err)
		}
		if got.Position != w.Position || got.Message.Hash != w.Message.Hash {
			c.Fatalf("item %d is %v %s, want %v %s", i, got.Position, got.Message.Type(), w.Position, w.Message.Type())
		}
	}
	c.expectNothing(subscription)
}

// expectNothing checks that a subscription has no further item. Blocks without a match are skipped before the context
// ends.
func (c *chain) expectNothing(subscription *feed.MessageSubscription) {
	c.Helper()
	ctx := &limitedContext{left: int(c.height()) + 2}
	if got, err := subscription.Next(ctx); !errors.Is(err, errLimitReached) {
		c.Fatalf("one more item at %v, %v; want none", got.Position, err)
	}
}

var errLimitReached = errors.New("limit of calls reached")

// limitedContext is a context that ends after a number of calls of Err, or when it is waited for.
type limitedContext struct {
	left int
}

func (p *limitedContext) Deadline() (deadline time.Time, ok bool) { return time.Time{}, false }

func (p *limitedContext) Value(any) any { return nil }

func (p *limitedContext) Err() error {
	p.left--
	if p.left < 0 {
		return errLimitReached
	}
	return nil
}

func (p *limitedContext) Done() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	p.left = 0
	return done
}

// messageSet contains different messages of a few authors about a few projects.
type messageSet struct {
	messages []*message.Envelope
	owners   []ident.Address
	projects []ident.Hash
}

func newMessageSet(t tb, n int) *messageSet {
	t.Helper()
	c := &messageSet{projects: []ident.Hash{ledgertest.Hash("p"), ledgertest.Hash("q")}}
	var authors []*message.Author
	for i := range byte(3) {
		c.owners = append(c.owners, ident.Address{i})
		authors = append(authors, message.NewAuthor(message.Seed{i}, pb.Network_NETWORK_DEVNET, c.owners[i]))
	}
	for i := range n {
		project := c.projects[i%2]
		bodies := []*pb.MessageData{
			message.Star(project),
			message.RefUpdate(project, fmt.Sprint("ref", i), message.RefMove{New: ledgertest.Hash("c"), Nonce: 1}),
			message.ProjectCreate(fmt.Sprint("name", i), pb.Visibility_VISIBILITY_PUBLIC, "", ""),
			message.Fork(project, ledgertest.Hash("c"), fmt.Sprint("fork", i), pb.Visibility_VISIBILITY_PUBLIC),
			message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, fmt.Sprint("bio", i)),
		}
		m, err := authors[i%len(authors)].Sign(uint32(i)+1, bodies[i%len(bodies)])
		if err != nil {
			t.Fatalf("sign: %v", err)
		}
		c.messages = append(c.messages, m)
	}
	return c
}

// filters returns filters of every kind.
func (c *messageSet) filters() []feed.Filter {
	return []feed.Filter{
		{},
		{Project: &c.projects[0]},
		{Project: &c.projects[1], Types: []pb.MessageType{pb.MessageType_MESSAGE_TYPE_FORK}},
		{Types: []pb.MessageType{pb.MessageType_MESSAGE_TYPE_LINK_ADD, pb.MessageType_MESSAGE_TYPE_PROJECT_CREATE}},
		{Owner: &c.owners[0]},
		{Owner: &c.owners[1], Project: &c.projects[0], Types: []pb.MessageType{pb.MessageType_MESSAGE_TYPE_LINK_ADD}},
		{Types: []pb.MessageType{pb.MessageType_MESSAGE_TYPE_NONE, 64, 65, 1000}},
		{Project: &c.messages[2].Hash},
	}
}

// fixture returns a chain of a few blocks, some of them empty.
func fixture(t *testing.T, options feed.Options) (*chain, *messageSet) {
	t.Helper()
	c, people := newChain(t, options), newMessageSet(t, 60)
	left := people.messages
	for _, n := range []int{0, 3, 1, 0, 0, 7, 2, 20, 5, 22, 0} {
		c.commit(left[:n]...)
		left = left[n:]
	}
	return c, people
}
