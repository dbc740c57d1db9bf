package node

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"makechain/internal/ledger"
	"makechain/internal/server"
)

// progress knows the latest durable block, without asking the store.
type progress struct {
	height atomic.Uint64
}

// Committed is told of each durable block.
func (p *progress) Committed(block *ledger.Committed) { p.height.Store(block.Height) }

// measureProgress tells an operator how the node is connected.
func (n *Node) measureProgress() {
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, value)
	}
	n.registry.MustRegister(
		gauge("peers", "Nodes that this one is connected with.", func() float64 { return float64(n.engine.Status().Peers) }),
		gauge("blocks_behind", "Blocks that peers have and this node has not.", func() float64 { return float64(n.engine.Status().Behind) }),
	)
}

// progressed is how far the node has come, for every answer to say so.
func (n *Node) progressed() server.Position {
	status := n.engine.Status()
	return server.Position{Block: n.progress.height.Load(), CatchingUp: status.CatchingUp, Behind: status.Behind}
}
