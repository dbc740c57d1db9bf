package store

import (
	"bytes"
	"sync"

	"makechain/internal/schema"
)

// cacheGeneration is the size of one generation of the cache, in bytes. It has two: when the young one is full it becomes
// the old one, and the old one is dropped.
const cacheGeneration = 16 << 20

// maxNeighbours is the number of entries of rowCache.neighbours at which it is cleared.
const maxNeighbours = 1 << 16

// rowOverhead is the approximate memory of a cached row beyond its key and value.
const rowOverhead = 96

// rowCache caches rows of the state that were recently read or written, including absent ones. A message is executed at
// admission and again in its block, and mostly needs rows that recent messages wrote.
//
// An entry is valid for the latest state, and for older ones back to the height at which it was read or written.
type rowCache struct {
	mu         sync.RWMutex // guards what follows
	height     uint64       // of the latest state
	young, old map[string]cachedRow
	size       int // of young
	limit      int // of size

	// neighbours maps the key prefix of an account or project to the key of one of its rows. It saves the tree a seek in
	// the database when it inserts another row with that prefix.
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

// cached reports whether the row at a key is cached. Age rows are not: almost every message writes them, and they are
// rarely read.
func cached(key []byte) bool {
	return len(key) > 0 && key[0] < FirstIndexPrefix && schema.Prefix(key[0]) != schema.PrefixAge
}

// get returns a cached row of the state at a height. The value must not be modified.
func (c *rowCache) get(key []byte, height uint64) (value []byte, found bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	row, found := c.young[string(key)]
	if !found {
		row, found = c.old[string(key)]
	}
	return row.value, found && row.since <= height
}

// put caches a row that was read from the state at a height, unless that is no longer the latest state.
func (c *rowCache) put(key, value []byte, height uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if height == c.height {
		c.keep(key, value)
	}
}

// commit caches the rows that a block wrote. It must be called before the state after the block becomes readable.
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

// near returns the key of a row with the same prefix in the state at a height, nil if none is cached.
func (c *rowCache) near(key []byte, height uint64) []byte {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if height != c.height {
		return nil
	}
	return c.neighbours[string(schema.Scope(key))]
}

// noteNeighbour adds a new row to c.neighbours, or removes a deleted one. c.mu must be held.
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

// keep caches a row of the latest state. c.mu must be held.
func (c *rowCache) keep(key, value []byte) {
	if c.size >= c.limit {
		c.young, c.old, c.size = make(map[string]cachedRow, len(c.young)), c.young, 0
	}
	c.size += len(key) + len(value) + rowOverhead
	c.young[string(key)] = cachedRow{value, c.height}
}
