package store

import (
	"bytes"
	"slices"
	"sync"

	"makechain/internal/schema"
)

// rowCacheBytes is the memory of cached rows, without the index by hash, which takes about a sixth as much.
const rowCacheBytes = 48 << 20

// neighbourBytes is the memory of neighbours: of about 50,000 scopes.
const neighbourBytes = 8 << 20

// commitPart is the number of rows that are cached while readers wait.
const commitPart = 128

// maxOldest is the number of entries of rowCache.oldest at which it is cleared.
const maxOldest = 1 << 16

// rowCache caches rows of the state that were recently read or written, including absent ones. Messages mostly need rows that
// recent messages read or wrote.
//
// An entry is valid for the latest state, and for older ones back to the height at which it was read or written. All rows that
// blocks after floor changed are in the cache, so a row that is not in it has not changed since then.
type rowCache struct {
	mu     sync.RWMutex // guards what follows
	height uint64       // of the latest state
	since  uint64       // height of the state with which the cache began
	rows   *rowRing

	// neighbours maps scopes to keys of rows of the latest state. They save the tree a seek in the database when it inserts another
	// row of the scope. They are not in rows because most scopes have new rows less often than rows are overwritten.
	neighbours *rowRing

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

// newRowCache returns a cache for the states from a height on that keeps rows and neighbours in the given memory.
func newRowCache(height uint64, rows, neighbours []byte) *rowCache {
	return &rowCache{
		height: height, since: height, rows: newRowRing(rows), neighbours: newRowRing(neighbours), oldest: make(map[string]oldestRow),
	}
}

// cached reports whether the row at a key is cached. Age rows are not: almost every message writes them, and they are
// rarely read.
func cached(key []byte) bool {
	return len(key) > 0 && key[0] < FirstIndexPrefix && schema.Prefix(key[0]) != schema.PrefixAge
}

// get returns a copy of a cached row of the state at a height.
func (c *rowCache) get(key []byte, height uint64) (value []byte, found bool) {
	c.mu.RLock()
	row, found := c.rows.find(key)
	old := found && c.rows.old(row)
	if found = found && row.height <= height; found {
		value = bytes.Clone(row.value)
	}
	c.mu.RUnlock()
	if old {
		c.renew(key)
	}
	return value, found
}

// renew keeps a row that was read from being overwritten soon.
func (c *rowCache) renew(key []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if row, found := c.rows.find(key); found && c.rows.old(row) {
		c.rows.renew(row)
	}
}

// put caches a row that was read from the state at a height, unless it may have changed since.
func (c *rowCache) put(key, value []byte, height uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, found := c.rows.find(key); !found && height >= c.floor() {
		c.rows.set(key, value, height)
	}
}

// floor returns the height of the state after which all changes are cached. c.mu must be held.
func (c *rowCache) floor() uint64 { return max(c.since, c.rows.lost) }

// commit caches the rows that a block wrote. It must be called before the state after the block becomes readable, so no reader
// depends on the order in which it caches them.
func (c *rowCache) commit(height uint64, changes []schema.Change) {
	c.mu.Lock()
	c.height = height
	c.mu.Unlock()
	for part := range slices.Chunk(changes, commitPart) {
		c.mu.Lock()
		for _, change := range part {
			if cached(change.Key) {
				c.rows.set(change.Key, change.Value, height)
				c.noteNeighbour(change)
			} else if scope := schema.AgeScope(change.Key); scope != nil {
				c.noteOldest(scope, change)
			}
		}
		c.mu.Unlock()
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
	if len(c.oldest) >= maxOldest {
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

// near returns the key of a row with the same scope in the state at a height, if possible with the same inner scope, nil if none
// is cached.
func (c *rowCache) near(key []byte, height uint64) []byte {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if height != c.height {
		return nil
	}
	for _, scope := range neighbourScopes(key) {
		if row, found := c.neighbours.find(scope); found && row.value != nil {
			return bytes.Clone(row.value)
		}
	}
	return nil
}

// neighbourScopes returns the scopes of a key, the longest first.
func neighbourScopes(key []byte) [][]byte { return [][]byte{schema.InnerScope(key), schema.Scope(key)} }

// noteNeighbour notes a new row as the neighbour of others, unless their scope has one, and forgets a deleted row. c.mu must be
// held.
func (c *rowCache) noteNeighbour(change schema.Change) {
	if change.Existed && change.Value != nil {
		return
	}
	for _, scope := range neighbourScopes(change.Key) {
		if len(scope) == 0 {
			continue
		}
		switch row, found := c.neighbours.find(scope); {
		case change.Value != nil && (!found || row.value == nil):
			c.neighbours.set(scope, change.Key, c.height)
		case change.Value == nil && found && bytes.Equal(row.value, change.Key):
			c.neighbours.set(scope, nil, c.height)
		}
	}
}
