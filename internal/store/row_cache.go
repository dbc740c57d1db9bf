package store

import (
	"bytes"
	"sync"

	"makechain/internal/schema"
)

// cacheGeneration is the size of one generation of the cache, in bytes. It has two: when the young one is full it becomes
// the old one, and the old one is dropped.
const cacheGeneration = 16 << 20

// maxNeighbours is the number of entries of rowCache.neighbours, and of rowCache.oldest, at which it is cleared.
const maxNeighbours = 1 << 16

// rowOverhead is the approximate memory of a cached row beyond its key and value.
const rowOverhead = 128

// rowCache caches rows of the state that were recently read or written, including absent ones. Messages mostly need rows that
// recent messages read or wrote.
//
// An entry is valid for the latest state, and for older ones back to the height at which it was read or written. All rows that
// blocks after floor changed are in the cache, so a row that is not in it has not changed since then.
type rowCache struct {
	mu         sync.RWMutex // guards what follows
	height     uint64       // of the latest state
	floor      uint64       // height of the state after which all changes are cached
	youngFloor uint64       // height of the state after which all changes are in young
	young, old map[string]*cachedRow
	size       int // of young
	limit      int // of size

	// neighbours maps the key prefix of an account or project to the key of one of its rows. It saves the tree a seek in
	// the database when it inserts another row with that prefix.
	neighbours map[string][]byte

	// oldest maps the scope of age rows to the first of them. Messages look for expired tombstones of a project or account, of
	// which there are mostly none, so they read only the first row. The next one is read from where a deleted one was, because the
	// database has to skip the deleted rows before it.
	oldest map[string]oldestRow
}

// oldestRow is where the age rows of a scope begin, in the latest state and in older ones back to a height.
type oldestRow struct {
	key     []byte // no row is before it; nil if there is no row
	deleted bool   // whether key was that of the first row until it was deleted
	since   uint64
}

type cachedRow struct {
	key   string
	value []byte // nil for an absent row
	since uint64
}

func newRowCache(height uint64) *rowCache {
	return &rowCache{
		height: height, floor: height, youngFloor: height, young: make(map[string]*cachedRow), limit: cacheGeneration,
		neighbours: make(map[string][]byte), oldest: make(map[string]oldestRow),
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
	row, aging := c.young[string(key)], false
	if row == nil {
		row = c.old[string(key)]
		aging = row != nil
	}
	if row != nil && row.since <= height {
		value, found = row.value, true
	}
	c.mu.RUnlock()
	if aging {
		c.promote(key)
	}
	return value, found
}

// promote moves a row that was read from the old generation to the young one.
func (c *rowCache) promote(key []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if row := c.old[string(key)]; row != nil && c.young[row.key] == nil {
		delete(c.old, row.key)
		c.insert(row)
	}
}

// put caches a row that was read from the state at a height, unless it may have changed since.
func (c *rowCache) put(key, value []byte, height uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if height < c.floor || c.young[string(key)] != nil || c.old[string(key)] != nil {
		return
	}
	c.insert(&cachedRow{string(key), value, height})
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
		} else if scope := schema.AgeScope(change.Key); scope != nil {
			c.noteOldest(scope, change)
		}
	}
}

// first returns where the age rows of a scope begin in the state at a height, and whether that is known.
func (c *rowCache) first(scope []byte, height uint64) (row oldestRow, known bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	row, known = c.oldest[string(scope)]
	return row, known && row.since <= height
}

// putFirst caches the first age row of a scope in the state at a height, nil if there is none, if that is the latest state.
func (c *rowCache) putFirst(scope, key []byte, height uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if height != c.height {
		return // it may have changed since
	}
	if len(c.oldest) >= maxNeighbours {
		clear(c.oldest)
	}
	c.oldest[string(scope)] = oldestRow{key: bytes.Clone(key), since: height}
}

// noteOldest updates c.oldest with a change of an age row. c.mu must be held.
func (c *rowCache) noteOldest(scope []byte, change schema.Change) {
	row, found := c.oldest[string(scope)]
	switch {
	case !found:
	case change.Value == nil && bytes.Equal(change.Key, row.key):
		row.deleted = true
		c.oldest[string(scope)] = row
	case change.Value != nil && (row.key == nil || bytes.Compare(change.Key, row.key) <= 0):
		c.oldest[string(scope)] = oldestRow{key: change.Key, since: c.height}
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

// keep caches a row that the latest block wrote. c.mu must be held.
func (c *rowCache) keep(key, value []byte) {
	if row := c.young[string(key)]; row != nil {
		c.size += len(value) - len(row.value)
		row.value, row.since = value, c.height
		return
	}
	c.insert(&cachedRow{string(key), value, c.height})
}

// insert adds a row to the young generation, which does not contain it. c.mu must be held.
func (c *rowCache) insert(row *cachedRow) {
	if c.size >= c.limit {
		c.young, c.old, c.size = make(map[string]*cachedRow, len(c.young)), c.young, 0
		// Some changes of the latest block may be in the old generation only.
		c.floor, c.youngFloor = c.youngFloor, c.height
	}
	c.size += len(row.key) + len(row.value) + rowOverhead
	c.young[row.key] = row
}
