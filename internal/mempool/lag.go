package mempool

import (
	"fmt"

	"makechain/message"
)

// Lag is how far a node is behind the chain.
type Lag struct {
	CatchingUp bool
	Blocks     uint64 // that others have and the node has not, as far as it knows
}

func (l Lag) String() string {
	if l.Blocks == 0 {
		return "behind by a number of blocks that it does not know yet"
	}
	return fmt.Sprintf("%d blocks behind", l.Blocks)
}

// considered is a refusal as its sender is told. A node that is catching up knows of nobody and nothing that came with
// the blocks it lacks: what it would refuse because of its state, the chain may well take.
func (p *Pool) considered(refusal *message.Refusal) *message.Refusal {
	if refusal == nil || isCertain(refusal) || p.config.Lag == nil {
		return refusal
	}
	lag := p.config.Lag()
	if !lag.CatchingUp {
		return refusal
	}
	return refuse(message.CodeUnavailable, "the node is catching up with the chain and cannot judge the message yet: it is %s", lag)
}

// isCertain says whether a refusal would be the same on a node that has all blocks: what is wrong in itself is so
// everywhere, and a node knows what is pending or committed, and whether it has room.
func isCertain(refusal *message.Refusal) bool {
	switch refusal.Code {
	case message.CodeDuplicate, message.CodeMempoolFull, message.CodeUnavailable:
		return true
	default:
		return refusal.Stage == message.Verification || refusal.Stage == message.Validation
	}
}
