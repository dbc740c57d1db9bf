package comet

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/cometbft/cometbft/mempool"
	"github.com/cometbft/cometbft/node"
	"github.com/cometbft/cometbft/p2p"
	mempoolpb "github.com/cometbft/cometbft/proto/tendermint/mempool"

	"makechain/internal/validators"
	"makechain/message"
)

const (
	// mempoolReactor is CometBFT's name of the reactor that gossips transactions.
	mempoolReactor = "MEMPOOL"
	// maxQueuedBytes bounds the transactions of one peer that wait for admission, and maxQueuedBytesTotal those of all peers.
	// Transactions beyond are dropped: nodes broadcast pending transactions again.
	maxQueuedBytes      = 8 << 20
	maxQueuedBytesTotal = 4 * maxQueuedBytes
	// queuedOverhead is the approximate memory of a queued transaction beyond its bytes.
	queuedOverhead = 64
	// maxGossipBatch is the number of transactions that are admitted together.
	maxGossipBatch = 100
	// transactionOverhead is the most that a transaction takes of an envelope beyond its bytes.
	transactionOverhead = 8
)

// gossipReactor replaces CometBFT's mempool reactor for transactions that peers send. CometBFT would check each transaction
// in the goroutine that reads from the peer, and delay votes and blocks that follow. This reactor queues them, and one
// goroutine admits them in batches and passes the admitted ones to CometBFT's reactor.
type gossipReactor struct {
	*mempool.Reactor

	admit func(peer string, transactions [][]byte) (pending []bool, invalid, err error)
	log   *slog.Logger
	wake  chan struct{}

	mu     sync.Mutex // guards what follows
	queue  []received
	size   int            // of the queue, in bytes
	sizeOf map[p2p.ID]int // by peer
}

// received is a transaction that a peer sent.
type received struct {
	from p2p.Peer
	tx   []byte
}

// withGossipReactor installs a gossipReactor.
func withGossipReactor(
	admit func(string, [][]byte) (pending []bool, invalid, err error), log *slog.Logger,
) node.Option {
	return func(n *node.Node) {
		reactor := mustFindMempool(n.Switch())
		g := &gossipReactor{Reactor: reactor, admit: admit, log: log, wake: make(chan struct{}, 1), sizeOf: make(map[p2p.ID]int)}
		node.CustomReactors(map[string]p2p.Reactor{mempoolReactor: g})(n)
	}
}

// mustFindMempool returns CometBFT's mempool reactor. Its type depends on the settings. Start recovers a panic.
func mustFindMempool(all p2p.Switcher) *mempool.Reactor {
	found, _ := all.Reactor(mempoolReactor)
	reactor, ok := found.(*mempool.Reactor)
	if !ok {
		panic(fmt.Sprintf("the mempool has a reactor of type %T", found))
	}
	return reactor
}

// Start starts to admit transactions, until the engine stops.
func (g *gossipReactor) Start() error {
	err := g.Reactor.Start()
	if err == nil {
		go g.run()
	}
	return err
}

// Receive queues the transactions of a peer. It does not wait for their admission.
func (g *gossipReactor) Receive(e p2p.Envelope) {
	sent, ok := e.Message.(*mempoolpb.Txs)
	if !ok || g.WaitSync() {
		g.Reactor.Receive(e) // handles other messages, and drops transactions during block sync
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	from := e.Src.ID()
	for _, tx := range sent.GetTxs() {
		size := len(tx) + queuedOverhead
		if g.sizeOf[from]+size > maxQueuedBytes || g.size+size > maxQueuedBytesTotal {
			g.log.Debug("dropped transactions of a peer: the queue is full", "peer", from)
			break
		}
		g.sizeOf[from] += size
		g.size += size
		g.queue = append(g.queue, received{e.Src, tx})
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
		for batch := g.next(); len(batch) > 0 && g.IsRunning(); batch = g.next() {
			if err := g.admitBatch(batch); err != nil && !errors.Is(err, ErrStopped) {
				g.log.Error("cannot admit transactions of peers", "error", err)
			}
		}
	}
}

// next removes the first transactions from the queue.
func (g *gossipReactor) next() []received {
	g.mu.Lock()
	defer g.mu.Unlock()
	batch := g.queue[:min(len(g.queue), maxGossipBatch)]
	g.queue = g.queue[len(batch):]
	for _, r := range batch {
		size, from := len(r.tx)+queuedOverhead, r.from.ID()
		g.size -= size
		if g.sizeOf[from] -= size; g.sizeOf[from] == 0 {
			delete(g.sizeOf, from)
		}
	}
	return batch
}

// admitBatch admits transactions and passes those that are pending to CometBFT's reactor, which gossips them to other peers.
func (g *gossipReactor) admitBatch(batch []received) (err error) {
	defer recovered(&err)
	transactions := make([][]byte, len(batch))
	for i, r := range batch {
		transactions[i] = r.tx
	}
	pending, _, err := g.admit(string(batch[0].from.ID()), transactions)
	for i, r := range batch {
		// After an error, the transactions admitted before it are pending all the same. CheckTx validates validator changes.
		if i < len(pending) && pending[i] || validators.IsChange(r.tx) {
			g.Reactor.Receive(p2p.Envelope{Src: r.from, ChannelID: mempool.MempoolChannel, Message: &mempoolpb.Txs{Txs: [][]byte{r.tx}}})
		}
	}
	return err
}

// Rebroadcast sends transactions to all peers again. CometBFT sends each transaction to each peer once, and a peer that
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

// packEnvelopes packs transactions into as few envelopes as possible. Peers refuse an envelope that is larger than one with
// the largest transaction.
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
