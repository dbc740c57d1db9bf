package comet

import (
	"fmt"
	"time"

	"github.com/cometbft/cometbft/blocksync"
	"github.com/cometbft/cometbft/node"
	"github.com/cometbft/cometbft/p2p"
	blocksyncpb "github.com/cometbft/cometbft/proto/tendermint/blocksync"
)

const (
	// blockSyncReactorName is CometBFT's name of the reactor that fetches blocks at the start.
	blockSyncReactorName = "BLOCKSYNC"
	// persistentGrace is how long after the start only persistent peers count for block sync, connected or not.
	persistentGrace = 10 * time.Second
)

// blockSyncReactor filters what block sync receives. CometBFT fetches blocks until it has the greatest height that any peer
// claims, or gives up after half a minute. This reactor drops the claims of other peers while a persistent peer is connected.
// Peers repeat them, so that a node that reaches no persistent peer fetches blocks from others.
type blockSyncReactor struct {
	*blocksync.Reactor

	policy  *peerPolicy
	created time.Time
}

// withBlockSyncReactor installs a blockSyncReactor.
func withBlockSyncReactor(policy *peerPolicy) node.Option {
	return func(n *node.Node) {
		b := &blockSyncReactor{Reactor: mustFindBlockSync(n.Switch()), policy: policy, created: policy.now()}
		node.CustomReactors(map[string]p2p.Reactor{blockSyncReactorName: b})(n)
	}
}

// mustFindBlockSync returns CometBFT's block sync reactor. Start recovers a panic.
func mustFindBlockSync(all p2p.Switcher) *blocksync.Reactor {
	found, _ := all.Reactor(blockSyncReactorName)
	reactor, ok := found.(*blocksync.Reactor)
	if !ok {
		panic(fmt.Sprintf("block sync has a reactor of type %T", found))
	}
	return reactor
}

// Receive drops the heights of peers that are not believed.
func (b *blockSyncReactor) Receive(e p2p.Envelope) {
	if _, isStatus := e.Message.(*blocksyncpb.StatusResponse); isStatus && !b.believes(e.Src) {
		return
	}
	b.Reactor.Receive(e)
}

func (b *blockSyncReactor) believes(peer p2p.Peer) bool {
	if len(b.policy.persistent) == 0 || b.policy.isPersistent(peer) {
		return true
	}
	if b.policy.now().Sub(b.created) < persistentGrace {
		return false
	}
	connected := false
	b.Switch.Peers().ForEach(func(other p2p.Peer) { connected = connected || b.policy.isPersistent(other) })
	return !connected
}
