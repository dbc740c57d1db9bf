package comet

import (
	"github.com/cometbft/cometbft/consensus"
	cmtlog "github.com/cometbft/cometbft/libs/log"
	"github.com/cometbft/cometbft/node"
	"github.com/cometbft/cometbft/p2p"
	rpccore "github.com/cometbft/cometbft/rpc/core"
	sm "github.com/cometbft/cometbft/state"
	"github.com/cometbft/cometbft/types"
)

// consensusReactorName is CometBFT's name of the reactor that decides blocks.
const consensusReactorName = "CONSENSUS"

// replaceConsensus replaces the consensus reactor of a node that has not started by one for an application with a Pool, and
// returns it. CometBFT's own would hash each transaction of a block twice: for its mempool, which contains none of them, and for
// an event to which nobody subscribes.
//
// The new reactor is otherwise the one that node.NewNode creates. What has no effect here is omitted: metrics, which are off, and
// the mark of a bootstrapped home, which matters to chains with vote extensions.
func replaceConsensus(n *node.Node, parts *rpccore.Environment, signal *pendingSignal, log cmtlog.Logger) *consensus.Reactor {
	settings := n.Config().Consensus
	executor := sm.NewBlockExecutor(parts.StateStore, log.With("module", "state"), n.ProxyApp().Consensus(), signal,
		n.EvidencePool(), n.BlockStore(), sm.BlockExecutorWithBlockTimeTolerance(settings.BlockTimeTolerance))
	state := consensus.NewState(settings, parts.ConsensusState.GetState(), executor, n.BlockStore(), signal, n.EvidencePool())
	state.SetLogger(log.With("module", "consensus"))
	state.SetPrivValidator(n.PrivValidator())
	reactor := consensus.NewReactor(state, n.ConsensusReactor().WaitSync())
	reactor.SetLogger(log.With("module", "consensus"))
	reactor.SetEventBus(n.EventBus()) // also that of the executor
	executor.SetEventBus(types.NopEventBus{})
	node.CustomReactors(map[string]p2p.Reactor{consensusReactorName: reactor})(n)
	return reactor
}
