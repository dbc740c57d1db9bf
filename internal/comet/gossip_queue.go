package comet

import (
	"sync"
	"time"

	"github.com/cometbft/cometbft/p2p"
)

const (
	// maxQueuedBytes bounds the transactions of one peer that wait for admission, and maxQueuedBytesTotal those of all peers.
	// Transactions beyond are dropped: nodes broadcast pending transactions again.
	maxQueuedBytes      = 8 << 20
	maxQueuedBytesTotal = 4 * maxQueuedBytes
	// queuedOverhead is the approximate memory of a queued transaction beyond its bytes.
	queuedOverhead = 64
	// maxGossipBatch is the number of transactions that are admitted together.
	maxGossipBatch = 100
)

// gossipQueues has the transactions that wait for admission, with a queue for each connected peer. The peer whose
// transactions have taken the least time so far is served next, so that peers whose transactions are expensive or many
// delay others by at most one batch.
type gossipQueues struct {
	mu    sync.Mutex // guards what follows
	peers map[p2p.ID]*gossipQueue
	size  int           // of all queues
	turn  time.Duration // time taken by the peer that was served last, before it was served
}

// gossipQueue has the transactions of a peer.
type gossipQueue struct {
	peer         p2p.Peer
	transactions [][]byte
	size         int           // bytes of the transactions, with overhead
	taken        time.Duration // time taken by admissions
}

func newGossipQueues() *gossipQueues { return &gossipQueues{peers: make(map[p2p.ID]*gossipQueue)} }

// connect adds the queue of a peer.
func (g *gossipQueues) connect(peer p2p.Peer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.peers[peer.ID()] = &gossipQueue{peer: peer}
}

// disconnect drops the queue of a peer.
func (g *gossipQueues) disconnect(peer p2p.Peer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if q := g.peers[peer.ID()]; q != nil {
		g.size -= q.size
		delete(g.peers, peer.ID())
	}
}

// push queues transactions of a peer and reports whether there was space for all of them. A peer that is not connected any
// more has none.
func (g *gossipQueues) push(from p2p.ID, transactions [][]byte) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	q := g.peers[from]
	if q == nil {
		return false
	}
	if len(q.transactions) == 0 {
		q.taken = max(q.taken, g.turn) // an idle peer saves no time for later
	}
	for _, tx := range transactions {
		size := queuedSize(tx)
		if q.size+size > maxQueuedBytes || !g.makeSpace(q, size) {
			return false
		}
		q.transactions = append(q.transactions, tx)
		q.size += size
		g.size += size
	}
	return true
}

// makeSpace drops the newest transactions of the largest queues until a queue can grow within the total limit. It returns
// false when that queue would be the largest. g.mu must be held.
func (g *gossipQueues) makeSpace(q *gossipQueue, size int) bool {
	for g.size+size > maxQueuedBytesTotal {
		largest := q
		for _, other := range g.peers {
			if other.size > largest.size {
				largest = other
			}
		}
		if largest.size <= q.size+size {
			return false
		}
		last := len(largest.transactions) - 1
		dropped := queuedSize(largest.transactions[last])
		largest.transactions[last] = nil
		largest.transactions = largest.transactions[:last]
		largest.size -= dropped
		g.size -= dropped
	}
	return true
}

// next removes the first transactions of the peer that is served next. There are none when all queues are empty.
func (g *gossipQueues) next() (from p2p.Peer, batch [][]byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var q *gossipQueue
	for _, other := range g.peers {
		if len(other.transactions) > 0 && (q == nil || other.taken < q.taken) {
			q = other
		}
	}
	if q == nil {
		return nil, nil
	}
	g.turn = q.taken
	batch = q.transactions[:min(len(q.transactions), maxGossipBatch)]
	if q.transactions = q.transactions[len(batch):]; len(q.transactions) == 0 {
		q.transactions = nil // frees the array
	}
	for _, tx := range batch {
		q.size -= queuedSize(tx)
		g.size -= queuedSize(tx)
	}
	return q.peer, batch
}

// charge adds the time that the admission of transactions of a peer took. It is never 0, so that peers take turns.
func (g *gossipQueues) charge(from p2p.ID, taken time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if q := g.peers[from]; q != nil {
		q.taken += max(taken, 1)
	}
}

func queuedSize(tx []byte) int { return len(tx) + queuedOverhead }
