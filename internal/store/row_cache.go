package store

import (
	"sync"

	"makechain/internal/schema"
)

// cacheGeneration is how many bytes of rows a cache takes up before it forgets those of before. It holds two of them.
const cacheGeneration = 16 << 20

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
}

type cachedRow struct {
	value []byte // nil for an absent row
	since uint64
}

func newRowCache(height uint64) *rowCache {
	return &rowCache{height: height, young: make(map[string]cachedRow), limit: cacheGeneration}
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
		c.keep(change.Key, change.Value)
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
