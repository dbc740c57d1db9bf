package comet

import (
	"github.com/cometbft/cometbft/mempool"
	"github.com/cometbft/cometbft/p2p"
	mempoolpb "github.com/cometbft/cometbft/proto/tendermint/mempool"

	"makechain/message"
)

// transactionOverhead is what a transaction takes of an envelope beyond its own bytes, at most.
const transactionOverhead = 8

// Repeat tells all peers of transactions once more. The engine itself tells each peer once, and a peer that refused a
// transaction, because it had not executed a block yet, does not ask for it again. It does not wait for peers.
func (e *Engine) Rebroadcast(transactions [][]byte) {
	if e.stopping.Load() || len(transactions) == 0 {
		return
	}
	envelopes := enveloped(transactions)
	e.node.Switch().Peers().ForEach(func(peer p2p.Peer) {
		go func() {
			for _, envelope := range envelopes {
				if !peer.Send(envelope) {
					return // it is gone, or has more than enough to do
				}
			}
		}()
	})
}

// enveloped puts transactions into as few envelopes as peers take: none may be larger than one with the largest
// transaction.
func enveloped(transactions [][]byte) []p2p.Envelope {
	var envelopes []p2p.Envelope
	room := 0
	for _, tx := range transactions {
		size := len(tx) + transactionOverhead
		if size > room {
			envelopes = append(envelopes, p2p.Envelope{ChannelID: mempool.MempoolChannel, Message: new(mempoolpb.Txs)})
			room = message.MaxSize
		}
		batch := envelopes[len(envelopes)-1].Message.(*mempoolpb.Txs) //nolint:forcetypeassert // it was made above
		batch.Txs = append(batch.Txs, tx)
		room -= size
	}
	return envelopes
}
