package comet

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/cometbft/cometbft/consensus"
	"github.com/cometbft/cometbft/p2p"
	"github.com/cometbft/cometbft/types"
)

const (
	// lagTolerance is the number of blocks that a node may be behind without counting as catching up: peers announce a block
	// before it has arrived.
	lagTolerance = 10
	// lagTTL is how long a computed lag is cached. Every request reads it.
	lagTTL = 50 * time.Millisecond
)

// lagCache caches how many blocks the engine is behind its persistent peers.
type lagCache struct {
	computedAt atomic.Int64 // nanoseconds since 1970
	blocks     atomic.Uint64
}

// blocksBehind returns the number of blocks that persistent peers have decided and this engine has not. The heights that
// other peers announce do not count: nothing proves them. Votes for later heights, which would, are not sent to a node that
// is behind.
func (e *Engine) blocksBehind() uint64 {
	now := time.Now().UnixNano()
	if at := e.lag.computedAt.Load(); now-at < int64(lagTTL) || !e.lag.computedAt.CompareAndSwap(at, now) {
		return e.lag.blocks.Load()
	}
	var heights []uint64
	e.node.Switch().Peers().ForEach(func(peer p2p.Peer) {
		state, isState := peer.Get(types.PeerStateKey).(*consensus.PeerState)
		if !isState || !e.policy.isPersistent(peer) {
			return
		}
		// A peer announces the height it is deciding. One that is catching up announces nothing and has height 0.
		if height := state.GetHeight(); height > 0 {
			heights = append(heights, uint64(height-1))
		}
	})
	blocks := behindMedian(e.Height(), heights)
	e.lag.blocks.Store(blocks)
	return blocks
}

// behindMedian returns how far a height is below the median height of the peers. The median is not affected by a minority
// that announces wrong heights.
func behindMedian(own uint64, peers []uint64) uint64 {
	if len(peers) == 0 {
		return 0
	}
	slices.Sort(peers)
	median := peers[len(peers)/2]
	return max(median, own) - own
}
