// Package report says what was measured: as one JSON object, as text for people, and as a page with plots that needs
// nothing from outside.
package report

import (
	"time"

	"makechain/bench/histogram"
	"makechain/bench/process"
)

// Result is what one load did to a chain. Rates are those of the measured window alone, after the warm-up.
type Result struct {
	Parameters Parameters      `json:"parameters"`
	Machine    process.Machine `json:"machine"`
	Version    string          `json:"version"`

	// OfferedPerSecond is what was due, AcceptedPerSecond what nodes took in, CommittedPerSecond what became durable,
	// counted from block to block.
	OfferedPerSecond   float64 `json:"offered_per_second"`
	AcceptedPerSecond  float64 `json:"accepted_per_second"`
	CommittedPerSecond float64 `json:"committed_per_second"`
	// Refused counts by code. The workload has no refusals of its own: any is a defect, or a node that was overrun.
	Refused map[string]int64 `json:"refused"`
	// Unsettled is what was accepted and had not committed a while after the last message was sent.
	Unsettled int64 `json:"unsettled"`
	// LateShare is the part of the calls that could not be made when they were due, because those before had no answer
	// yet. Their latency counts from when they were due all the same.
	LateShare float64 `json:"late_share"`
	// Waits is how often a full mempool was waited for.
	Waits int64 `json:"mempool_full_waits"`

	AcceptedMS  Latency `json:"accepted_ms"`
	CommittedMS Latency `json:"committed_ms"` // until a read finds it
	StreamMS    Latency `json:"stream_ms"`    // until a subscriber has it

	BlocksPerSecond  float64 `json:"blocks_per_second"`
	MessagesPerBlock float64 `json:"messages_per_block"`
	MessageBytes     float64 `json:"message_bytes"` // mean

	// What all nodes used together, and what it took to send. They are 0 where the nodes are not ours.
	NodeCPUSecondsPerMessage      float64 `json:"node_cpu_seconds_per_message"`
	NodeCPUShare                  float64 `json:"node_cpu_share"` // of all cores
	GeneratorCPUSecondsPerMessage float64 `json:"generator_cpu_seconds_per_message"`
	GeneratorCPUShare             float64 `json:"generator_cpu_share"`
	RSSBytes                      int64   `json:"rss_bytes"`
	PeakRSSBytes                  int64   `json:"peak_rss_bytes"`
	GeneratorRSSBytes             int64   `json:"generator_rss_bytes"`
	WrittenBytesPerMessage        float64 `json:"written_bytes_per_message"`
	DiskBytesPerMessage           float64 `json:"disk_bytes_per_message"`
	// FsyncsPerMessage counts the flushes of the disk, by whatever program.
	FsyncsPerMessage float64 `json:"fsyncs_per_message"`

	Reads map[string]Reads `json:"reads"` // by kind; empty when there were none

	StateRows uint64 `json:"state_rows"` // at the end

	Series []Second `json:"series"`
}

// Parameters are what the run was asked for.
type Parameters struct {
	Mode       string  `json:"mode"` // node, or pipeline: without consensus and network
	Seed       uint64  `json:"seed"`
	Rate       float64 `json:"rate"` // 0: as fast as the nodes take it
	Seconds    float64 `json:"seconds"`
	WarmUp     float64 `json:"warm_up_seconds"`
	Batch      int     `json:"batch"`
	Accounts   int     `json:"accounts"`
	Projects   int     `json:"projects_per_account"`
	Rows       uint64  `json:"rows"`
	Lanes      int     `json:"lanes"`
	Validators int     `json:"validators"`
	Protocol   string  `json:"protocol"`
}

// Reads are those of one kind, made beside the writes.
type Reads struct {
	OfferedPerSecond float64 `json:"offered_per_second"`
	PerSecond        float64 `json:"per_second"`
	MS               Latency `json:"ms"`
}

// Second is a second of the run, warm-up included.
type Second struct {
	Accepted  int64  `json:"accepted"`
	Committed int64  `json:"committed"`
	Resident  int64  `json:"rss_bytes"`  // of all nodes
	Disk      int64  `json:"disk_bytes"` // in their homes
	Blocks    uint64 `json:"blocks"`
}

// Latency is a distribution in milliseconds.
type Latency struct {
	Count uint64  `json:"count"`
	P50   float64 `json:"p50"`
	P95   float64 `json:"p95"`
	P99   float64 `json:"p99"`
	Max   float64 `json:"max"`
}

// LatencyOf tells the percentiles of a histogram.
func LatencyOf(h *histogram.Histogram) Latency {
	return Latency{h.Count(), milliseconds(h.Quantile(0.50)), milliseconds(h.Quantile(0.95)), milliseconds(h.Quantile(0.99)), milliseconds(h.Max())}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1_000 }
