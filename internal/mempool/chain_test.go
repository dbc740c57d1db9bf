package mempool_test

import (
	"bytes"
	"slices"
	"sync"
	"testing"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/consensus"
	"makechain/internal/index"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/internal/mempool"
	"makechain/internal/schema"
	"makechain/message"
)

// chain is an in-memory chain whose blocks contain the candidates of a pool.
type chain struct {
	*ledgertest.Chain

	t          testing.TB
	pool       *mempool.Pool
	now        time.Time
	tick       time.Duration // added to now whenever the pool reads the clock
	height     uint64
	index      *ledgertest.Rows
	stateReads int // snapshots from which rows of the state were read
	rowReads   int // rows of the state that were read
	broadcast  [][]byte
	readError  error // returned by all reads of the state
	status     consensus.Status
	engine     func(transactions [][]byte) error // called by Broadcast, if set
	onIndex    func()                            // called before a read of the index, if set
	onRow      func()                            // called before a read of the state, if set
	filled     int                               // messages of fill
	mu         sync.Mutex                        // guards now and broadcast where the pool is used by several goroutines
}

const writePermission = pb.Permission_PERMISSION_WRITE

// firstIndexPrefix is the lowest first byte of the keys of the index.
const firstIndexPrefix = 0x80

// snapshot is the state of a chain with its index.
type snapshot struct {
	*ledgertest.Rows

	chain  *chain
	height uint64
	read   *bool // a row of the state was read
}

func (c *chain) latest() mempool.Snapshot {
	return snapshot{Rows: c.Rows.Clone(), chain: c, height: c.height, read: new(bool)}
}

func (s snapshot) Get(key []byte) ([]byte, error) {
	if key[0] >= firstIndexPrefix {
		if s.chain.onIndex != nil {
			s.chain.onIndex()
		}
		return s.chain.index.Get(key)
	}
	if s.chain.onRow != nil {
		s.chain.onRow()
	}
	s.chain.rowReads++
	if !*s.read {
		*s.read = true
		s.chain.stateReads++
	}
	if s.chain.readError != nil {
		return nil, s.chain.readError
	}
	return s.Rows.Get(key)
}

func (s snapshot) Height() uint64 { return s.height }
func (snapshot) Close() error     { return nil }

func newChain(t testing.TB, capacity int) *chain {
	t.Helper()
	return newChainOf(t, mempool.Config{Capacity: capacity, Workers: 2})
}

// newChainOf returns a chain whose pool has the given capacity and workers.
func newChainOf(t testing.TB, config mempool.Config) *chain {
	t.Helper()
	c := &chain{Chain: ledgertest.New(t), t: t, index: ledgertest.NewRows()}
	c.now = time.Unix(int64(c.Block.Time), 0)
	config.Params, config.Latest, config.TTL = c.Params, c.latest, mempool.DefaultTTL
	config.Broadcast = func(transactions [][]byte) error {
		if c.engine != nil {
			return c.engine(transactions)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.broadcast = append(c.broadcast, transactions...)
		return nil
	}
	config.Status = func() consensus.Status { return c.status }
	config.Now = func() time.Time {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.now = c.now.Add(c.tick)
		return c.now
	}
	c.pool = mempool.New(config)
	return c
}

func (c *chain) submit(m *message.Envelope) *message.Refusal {
	c.t.Helper()
	refusal, err := c.pool.Submit(c.t.Context(), m)
	if err != nil {
		c.t.Fatal(err)
	}
	return refusal
}

func (c *chain) dryRun(m *message.Envelope) *message.Refusal {
	c.t.Helper()
	refusal, err := c.pool.DryRun(c.t.Context(), m)
	if err != nil {
		c.t.Fatal(err)
	}
	return refusal
}

func (c *chain) mustSubmit(messages ...*message.Envelope) {
	c.t.Helper()
	for _, m := range messages {
		if refusal := c.submit(m); refusal != nil {
			c.t.Fatalf("%s: %v", m.Type(), refusal)
		}
	}
}

// next commits a block of the pool's candidates and notifies the pool.
func (c *chain) next() *ledger.Result {
	c.t.Helper()
	candidates, reserved := c.pool.Candidates()
	result := c.ProposeReserved(1, candidates, reserved)
	c.pool.Assembled(result)
	c.now = time.Unix(int64(c.Block.Time), 0)
	c.pool.Refuse(result.Refused)
	c.pool.Committed(c.indexBlock(result))
	return result
}

// nextOfPeer commits a block that another node proposed. The returned function notifies the pool.
func (c *chain) nextOfPeer(messages ...*message.Envelope) (notify func()) {
	c.t.Helper()
	result := c.Propose(1, messages...)
	if len(result.Refused) > 0 {
		c.t.Fatalf("refused: %v", result.Refused[0].Refusal)
	}
	block := c.indexBlock(result)
	return func() { c.pool.Committed(block) }
}

// indexBlock adds the result of a block to the index.
func (c *chain) indexBlock(result *ledger.Result) *ledger.Committed {
	c.t.Helper()
	c.height++
	block := &ledger.Committed{Block: ledger.Block{Height: c.height, Time: c.Block.Time}, Applied: result.Applied}
	rows, err := index.Rows(c.index, block, nil)
	if err == nil {
		slices.SortFunc(rows, func(a, b schema.Change) int { return bytes.Compare(a.Key, b.Key) })
		err = c.index.Apply(rows)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return block
}

func (c *chain) statusOf(m *message.Envelope) mempool.Status {
	c.t.Helper()
	status, err := c.pool.Status(m.Hash)
	if err != nil {
		c.t.Fatal(err)
	}
	return status
}

func (c *chain) create(by *ledgertest.Actor, name string) *message.Envelope {
	return c.Sign(by, message.ProjectCreate(name, pb.Visibility_VISIBILITY_PUBLIC, "", ""))
}

func (c *chain) made(m *message.Envelope, err error) *message.Envelope {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
	return m
}
