package comet

import (
	"testing"
	"time"

	"github.com/cometbft/cometbft/p2p"
	"github.com/cometbft/cometbft/p2p/mock"
)

// newTestQueues returns queues of connected peers.
func newTestQueues(count int) (*gossipQueues, []p2p.Peer) {
	g, peers := newGossipQueues(), make([]p2p.Peer, count)
	for i := range peers {
		peers[i] = mock.NewPeer(nil)
		g.connect(peers[i])
	}
	return g, peers
}

// fill queues transactions of a size until there is no space, and returns their number.
func fill(g *gossipQueues, from p2p.Peer, size int) int {
	for n := 0; ; n++ {
		tx := make([]byte, size-queuedOverhead)
		tx[0] = byte(n)
		if !g.push(from.ID(), [][]byte{tx}) {
			return n
		}
	}
}

// TestGossipQueueLimits checks that the queue of a peer is limited and emptied in order, and that it is dropped when the
// peer disconnects.
func TestGossipQueueLimits(t *testing.T) {
	t.Parallel()
	g, peers := newTestQueues(1)
	flooding := peers[0]
	const kept = maxQueuedBytes / 10_000
	if queued := fill(g, flooding, 10_000); queued != kept {
		t.Errorf("%d transactions were queued, want %d", queued, kept)
	}
	got := 0
	for from, batch := g.next(); len(batch) > 0; from, batch = g.next() {
		if len(batch) > maxGossipBatch {
			t.Fatalf("a batch has %d transactions", len(batch))
		}
		for _, tx := range batch {
			if from.ID() != flooding.ID() || tx[0] != byte(got) {
				t.Errorf("transaction %d is %x of %s", got, tx[:1], from.ID())
			}
			got++
		}
	}
	if got != kept || g.size != 0 || g.peers[flooding.ID()].size != 0 {
		t.Errorf("%d left the queue, want %d; the remaining size is %d", got, kept, g.size)
	}
	if fill(g, flooding, 10_000) != kept {
		t.Error("the queue is still full")
	}
	g.disconnect(flooding)
	if from, batch := g.next(); from != nil || batch != nil || g.size != 0 || len(g.peers) != 0 {
		t.Errorf("after the peer disconnected, %d transactions of it and %d bytes are queued", len(batch), g.size)
	}
	if g.push(flooding.ID(), [][]byte{{1}}); g.size != 0 || len(g.peers) != 0 {
		t.Error("a transaction of a disconnected peer is queued")
	}
}

// TestGossipQueueShares fills the queues by four peers and checks that others have space, that the largest queues pay for
// it, and that the total stays limited.
func TestGossipQueueShares(t *testing.T) {
	t.Parallel()
	g, peers := newTestQueues(10)
	for _, flooding := range peers[:4] {
		fill(g, flooding, 10_000)
	}
	for _, other := range peers[4:] {
		if fill(g, other, 10_000) == 0 {
			t.Fatal("a peer has no space")
		}
	}
	total, share := 0, maxQueuedBytesTotal/len(peers)
	for _, peer := range peers {
		q := g.peers[peer.ID()]
		size := 0
		for _, tx := range q.transactions {
			size += queuedSize(tx)
		}
		if size != q.size || size < share-20_000 || size > maxQueuedBytes {
			t.Errorf("a peer has %d bytes in the queue, recorded as %d; its share is %d", size, q.size, share)
		}
		total += size
	}
	if total != g.size || total > maxQueuedBytesTotal {
		t.Errorf("%d bytes are queued, recorded as %d", total, g.size)
	}
}

// TestGossipTurns checks that each peer gets the same time for admissions, however expensive its transactions are, and that
// an idle peer does not save time for later.
func TestGossipTurns(t *testing.T) {
	t.Parallel()
	g, peers := newTestQueues(3)
	cost := map[p2p.ID]time.Duration{peers[0].ID(): time.Second, peers[1].ID(): 10 * time.Millisecond, peers[2].ID(): 10 * time.Millisecond}
	fill(g, peers[0], 1_000)
	fill(g, peers[1], 1_000)
	serve := func() p2p.ID {
		from, _ := g.next()
		g.charge(from.ID(), cost[from.ID()])
		return from.ID()
	}
	for g.turn < 10*time.Second && len(g.peers[peers[1].ID()].transactions) > 0 {
		serve()
	}
	if expensive, cheap := g.peers[peers[0].ID()].taken, g.peers[peers[1].ID()].taken; expensive > cheap+time.Second {
		t.Errorf("the peers took %v and %v", expensive, cheap)
	}
	fill(g, peers[1], 1_000)
	fill(g, peers[2], 1_000)
	served := map[p2p.ID]int{}
	for range 10 {
		served[serve()]++
	}
	if served[peers[2].ID()] == 0 || served[peers[1].ID()] == 0 {
		t.Errorf("batches served: %v", served)
	}
}
