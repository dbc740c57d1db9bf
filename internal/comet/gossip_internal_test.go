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

// TestInboxIsBounded has one peer send more than is kept for it, and another a little. What is kept is taken out in its
// order, and leaves room for more.
func TestInboxIsBounded(t *testing.T) {
	t.Parallel()
	i := &gossipReactor{
		Reactor: mempool.NewReactor(cmtcfg.DefaultMempoolConfig(), nil, false), log: slog.New(slog.DiscardHandler),
		wake: make(chan struct{}, 1), sizes: map[p2p.ID]int{},
	}
	loud, quiet := mock.NewPeer(nil), mock.NewPeer(nil)
	send := func(from p2p.Peer, transactions ...[]byte) {
		i.Receive(p2p.Envelope{Src: from, ChannelID: mempool.MempoolChannel, Message: &mempoolpb.Txs{Txs: transactions}})
	}
	const kept = maxWaiting / 10_000
	for n := range 2 * kept {
		send(loud, append([]byte{byte(n)}, make([]byte, 10_000-waitingOverhead-1)...))
	}
	send(quiet, []byte("first"), []byte("second"))
	got := 0
	for batch := i.next(); len(batch) > 0; batch = i.next() {
		if len(batch) > maxTogether {
			t.Fatalf("%d are judged together", len(batch))
		}
		for _, a := range batch {
			if a.from.ID() == loud.ID() && a.tx[0] != byte(got) || a.from.ID() == quiet.ID() && got < kept {
				t.Errorf("number %d is %x of %s", got, a.tx[:1], a.from.ID())
			}
			got++
		}
	}
	if got != kept+2 || len(i.sizes) != 0 || i.size != 0 {
		t.Errorf("%d were kept, want %d; sizes %v and %d are left", got, kept+2, i.sizes, i.size)
	}
	if send(loud, []byte("more")); len(i.next()) != 1 {
		t.Error("there is no room again")
	}
}
