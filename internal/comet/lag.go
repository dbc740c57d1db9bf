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
	// behindTolerance is how many blocks a node may be behind and still count as up to date: peers tell of a block
	// before it has travelled.
	behindTolerance = 10
	// behindFor is how long an answer is good. Every request asks.
	behindFor = 50 * time.Millisecond
)

// behind remembers for a moment how many blocks the engine lacks.
type lagCache struct {
	asked  atomic.Int64 // nanoseconds since 1970
	blocks atomic.Uint64
}

// missing is how many blocks peers have decided that the engine has not.
func (e *Engine) missing() uint64 {
	now := time.Now().UnixNano()
	if asked := e.lag.asked.Load(); now-asked < int64(behindFor) || !e.lag.asked.CompareAndSwap(asked, now) {
		return e.lag.blocks.Load()
	}
	var heights []uint64
	e.node.Switch().Peers().ForEach(func(peer p2p.Peer) {
		state, isState := peer.Get(types.PeerStateKey).(*consensus.PeerState)
		if !isState {
			return
		}
		// A peer says which block it works on. One that catches up itself says nothing, and has height 0.
		if height := state.GetHeight(); height > 0 {
			heights = append(heights, uint64(height-1))
		}
	})
	blocks := lacking(e.Height(), heights)
	e.lag.blocks.Store(blocks)
	return blocks
}

// lacking compares a height with what at least half of the peers have, so that a few who lie make no difference.
func lacking(own uint64, peers []uint64) uint64 {
	if len(peers) == 0 {
		return 0
	}
	slices.Sort(peers)
	middle := peers[len(peers)/2]
	return max(middle, own) - own
}
