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
)

const (
	// mempoolReactor is the engine's name of what tells peers of transactions.
	mempoolReactor = "MEMPOOL"
	// maxWaiting is how many bytes of transactions may wait until they are judged, of one peer and of all. What comes
	// beyond that is dropped: whoever has a transaction repeats it while it is pending.
	maxWaiting    = 8 << 20
	maxWaitingAll = 4 * maxWaiting
	// waitingOverhead is what a transaction takes beside its bytes.
	waitingOverhead = 64
	// maxTogether is how many are judged together.
	maxTogether = 100
)

// inbox takes what peers tell the engine's mempool. The engine would judge it in the routine that reads from the peer, one
// transaction after another, while votes and blocks that come behind them wait. Here another routine does, many at a time,
// and the engine gets those that are good.
type gossipReactor struct {
	*mempool.Reactor

	take func(transactions [][]byte) (waits []bool, err error)
	log  *slog.Logger
	wake chan struct{}

	mu      sync.Mutex // guards what follows
	waiting []arrival
	size    int            // of what waits
	sizes   map[p2p.ID]int // by peer
}

// arrival is a transaction that a peer has sent.
type arrival struct {
	from p2p.Peer
	tx   []byte
}

// withInbox puts an inbox in front of the mempool.
func withGossipReactor(take func([][]byte) ([]bool, error), log *slog.Logger) node.Option {
	return func(n *node.Node) {
		reactor := mustFindMempool(n.Switch())
		inbox := &gossipReactor{Reactor: reactor, take: take, log: log, wake: make(chan struct{}, 1), sizes: make(map[p2p.ID]int)}
		node.CustomReactors(map[string]p2p.Reactor{mempoolReactor: inbox})(n)
	}
}

// mustFindMempool finds the reactor of the kind of mempool that the settings ask for.
func mustFindMempool(all p2p.Switcher) *mempool.Reactor {
	found, _ := all.Reactor(mempoolReactor)
	reactor, ok := found.(*mempool.Reactor)
	if !ok {
		panic(fmt.Sprintf("the mempool has a reactor of type %T", found)) // start recovers it
	}
	return reactor
}

// Start begins to judge, until the engine stops.
func (i *gossipReactor) Start() error {
	err := i.Reactor.Start()
	if err == nil {
		go i.work()
	}
	return err
}

// Receive keeps what a peer sends, and does not wait.
func (i *gossipReactor) Receive(e p2p.Envelope) {
	sent, ok := e.Message.(*mempoolpb.Txs)
	if !ok || i.WaitSync() {
		i.Reactor.Receive(e) // which knows what to do with it
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	from := e.Src.ID()
	for _, tx := range sent.GetTxs() {
		size := len(tx) + waitingOverhead
		if i.sizes[from]+size > maxWaiting || i.size+size > maxWaitingAll {
			i.log.Debug("transactions of a peer were dropped", "peer", from)
			break
		}
		i.sizes[from] += size
		i.size += size
		i.waiting = append(i.waiting, arrival{e.Src, tx})
	}
	select {
	case i.wake <- struct{}{}:
	default: // it is awake
	}
}

// work judges what waits, until the engine stops.
func (i *gossipReactor) work() {
	for {
		select {
		case <-i.wake:
		case <-i.Quit():
			return
		}
		for batch := i.next(); len(batch) > 0 && i.IsRunning(); batch = i.next() {
			if err := i.judge(batch); err != nil && !errors.Is(err, ErrStopped) {
				i.log.Error("transactions of peers could not be judged", "error", err)
			}
		}
	}
}

// next takes the first of what waits out.
func (i *gossipReactor) next() []arrival {
	i.mu.Lock()
	defer i.mu.Unlock()
	batch := i.waiting[:min(len(i.waiting), maxTogether)]
	i.waiting = i.waiting[len(batch):]
	for _, a := range batch {
		size, from := len(a.tx)+waitingOverhead, a.from.ID()
		i.size -= size
		if i.sizes[from] -= size; i.sizes[from] == 0 {
			delete(i.sizes, from)
		}
	}
	return batch
}

// judge hands transactions to the application, and those that wait for a block then to the engine, which tells other
// peers of them.
func (i *gossipReactor) judge(batch []arrival) (err error) {
	defer recovered(&err)
	transactions := make([][]byte, len(batch))
	for n, a := range batch {
		transactions[n] = a.tx
	}
	waits, err := i.take(transactions)
	for n, a := range batch {
		// What was taken in before a failure waits all the same. The engine asks about a change of the validators itself.
		if n < len(waits) && waits[n] || validators.IsChange(a.tx) {
			i.Reactor.Receive(p2p.Envelope{Src: a.from, ChannelID: mempool.MempoolChannel, Message: &mempoolpb.Txs{Txs: [][]byte{a.tx}}})
		}
	}
	return err
}
