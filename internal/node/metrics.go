package node

import (
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"makechain/internal/comet"
	"makechain/internal/ledger"
	"makechain/internal/mempool"
	"makechain/internal/server"
	"makechain/message"
)

// namespace is the prefix of all metric names.
const namespace = "makechain"

// metrics are the metrics of the chain. The server registers its own.
type metrics struct {
	height        prometheus.Gauge
	blockSeconds  prometheus.Histogram
	committed     *prometheus.CounterVec
	submitted     *prometheus.CounterVec
	treeSeconds   prometheus.Histogram
	commitSeconds prometheus.Histogram

	lastCommit time.Time // used by the committing goroutine only
}

func newMetrics(registerer prometheus.Registerer, pool *mempool.Pool) *metrics {
	seconds := func(name, help string) prometheus.Histogram {
		return prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: namespace, Name: name, Help: help, Buckets: prometheus.ExponentialBuckets(0.0005, 2, 16),
		})
	}
	m := &metrics{
		height: prometheus.NewGauge(prometheus.GaugeOpts{
			Namespace: namespace, Name: "block_height", Help: "Height of the latest durable block.",
		}),
		blockSeconds: seconds("block_interval_seconds", "Time between two blocks becoming durable."),
		committed: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "messages_committed_total", Help: "Messages committed, by type.",
		}, []string{"type"}),
		submitted: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "messages_submitted_total", Help: "Messages submitted, by type and refusal code; the code of admitted ones is ok.",
		}, []string{"type", "code"}),
		treeSeconds:   seconds("state_tree_seconds", "Time to compute the state root of a block."),
		commitSeconds: seconds("commit_seconds", "Time to make a block durable."),
	}
	registerer.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	registerer.MustRegister(m.height, m.blockSeconds, m.committed, m.submitted, m.treeSeconds, m.commitSeconds,
		gauge("mempool_messages", "Messages in the mempool.", func() float64 { return float64(pool.Len()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Namespace: namespace, Name: "mempool_evicted_total", Help: "Messages evicted from the full mempool.",
		}, func() float64 { return float64(pool.Evicted()) }))
	return m
}

// registerEngineMetrics registers the metrics of a node's connections.
func registerEngineMetrics(registerer prometheus.Registerer, engine *comet.Engine) {
	registerer.MustRegister(
		gauge("peers", "Connected peers.", func() float64 { return float64(engine.Status().Peers) }),
		gauge("blocks_behind", "Blocks that persistent peers have and this node has not.", func() float64 { return float64(engine.Status().Behind) }),
	)
}

func gauge(name, help string, value func() float64) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, value)
}

// Committed counts a durable block and its messages.
func (m *metrics) Committed(block *ledger.Committed) {
	now := time.Now()
	if !m.lastCommit.IsZero() {
		m.blockSeconds.Observe(now.Sub(m.lastCommit).Seconds())
	}
	m.lastCommit = now
	m.height.Set(float64(block.Height))
	for _, applied := range block.Applied {
		m.committed.WithLabelValues(typeLabel(applied.Message)).Inc()
	}
}

// countSubmitted counts a submitted message by the result of its admission.
func (m *metrics) countSubmitted(e *message.Envelope, refusal *message.Refusal) {
	code := "ok"
	if refusal != nil {
		code = string(refusal.Code)
	}
	m.submitted.WithLabelValues(typeLabel(e), code).Inc()
}

func typeLabel(e *message.Envelope) string {
	return strings.ToLower(strings.TrimPrefix(e.Type().String(), "MESSAGE_TYPE_"))
}

// progress has the height of the latest durable block, which every response contains, without a read of the store.
type progress struct {
	height atomic.Uint64
}

// Committed stores the height of a durable block.
func (p *progress) Committed(block *ledger.Committed) { p.height.Store(block.Height) }

// serverPosition returns the latest block and how far the node is behind its peers, for response headers.
func (n *Node) serverPosition() server.Position {
	status := n.engine.Status()
	return server.Position{Block: n.progress.height.Load(), CatchingUp: status.CatchingUp, Behind: status.Behind}
}
