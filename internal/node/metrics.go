package node

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"makechain/internal/ledger"
	"makechain/message"
)

// namespace begins the names of all metrics.
const namespace = "makechain"

// metrics are what an operator watches of the chain itself; the server has its own of calls.
type metrics struct {
	height        prometheus.Gauge
	blockSeconds  prometheus.Histogram
	committed     *prometheus.CounterVec
	results       *prometheus.CounterVec
	treeSeconds   prometheus.Histogram
	commitSeconds prometheus.Histogram

	last time.Time // of the block before; used by one goroutine, which commits
}

func newMetrics(registerer prometheus.Registerer, pending func() float64) *metrics {
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
		results: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Name: "messages_submitted_total", Help: "Messages submitted, by type and refusal code; accepted ones have the code ok.",
		}, []string{"type", "code"}),
		treeSeconds:   seconds("state_tree_seconds", "Time to work out the state root of a block."),
		commitSeconds: seconds("commit_seconds", "Time to make a block durable."),
	}
	registerer.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	registerer.MustRegister(m.height, m.blockSeconds, m.committed, m.results, m.treeSeconds, m.commitSeconds,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Namespace: namespace, Name: "mempool_messages", Help: "Messages that wait for a block.",
		}, pending))
	return m
}

// Committed counts a block.
func (m *metrics) Committed(block *ledger.Committed) {
	now := time.Now()
	if !m.last.IsZero() {
		m.blockSeconds.Observe(now.Sub(m.last).Seconds())
	}
	m.last = now
	m.height.Set(float64(block.Height))
	for _, applied := range block.Applied {
		m.committed.WithLabelValues(typeLabel(applied.Message)).Inc()
	}
}

// submitted counts a message that a client submitted.
func (m *metrics) submitted(e *message.Envelope, refusal *message.Refusal) {
	code := "ok"
	if refusal != nil {
		code = string(refusal.Code)
	}
	m.results.WithLabelValues(typeLabel(e), code).Inc()
}

func typeLabel(e *message.Envelope) string {
	return strings.ToLower(strings.TrimPrefix(e.Type().String(), "MESSAGE_TYPE_"))
}
