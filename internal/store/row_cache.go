package store

import (
	"bytes"
	"sync"

	"makechain/internal/schema"
)

// cacheGeneration is how many bytes of rows a cache takes up before it forgets those of before. It holds two of them.
const cacheGeneration = 16 << 20

// maxNeighbours is how many accounts and projects, each with one of its rows in a table, a cache remembers before it
// forgets them all.
const maxNeighbours = 1 << 16

// rowOverhead is about what a row takes up beside its key and value.
const rowOverhead = 96

// rowCache keeps the rows of the state that were lately read or written, and that some are absent. A message is
// executed when it is taken in and again for its block, and the rows it needs are those that messages before it wrote.
//
// What is kept is true of the latest state, and of older ones back to when it was read or written.
type rowCache struct {
	mu         sync.RWMutex
	height     uint64 // of the latest state
	young, old map[string]cachedRow
	size       int // of young
	limit      int // of size

	// neighbours has, for what the rows of one account or project begin with, the key of one that is there. The tree
	// would have to seek it in the database to find the place of another.
	neighbours map[string][]byte
}

type cachedRow struct {
	value []byte // nil for an absent row
	since uint64
}

func newRowCache(height uint64) *rowCache {
	return &rowCache{
		height: height, young: make(map[string]cachedRow), limit: cacheGeneration, neighbours: make(map[string][]byte),
	}
}

// cached says whether the row under a key is kept. Age rows are written with almost every message, and seldom read.
func cached(key []byte) bool {
	return len(key) > 0 && key[0] < FirstIndexPrefix && schema.Prefix(key[0]) != schema.PrefixAge
}

// get finds a row of the state at a height. The value must not be modified.
func (c *rowCache) get(key []byte, height uint64) (value []byte, found bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	row, found := c.young[string(key)]
	if !found {
		row, found = c.old[string(key)]
	}
	return row.value, found && row.since <= height
}

// put keeps a row that was read from the state at a height, unless there is a later one.
func (c *rowCache) put(key, value []byte, height uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if height == c.height {
		c.keep(key, value)
	}
}

// commit keeps what a block has written. It must come before anybody can read the state after the block.
func (c *rowCache) commit(height uint64, changes []schema.Change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.height = height
	for _, change := range changes {
		if cached(change.Key) {
			c.keep(change.Key, change.Value)
			c.noteNeighbour(change)
		}
	}
}

// near finds the key of a row in the state at a height.
func (c *rowCache) near(key []byte, height uint64) []byte {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if height != c.height {
		return nil
	}
	return c.neighbours[string(schema.Scope(key))]
}

// noteNeighbour remembers a row that is new, and forgets one that is gone. The caller holds mu.
func (c *rowCache) noteNeighbour(change schema.Change) {
	scope := schema.Scope(change.Key)
	switch {
	case len(scope) == 0 || change.Existed && change.Value != nil:
	case change.Value != nil:
		if len(c.neighbours) >= maxNeighbours {
			clear(c.neighbours)
		}
		c.neighbours[string(scope)] = change.Key
	case bytes.Equal(c.neighbours[string(scope)], change.Key):
		delete(c.neighbours, string(scope))
	}
}

// keep adds what is true of the latest state. The caller holds mu.
func (c *rowCache) keep(key, value []byte) {
	if c.size >= c.limit {
		c.young, c.old, c.size = make(map[string]cachedRow, len(c.young)), c.young, 0
	}
	c.size += len(key) + len(value) + rowOverhead
	c.young[string(key)] = cachedRow{value, c.height}
}
