package comet

import "sync"

// Limits of a blockCache.
const (
	blockCacheCount = 256
	blockCacheBytes = 16 << 20 // of transactions
)

// blockCache caches the transactions of blocks that were recently executed or read: lists of new messages read the same few
// blocks repeatedly, and decoding a block is expensive. A decided block never changes.
type blockCache struct {
	mu     sync.Mutex // guards what follows
	blocks map[uint64][][]byte
	order  []uint64 // of insertion
	bytes  int
}

func (c *blockCache) get(number uint64) (transactions [][]byte, found bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	transactions, found = c.blocks[number]
	return transactions, found
}

// add adds a block and evicts the oldest ones beyond the limits.
func (c *blockCache) add(number uint64, transactions [][]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, found := c.blocks[number]; found {
		return
	}
	if c.blocks == nil {
		c.blocks = make(map[uint64][][]byte)
	}
	c.blocks[number] = transactions
	c.order = append(c.order, number)
	c.bytes += totalSize(transactions)
	for len(c.order) > blockCacheCount || c.bytes > blockCacheBytes {
		oldest := c.order[0]
		c.order = c.order[1:]
		c.bytes -= totalSize(c.blocks[oldest])
		delete(c.blocks, oldest)
	}
}

func totalSize(transactions [][]byte) int {
	n := 0
	for _, tx := range transactions {
		n += len(tx)
	}
	return n
}
