package comet

import "sync"

// What recent blocks may take up.
const (
	recentCount = 256
	recentBytes = 16 << 20 // of transactions
)

// recentBlocks keeps the transactions of blocks that were executed or asked for lately: lists of what is new ask for
// the same few blocks again and again, and decoding one costs far more than the answer. A decided block never changes.
type blockCache struct {
	mu     sync.Mutex // guards all below
	blocks map[uint64][][]byte
	order  []uint64 // as they came
	bytes  int
}

func (r *blockCache) get(number uint64) (transactions [][]byte, found bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	transactions, found = r.blocks[number]
	return transactions, found
}

func (r *blockCache) add(number uint64, transactions [][]byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, found := r.blocks[number]; found {
		return
	}
	if r.blocks == nil {
		r.blocks = make(map[uint64][][]byte)
	}
	r.blocks[number] = transactions
	r.order = append(r.order, number)
	r.bytes += size(transactions)
	for len(r.order) > recentCount || r.bytes > recentBytes {
		oldest := r.order[0]
		r.order = r.order[1:]
		r.bytes -= size(r.blocks[oldest])
		delete(r.blocks, oldest)
	}
}

func size(transactions [][]byte) int {
	n := 0
	for _, tx := range transactions {
		n += len(tx)
	}
	return n
}
