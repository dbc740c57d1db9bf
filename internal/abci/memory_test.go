package abci_test

import (
	"bytes"
	"crypto/sha256"
	"log/slog"
	"slices"
	"testing"

	"makechain/internal/abci"
	"makechain/internal/ledgertest"
	"makechain/internal/mempool"
	"makechain/internal/schema"
)

// memory is a state with its indexes in memory. It is created in microseconds, a store in milliseconds.
type memory struct {
	*ledgertest.Rows
	height uint64
}

// firstIndexPrefix is the lowest first byte of the keys of the indexes.
const firstIndexPrefix = 0x80

func (m memory) Height() uint64 { return m.height }
func (memory) Close() error     { return nil }

// Root returns a hash of all rows of the state in key order.
func (m memory) Root() [32]byte {
	h := sha256.New()
	_ = m.Scan(nil, []byte{firstIndexPrefix}, func(key, value []byte) bool {
		for _, b := range [][]byte{key, value} {
			h.Write([]byte{byte(len(b) >> 8), byte(len(b))})
			h.Write(b)
		}
		return true
	})
	return [32]byte(h.Sum(nil))
}

// stagedMemory is a block that is not committed to its memory yet.
type stagedMemory struct {
	memory
	latest *memory
}

func (stagedMemory) Discard() error { return nil }

func (s stagedMemory) Commit(height uint64, index ...schema.Change) error {
	slices.SortFunc(index, func(a, b schema.Change) int { return bytes.Compare(a.Key, b.Key) })
	*s.latest = memory{Rows: s.Rows, height: height}
	return s.Apply(index)
}

// newMemoryNode returns a node with a state in memory, without snapshots.
func newMemoryNode(t testing.TB) *node {
	t.Helper()
	n := &node{TB: t, clock: ledgertest.Start, memory: memory{Rows: ledgertest.NewRows()}}
	return n.start()
}

// branch returns a node with the same state and an empty mempool.
func (n *node) branch(t testing.TB) *node {
	t.Helper()
	other := &node{TB: t, clock: n.clock, memory: memory{Rows: n.memory.Clone(), height: n.memory.height}}
	return other.start()
}

// start starts the application of a node with a state in memory.
func (n *node) start() *node {
	latest := func() memory { return memory{Rows: n.memory.Clone(), height: n.memory.height} }
	g := newGenesis()
	n.pool = mempool.New(mempool.Config{
		Params: g.Params(), Latest: func() mempool.Snapshot { return latest() },
		Broadcast: func([][]byte) error { return nil }, Now: n.now,
		Capacity: mempool.DefaultCapacity, TTL: mempool.DefaultTTL, Workers: 1,
	})
	n.App = abci.New(abci.Config{
		Genesis: g, Pool: n.pool, Latest: func() abci.Snapshot { return latest() },
		Stage: func(changes []schema.Change) (abci.Staged, error) {
			staged := stagedMemory{memory: latest(), latest: &n.memory}
			return staged, staged.Apply(changes)
		},
		Observers: []abci.Observer{n.pool}, Log: slog.New(slog.DiscardHandler),
	})
	return n
}
