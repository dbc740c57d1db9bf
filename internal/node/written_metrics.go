package node

import (
	"github.com/prometheus/client_golang/prometheus"

	"makechain/internal/comet"
	"makechain/internal/store"
)

// writtenCollector exports the bytes that the databases of a node have written since it was started.
type writtenCollector struct {
	description *prometheus.Desc
	store       *store.Store
	engine      *comet.Engine
}

func newWrittenCollector(s *store.Store, engine *comet.Engine) *writtenCollector {
	return &writtenCollector{
		description: prometheus.NewDesc(prometheus.BuildFQName(namespace, "", "database_written_bytes_total"),
			"Bytes that a database has written since the node was started, by reason: wal, flush, compaction, or parts for the parts of blocks.",
			[]string{"database", "reason"}, nil),
		store: s, engine: engine,
	}
}

// Describe implements prometheus.Collector.
func (c *writtenCollector) Describe(descriptions chan<- *prometheus.Desc) {
	descriptions <- c.description
}

// Collect implements prometheus.Collector.
func (c *writtenCollector) Collect(metrics chan<- prometheus.Metric) {
	state, blocks, consensus := c.store.Written(), c.engine.WrittenBlocks(), c.engine.WrittenState()
	add := func(database, reason string, bytes uint64) {
		metrics <- prometheus.MustNewConstMetric(c.description, prometheus.CounterValue, float64(bytes), database, reason)
	}
	addDatabase := func(database string, wal, flush, compaction uint64) {
		add(database, "wal", wal)
		add(database, "flush", flush)
		add(database, "compaction", compaction)
	}
	addDatabase("state", state.WAL, state.Flush, state.Compaction)
	addDatabase("blocks", blocks.WAL, blocks.Flush, blocks.Compaction)
	add("blocks", "parts", blocks.Parts)
	addDatabase("consensus", consensus.WAL, consensus.Flush, consensus.Compaction)
}
