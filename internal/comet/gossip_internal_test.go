package comet

import (
	"log/slog"
	"testing"

	cmtcfg "github.com/cometbft/cometbft/config"
	"github.com/cometbft/cometbft/mempool"
	"github.com/cometbft/cometbft/p2p"
	"github.com/cometbft/cometbft/p2p/mock"
	mempoolpb "github.com/cometbft/cometbft/proto/tendermint/mempool"
)

// TestGossipQueueLimits checks that the queue of a peer is limited without affecting another peer, and is emptied in order.
func TestGossipQueueLimits(t *testing.T) {
	t.Parallel()
	g := &gossipReactor{
		Reactor: mempool.NewReactor(cmtcfg.DefaultMempoolConfig(), nil, false), log: slog.New(slog.DiscardHandler),
		wake: make(chan struct{}, 1), sizeOf: map[p2p.ID]int{},
	}
	flooding, other := mock.NewPeer(nil), mock.NewPeer(nil)
	send := func(from p2p.Peer, transactions ...[]byte) {
		g.Receive(p2p.Envelope{Src: from, ChannelID: mempool.MempoolChannel, Message: &mempoolpb.Txs{Txs: transactions}})
	}
	const kept = maxQueuedBytes / 10_000
	for n := range 2 * kept {
		send(flooding, append([]byte{byte(n)}, make([]byte, 10_000-queuedOverhead-1)...))
	}
	send(other, []byte("first"), []byte("second"))
	got := 0
	for batch := g.next(); len(batch) > 0; batch = g.next() {
		if len(batch) > maxGossipBatch {
			t.Fatalf("a batch has %d transactions", len(batch))
		}
		for _, r := range batch {
			if r.from.ID() == flooding.ID() && r.tx[0] != byte(got) || r.from.ID() == other.ID() && got < kept {
				t.Errorf("transaction %d is %x of %s", got, r.tx[:1], r.from.ID())
			}
			got++
		}
	}
	if got != kept+2 || len(g.sizeOf) != 0 || g.size != 0 {
		t.Errorf("%d were queued, want %d; remaining sizes are %v and %d", got, kept+2, g.sizeOf, g.size)
	}
	if send(flooding, []byte("more")); len(g.next()) != 1 {
		t.Error("the queue is still full")
	}
}
