package comet

import (
	"hash/maphash"
	"sync"
	"time"

	"github.com/cometbft/cometbft/p2p"
	"github.com/cometbft/cometbft/types"
)

const (
	// maxSendBytes bounds the transactions that wait to be sent to one peer. Transactions beyond are not sent to it: nodes
	// broadcast pending transactions again.
	maxSendBytes = 2 << 20
	// maxSendBatch is the size of the batches in which they are sent, unless a single transaction is larger.
	maxSendBatch = 64 << 10
	// maxKnown is how many of the transactions that a peer sent or was sent last are not sent to it.
	maxKnown = 8192
	// maxLag is the number of blocks that a peer may be behind to be sent transactions: others might not apply to its state.
	maxLag = 3
	// lagPause is the time between two checks whether a peer that lags behind has caught up.
	lagPause = 100 * time.Millisecond
)

// sendQueues has the transactions that wait to be sent, with a queue for each connected peer.
type sendQueues struct {
	mu    sync.RWMutex // guards peers
	peers map[p2p.ID]*sendQueue
}

// connect adds the queue of a peer.
func (s *sendQueues) connect(peer p2p.Peer) *sendQueue {
	q := &sendQueue{peer: peer, wake: make(chan struct{}, 1), seed: maphash.MakeSeed(), known: make(map[uint64]struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.peers == nil {
		s.peers = make(map[p2p.ID]*sendQueue)
	}
	s.peers[peer.ID()] = q
	return q
}

// disconnect drops the queue of a peer.
func (s *sendQueues) disconnect(peer p2p.Peer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if q := s.peers[peer.ID()]; q != nil && q.peer == peer {
		delete(s.peers, peer.ID())
	}
}

// received records transactions that a peer sent.
func (s *sendQueues) received(from p2p.ID, transactions [][]byte) {
	s.mu.RLock()
	q := s.peers[from]
	s.mu.RUnlock()
	if q != nil {
		q.received(transactions)
	}
}

// push queues transactions for all peers. Those that a peer has are not sent to it.
func (s *sendQueues) push(transactions [][]byte) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, q := range s.peers {
		q.push(transactions)
	}
}

// sendQueue has the transactions that wait to be sent to a peer.
type sendQueue struct {
	peer p2p.Peer
	wake chan struct{} // receives a value when there are transactions
	seed maphash.Seed

	mu           sync.Mutex // guards what follows
	transactions [][]byte
	size         int                 // bytes of the transactions
	known        map[uint64]struct{} // hashes of the last maxKnown transactions that the peer sent or was sent
	order        []uint64            // these hashes; a ring when it has maxKnown elements
	oldest       int                 // index in the ring
}

// received records transactions that the peer sent.
func (q *sendQueue) received(transactions [][]byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, tx := range transactions {
		q.learn(tx)
	}
}

// learn records that the peer has a transaction, and reports whether that is new. q.mu must be held.
func (q *sendQueue) learn(tx []byte) bool {
	hash := maphash.Bytes(q.seed, tx)
	if _, found := q.known[hash]; found {
		return false
	}
	q.known[hash] = struct{}{}
	if len(q.order) < maxKnown {
		q.order = append(q.order, hash)
		return true
	}
	delete(q.known, q.order[q.oldest])
	q.order[q.oldest] = hash
	q.oldest = (q.oldest + 1) % maxKnown
	return true
}

// push queues the transactions for which there is space.
func (q *sendQueue) push(transactions [][]byte) {
	q.mu.Lock()
	for _, tx := range transactions {
		if q.size+queuedSize(tx) > maxSendBytes {
			break
		}
		q.transactions = append(q.transactions, tx)
		q.size += queuedSize(tx)
	}
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default: // the receiver has not seen the last signal yet
	}
}

// replace replaces the queued transactions.
func (q *sendQueue) replace(transactions [][]byte) {
	q.mu.Lock()
	q.transactions, q.size = nil, 0
	q.mu.Unlock()
	q.push(transactions)
}

// next removes the first transactions and returns those that the peer does not have. There are none when the queue is empty.
func (q *sendQueue) next() (batch [][]byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	taken, size := 0, 0
	for _, tx := range q.transactions {
		if size > 0 && size+len(tx) > maxSendBatch {
			break
		}
		taken++
		q.size -= queuedSize(tx)
		if q.learn(tx) {
			batch, size = append(batch, tx), size+len(tx)
		}
	}
	if q.transactions = q.transactions[taken:]; len(q.transactions) == 0 {
		q.transactions = nil // frees the array
	}
	return batch
}

// send sends queued transactions to a peer until it disconnects or the engine stops. A peer that has connected or that has
// lagged behind gets pending transactions of the Pool instead of those that were queued before. A transaction is sent once: one
// that the peer refuses, or that is lost because the peer is overloaded, reaches it by Rebroadcast.
func (g *gossipReactor) send(q *sendQueue) {
	stale := true
	for {
		for g.WaitSync() || g.lags(q.peer) {
			stale = true
			if !wait(g, q.peer, time.After(lagPause)) {
				return
			}
		}
		if stale {
			q.replace(g.app.pool.Transactions(maxSendBytes))
			stale = false
		}
		for batch := q.next(); len(batch) > 0; batch = q.next() {
			for _, envelope := range packEnvelopes(batch) {
				if !q.peer.Send(envelope) && !q.peer.IsRunning() {
					return
				}
			}
		}
		if !wait(g, q.peer, q.wake) {
			return
		}
	}
}

// lags reports whether a peer is more than maxLag blocks behind, or its height is not known.
func (g *gossipReactor) lags(peer p2p.Peer) bool {
	state, known := peer.Get(types.PeerStateKey).(interface{ GetHeight() int64 })
	return !known || g.height()-(state.GetHeight()-1) > maxLag // the height of a peer is that of the block that it decides
}

// wait waits until a channel has a value. It returns false if the peer disconnects or the engine stops.
func wait[T any](g *gossipReactor, peer p2p.Peer, channel <-chan T) bool {
	select {
	case <-channel:
		return true
	case <-peer.Quit():
		return false
	case <-g.Quit():
		return false
	}
}
