package comet

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/cometbft/cometbft/mempool"
	"github.com/cometbft/cometbft/node"
	"github.com/cometbft/cometbft/p2p"
	mempoolpb "github.com/cometbft/cometbft/proto/tendermint/mempool"

	"makechain/message"
)

const (
	// mempoolReactor is CometBFT's name of the reactor that gossips transactions.
	mempoolReactor = "MEMPOOL"
	// transactionOverhead is the most that a transaction takes of an envelope beyond its bytes.
	transactionOverhead = 8
)

// gossipReactor replaces CometBFT's mempool reactor for an application with a Pool. CometBFT would check each transaction of a
// peer in the goroutine that reads from the peer, and delay votes and blocks that follow. This reactor queues them by peer, and
// one goroutine admits them in batches to the Pool. It disconnects a peer that sends transactions that are invalid whatever
// the state is: a node does not forward these. Transactions that are new to the Pool, from clients or peers, are queued for each
// other peer and sent to it in batches.
type gossipReactor struct {
	*mempool.AppReactor // CometBFT's, for a mempool that is part of the application; set by install

	app    *application
	signal *pendingSignal
	policy *peerPolicy
	log    *slog.Logger
	height func() int64 // of the latest block; set by install
	wake   chan struct{}
	queues *gossipQueues
	sends  sendQueues
}

func newGossipReactor(app *application, policy *peerPolicy) *gossipReactor {
	return &gossipReactor{
		app: app, signal: newPendingSignal(app.pool), policy: policy, log: app.log,
		wake: make(chan struct{}, 1), queues: newGossipQueues(),
	}
}

// install is a node.Option.
func (g *gossipReactor) install(n *node.Node) {
	g.AppReactor = mustFindMempool(n.Switch())
	g.height = n.BlockStore().Height
	node.CustomReactors(map[string]p2p.Reactor{mempoolReactor: g})(n)
}

// mustFindMempool returns CometBFT's mempool reactor. Its type depends on the settings. Start recovers a panic.
func mustFindMempool(all p2p.Switcher) *mempool.AppReactor {
	found, _ := all.Reactor(mempoolReactor)
	reactor, ok := found.(*mempool.AppReactor)
	if !ok {
		panic(fmt.Sprintf("the mempool has a reactor of type %T", found))
	}
	return reactor
}

// Start starts to admit transactions, until the engine stops.
func (g *gossipReactor) Start() error {
	err := g.AppReactor.Start()
	if err == nil {
		go g.run()
	}
	return err
}

// InitPeer adds a peer that connects, before it can send anything.
func (g *gossipReactor) InitPeer(peer p2p.Peer) p2p.Peer {
	g.queues.connect(peer)
	return peer
}

// AddPeer starts to send transactions to a peer.
func (g *gossipReactor) AddPeer(peer p2p.Peer) {
	go g.send(g.sends.connect(peer))
}

// RemovePeer removes a peer that has disconnected and drops what it sent and what was to be sent to it.
func (g *gossipReactor) RemovePeer(peer p2p.Peer, _ any) {
	g.queues.disconnect(peer)
	g.sends.disconnect(peer)
}

// Receive queues the transactions of a peer. It does not wait for their admission. During block sync it drops them.
func (g *gossipReactor) Receive(e p2p.Envelope) {
	sent, ok := e.Message.(*mempoolpb.Txs) // the channel has no other messages
	if !ok || g.WaitSync() {
		return
	}
	g.sends.received(e.Src.ID(), sent.GetTxs())
	if !g.queues.push(e.Src.ID(), sent.GetTxs()) {
		g.log.Debug("dropped transactions of a peer: the queue is full", "peer", e.Src.ID())
	}
	select {
	case g.wake <- struct{}{}:
	default: // run has not seen the last signal yet
	}
}

// run admits queued transactions until the engine stops.
func (g *gossipReactor) run() {
	for {
		select {
		case <-g.wake:
		case <-g.Quit():
			return
		}
		for from, batch := g.queues.next(); len(batch) > 0 && g.IsRunning(); from, batch = g.queues.next() {
			if err := g.admitBatch(from, batch); err != nil && !errors.Is(err, ErrStopped) {
				g.log.Error("cannot admit transactions of peers", "error", err)
			}
		}
	}
}

// admitBatch admits transactions of a peer and forwards those that are new.
func (g *gossipReactor) admitBatch(from p2p.Peer, batch [][]byte) (err error) {
	defer recovered(&err)
	start := g.policy.now()
	defer func() { g.queues.charge(from.ID(), g.policy.now().Sub(start)) }()
	added, invalid, err := g.app.admitGossip(string(from.ID()), batch)
	var forward [][]byte
	for i, isNew := range added {
		if isNew {
			forward = append(forward, batch[i])
		}
	}
	if len(forward) > 0 {
		g.sends.push(forward)
		g.signal.raise()
	}
	if invalid != nil {
		g.reject(from, invalid)
	}
	return err
}

// reject disconnects a peer that sent an invalid transaction and refuses it for a while. It keeps a persistent peer, whose
// connection also carries votes and blocks.
func (g *gossipReactor) reject(peer p2p.Peer, invalid error) {
	if g.policy.isPersistent(peer) {
		g.log.Warn("a persistent peer sent an invalid transaction", "peer", peer.ID(), "reason", invalid)
		return
	}
	g.policy.ban(peer)
	g.Switch.StopPeerForError(peer, fmt.Errorf("it sent an invalid transaction: %w", invalid))
}

// Rebroadcast sends transactions to all peers again. Each transaction is sent to each peer once otherwise, and a peer that
// refused it because it had not executed a block yet does not request it again. Rebroadcast does not wait for peers.
func (e *Engine) Rebroadcast(transactions [][]byte) {
	if e.stopping.Load() || len(transactions) == 0 {
		return
	}
	envelopes := packEnvelopes(transactions)
	e.node.Switch().Peers().ForEach(func(peer p2p.Peer) {
		go func() {
			for _, envelope := range envelopes {
				if !peer.Send(envelope) {
					return // it is disconnected or overloaded
				}
			}
		}()
	})
}

// packEnvelopes packs transactions into as few envelopes as possible, in their order. Peers refuse an envelope that is larger
// than one with the largest transaction.
func packEnvelopes(transactions [][]byte) []p2p.Envelope {
	var envelopes []p2p.Envelope
	free := 0
	for _, tx := range transactions {
		size := len(tx) + transactionOverhead
		if size > free {
			envelopes = append(envelopes, p2p.Envelope{ChannelID: mempool.MempoolChannel, Message: new(mempoolpb.Txs)})
			free = message.MaxSize
		}
		batch := envelopes[len(envelopes)-1].Message.(*mempoolpb.Txs) //nolint:forcetypeassert // assigned above
		batch.Txs = append(batch.Txs, tx)
		free -= size
	}
	return envelopes
}
