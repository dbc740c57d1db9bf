package comet_test

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"makechain/internal/comet"
	"makechain/message"
)

// memoryPool is the mempool of a memoryApp. It refuses messages that it has had before.
type memoryPool struct {
	// admit, if set, is called with the transactions of peers before they are added.
	admit func(peer string, transactions [][]byte) (invalid, err error)

	mu      sync.Mutex // guards what follows
	pending [][]byte
	seen    map[string]bool // transactions that are or were pending
	refused map[string]bool // transactions of peers that are not added
}

func newMemoryPool() *memoryPool {
	return &memoryPool{seen: make(map[string]bool), refused: make(map[string]bool)}
}

// add adds transactions and returns which of them are new.
func (p *memoryPool) add(transactions ...[]byte) []bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	added := make([]bool, len(transactions))
	for i, tx := range transactions {
		if _, refusal := message.Decode(tx); refusal != nil || p.seen[string(tx)] || p.refused[string(tx)] {
			continue
		}
		added[i], p.seen[string(tx)] = true, true
		p.pending = append(p.pending, tx)
	}
	return added
}

// remove removes the transactions of a block.
func (p *memoryPool) remove(transactions [][]byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, tx := range transactions {
		p.seen[string(tx)] = true
	}
	p.pending = slices.DeleteFunc(p.pending, func(tx []byte) bool {
		return slices.ContainsFunc(transactions, func(other []byte) bool { return string(other) == string(tx) })
	})
}

// setRefused sets whether a transaction of a peer is refused.
func (p *memoryPool) setRefused(tx []byte, refused bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refused[string(tx)] = refused
}

func (p *memoryPool) AdmitGossip(peer string, transactions [][]byte) (added []bool, invalid, err error) {
	if p.admit != nil {
		if invalid, err = p.admit(peer, transactions); err != nil {
			return nil, invalid, err
		}
	}
	return p.add(transactions...), invalid, nil
}

func (p *memoryPool) Empty() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.pending) == 0
}

func (p *memoryPool) Transactions(maxBytes int) [][]byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	var transactions [][]byte
	for _, tx := range p.pending {
		if maxBytes -= len(tx); maxBytes < 0 {
			break
		}
		transactions = append(transactions, tx)
	}
	return transactions
}

// startPool starts an engine whose application has a pool.
func startPool(t *testing.T, config comet.Config) (*comet.Engine, *memoryApp) {
	t.Helper()
	app := newMemoryApp()
	app.pool = newMemoryPool()
	config.Pool = app.pool
	return start(t, config, app), app
}

// announce adds messages to a pool, as if clients had submitted them, and announces them.
func announce(t *testing.T, engine *comet.Engine, pool *memoryPool, envelopes ...*message.Envelope) {
	t.Helper()
	var transactions [][]byte
	for _, envelope := range envelopes {
		transactions = append(transactions, envelope.Transaction())
	}
	pool.add(transactions...)
	if err := engine.Announce(transactions); err != nil {
		t.Fatal(err)
	}
}

// awaitTransaction waits until a block contains a transaction.
func awaitTransaction(t *testing.T, engine *comet.Engine, tx []byte) {
	t.Helper()
	number := engine.Base()
	await(t, "the transaction", func() bool {
		for ; number <= engine.Height(); number++ {
			if isIn(t, engine, number, tx) {
				return true
			}
		}
		return false
	})
}

// TestAnnounce checks that announced transactions are in a block, that the chain is idle afterwards, also when a transaction
// is announced that is not pending any more, and that Announce returns ErrStopped after Stop.
//
// Rules: P6.6.
func TestAnnounce(t *testing.T) {
	t.Parallel()
	engine, app := startPool(t, testConfig(newHome(t)))
	awaitBlock(t, engine, 1)
	for i := range 3 {
		envelope := accountMessage(t, i)
		announce(t, engine, app.pool, envelope)
		awaitTransaction(t, engine, envelope.Transaction())
		awaitIdle(t, app)
		before := engine.Height()
		if err := engine.Announce([][]byte{envelope.Transaction()}); err != nil {
			t.Fatal(err)
		}
		awaitIdle(t, app)
		if height := engine.Height(); height != before {
			t.Errorf("%d blocks were created for a transaction that is not pending", height-before)
		}
	}
	stop(t, engine)
	if err := engine.Announce(nil); !errors.Is(err, comet.ErrStopped) {
		t.Errorf("got %v after stop", err)
	}
}

// TestAnnounceHeld checks that blocks are created while a transaction is pending that the application does not propose yet, and
// that the chain becomes idle when it leaves the pool without a block.
//
// Rules: P6.4, P6.6.
func TestAnnounceHeld(t *testing.T) {
	t.Parallel()
	engine, app := startPool(t, testConfig(newHome(t)))
	awaitBlock(t, engine, 1)
	held := accountMessage(t, 0)
	app.mu.Lock()
	app.held[string(held.Transaction())] = true
	app.mu.Unlock()
	announce(t, engine, app.pool, held)
	awaitBlock(t, engine, engine.Height()+4)
	app.pool.remove([][]byte{held.Transaction()})
	awaitIdle(t, app)
	next := accountMessage(t, 1)
	announce(t, engine, app.pool, next)
	awaitTransaction(t, engine, next.Transaction())
}

// TestAnnounceDuringBlock checks that a transaction that is announced while consensus creates an empty block, in any call to
// the application, gets into a later block.
func TestAnnounceDuringBlock(t *testing.T) {
	t.Parallel()
	for _, during := range []string{"prepare", "process", "finalize", "commit"} {
		t.Run(during, func(t *testing.T) {
			t.Parallel()
			engine, app := startPool(t, testConfig(newHome(t)))
			awaitBlock(t, engine, 1)
			awaitIdle(t, app)
			empty := int64(engine.Height()) + 2 // follows the block with the first transaction, without which nothing follows it
			first, second := accountMessage(t, 0), accountMessage(t, 1).Transaction()
			app.setHook(func(call string, height int64) error {
				if call != during || height != empty {
					return nil
				}
				app.pool.add(second)
				return engine.Announce([][]byte{second})
			})
			announce(t, engine, app.pool, first)
			awaitTransaction(t, engine, second)
			if isIn(t, engine, uint64(empty), second) || !isIn(t, engine, uint64(empty)-1, first.Transaction()) {
				t.Errorf("block %d is not the empty one after the first transaction", empty)
			}
			awaitIdle(t, app)
		})
	}
}

// TestAnnounceConcurrently checks that every transaction that is announced while blocks are committed gets into a block: the
// last one before the pool is empty would wait forever if the engine missed it.
func TestAnnounceConcurrently(t *testing.T) {
	t.Parallel()
	config := testConfig(newHome(t))
	config.BlockInterval = 1 // as many blocks as possible
	engine, app := startPool(t, config)
	awaitBlock(t, engine, 1)
	var clients sync.WaitGroup
	for client := range 4 {
		clients.Go(func() {
			for i := range 40 {
				envelope := accountMessage(t, client*1_000+i)
				announce(t, engine, app.pool, envelope)
				await(t, "the transaction", func() bool {
					app.pool.mu.Lock()
					defer app.pool.mu.Unlock()
					return !slices.ContainsFunc(app.pool.pending, func(tx []byte) bool { return string(tx) == string(envelope.Transaction()) })
				})
			}
		})
	}
	clients.Wait()
	awaitIdle(t, app)
}
