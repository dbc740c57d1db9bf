package comet

import (
	"encoding/binary"
	"testing"

	"github.com/cometbft/cometbft/p2p/mock"
)

// numbered returns count transactions of a size, each different, from a first number on.
func numbered(first, count, size int) [][]byte {
	transactions := make([][]byte, count)
	for i := range transactions {
		transactions[i] = make([]byte, size)
		binary.BigEndian.PutUint32(transactions[i], uint32(first+i))
	}
	return transactions
}

func numberOf(tx []byte) int { return int(binary.BigEndian.Uint32(tx)) }

// TestSendQueueLimits checks that the queue of a peer that does not read is limited, and that transactions leave it in their
// order, in batches of limited size.
func TestSendQueueLimits(t *testing.T) {
	t.Parallel()
	const size = 10_000
	peer := mock.NewPeer(nil)
	var s sendQueues
	q := s.connect(peer)
	for i := range 100 {
		s.push(numbered(i*10, 10, size))
	}
	kept := maxSendBytes / (size + queuedOverhead)
	if len(q.transactions) != kept || q.size > maxSendBytes {
		t.Errorf("%d transactions of %d bytes are queued, want %d", len(q.transactions), q.size, kept)
	}
	next := 0
	for batch := q.next(); len(batch) > 0; batch = q.next() {
		if len(batch)*size > maxSendBatch {
			t.Errorf("a batch has %d bytes", len(batch)*size)
		}
		for _, tx := range batch {
			if numberOf(tx) != next {
				t.Fatalf("transaction %d comes after %d", numberOf(tx), next-1)
			}
			next++
		}
	}
	if next != kept || q.size != 0 {
		t.Errorf("%d transactions left the queue, want %d; the remaining size is %d", next, kept, q.size)
	}
	s.push(numbered(kept, 1, 10*maxSendBatch))
	if batch := q.next(); len(batch) != 1 {
		t.Error("a transaction that is larger than a batch is not sent")
	}
	s.disconnect(peer)
	if s.push(numbered(0, 1, size)); len(q.transactions) != 0 || len(s.peers) != 0 {
		t.Error("a transaction is queued for a peer that has disconnected")
	}
}

// TestSendQueueKnown checks that a transaction is neither sent back to the peer that sent it nor sent twice, wherever in the queue it
// is, and that the memory for that is limited.
func TestSendQueueKnown(t *testing.T) {
	t.Parallel()
	var s sendQueues
	peer, other := mock.NewPeer(nil), mock.NewPeer(nil)
	q, all := s.connect(peer), s.connect(other)
	s.push(numbered(0, 10, 100))
	s.received(peer.ID(), append(numbered(0, 8, 100), numbered(0, 8, 100)...))
	if batch := q.next(); len(batch) != 2 || numberOf(batch[0]) != 8 {
		t.Errorf("%d transactions are sent to the peer, want the last two", len(batch))
	}
	if batch := all.next(); len(batch) != 10 {
		t.Errorf("%d transactions are sent to the other peer, want 10", len(batch))
	}
	q.replace(numbered(0, 12, 100))
	if batch := q.next(); len(batch) != 2 || numberOf(batch[0]) != 10 || q.size != 0 {
		t.Errorf("%d transactions are sent again, want the last two", len(batch))
	}
	s.received(peer.ID(), numbered(100, maxKnown, 100))
	if len(q.known) != maxKnown || len(q.order) != maxKnown {
		t.Errorf("%d transactions are remembered", len(q.known))
	}
	s.push(numbered(0, 8, 100))
	if batch := q.next(); len(batch) != 8 {
		t.Errorf("%d transactions are sent, want those that the peer sent long ago", len(batch))
	}
}
