// Package report formats results of load tests as JSON, as text, and as a self-contained HTML page with plots.
package report

import (
	"time"

	"makechain/bench/histogram"
	"makechain/bench/process"
)

// PartDuration is the length of the parts of a run, of which the last one may be shorter.
const PartDuration = 10 * time.Minute

// Result is the result of one load. All rates are of the measured window, after the warm-up.
type Result struct {
	Parameters Parameters      `json:"parameters"`
	Machine    process.Machine `json:"machine"`
	Version    string          `json:"version"`

	// OfferedPerSecond is the rate of due messages, AcceptedPerSecond of admitted ones, CommittedPerSecond of committed ones,
	// measured from block to block.
	OfferedPerSecond   float64 `json:"offered_per_second"`
	AcceptedPerSecond  float64 `json:"accepted_per_second"`
	CommittedPerSecond float64 `json:"committed_per_second"`
	// Refused counts refusals by code. All messages are valid: a refusal is a defect or the sign of an overloaded node.
	Refused map[string]int64 `json:"refused"`
	// Unsettled is the number of accepted messages that had not committed some time after the last one was sent.
	Unsettled int64 `json:"unsettled"`
	// LateShare is the share of calls that were late because earlier calls had not returned. Their latency is measured from
	// the due time nevertheless.
	LateShare float64 `json:"late_share"`
	// Waits is the number of calls that were repeated because the mempool was full.
	Waits int64 `json:"mempool_full_waits"`

	AcceptedMS  Latency `json:"accepted_ms"`
	CommittedMS Latency `json:"committed_ms"` // until a read returns it
	StreamMS    Latency `json:"stream_ms"`    // until a subscriber receives it
	// Parts are the parts of the window, so that a disturbance of a long run can be told from its usual latency, and a slower
	// machine from a slower node.
	Parts []Part `json:"parts"`

	BlocksPerSecond  float64 `json:"blocks_per_second"`
	MessagesPerBlock float64 `json:"messages_per_block"`
	MessageBytes     float64 `json:"message_bytes"` // mean

	// Usage of all nodes together and of the generator. It is 0 for nodes on other machines.
	NodeCPUSecondsPerMessage      float64 `json:"node_cpu_seconds_per_message"`
	NodeCPUShare                  float64 `json:"node_cpu_share"` // of all cores
	GeneratorCPUSecondsPerMessage float64 `json:"generator_cpu_seconds_per_message"`
	GeneratorCPUShare             float64 `json:"generator_cpu_share"`
	RSSBytes                      int64   `json:"rss_bytes"`
	PeakRSSBytes                  int64   `json:"peak_rss_bytes"`
	GeneratorRSSBytes             int64   `json:"generator_rss_bytes"`
	WrittenBytesPerMessage        float64 `json:"written_bytes_per_message"`
	DiskBytesPerMessage           float64 `json:"disk_bytes_per_message"`
	// WrittenByDatabase is the part of WrittenBytesPerMessage that each database wrote, as the nodes report it, by database and
	// reason. The rest is mostly the WAL of consensus messages, and the difference between bytes and pages.
	WrittenByDatabase map[string]float64 `json:"written_bytes_per_message_by_database"`
	// NetworkBytesPerMessage is what all nodes together send to other nodes. It is 0 without proxies between them.
	NetworkBytesPerMessage float64 `json:"network_bytes_per_message"`
	// CPUByNode is the CPU time of each node per second, validators first.
	CPUByNode []float64 `json:"cpu_by_node"`
	// FsyncsPerMessage counts flushes of the disk by any program.
	FsyncsPerMessage float64 `json:"fsyncs_per_message"`

	Reads map[string]Reads `json:"reads"` // by kind

	StateRows uint64 `json:"state_rows"` // at the end

	Series []Second `json:"series"`
}

// Parameters are the parameters of a run.
type Parameters struct {
	Mode       string  `json:"mode"` // node, or pipeline: without consensus and network
	Seed       uint64  `json:"seed"`
	Rate       float64 `json:"rate"` // 0: as fast as messages commit
	Seconds    float64 `json:"seconds"`
	WarmUp     float64 `json:"warm_up_seconds"`
	Batch      int     `json:"batch"`
	Accounts   int     `json:"accounts"`
	Projects   int     `json:"projects_per_account"`
	Rows       uint64  `json:"rows"`
	Lanes      int     `json:"lanes"`
	Validators int     `json:"validators"`
	Followers  int     `json:"followers"`
	Protocol   string  `json:"protocol"`
	Delay      string  `json:"delay"` // between nodes
}

// Reads is the result of the reads of one kind.
type Reads struct {
	OfferedPerSecond float64 `json:"offered_per_second"`
	PerSecond        float64 `json:"per_second"`
	MS               Latency `json:"ms"`
}

// Part is a part of the window, of PartDuration.
type Part struct {
	CommittedMS  Latency `json:"committed_ms"` // of calls that were due in the part
	NodeCPUShare float64 `json:"node_cpu_share"`
	// VerificationSeconds is the mean time in which the generator verifies one signature beside the load: the speed of the
	// machine, which others may share.
	VerificationSeconds float64 `json:"verification_seconds"`
}

// Second is one second of the run, including the warm-up.
type Second struct {
	Accepted  int64  `json:"accepted"`
	Committed int64  `json:"committed"`
	Resident  int64  `json:"rss_bytes"`  // of all nodes
	Disk      int64  `json:"disk_bytes"` // in their homes
	Blocks    uint64 `json:"blocks"`
}

// Latency is a latency distribution in milliseconds.
type Latency struct {
	Count uint64  `json:"count"`
	P50   float64 `json:"p50"`
	P95   float64 `json:"p95"`
	P99   float64 `json:"p99"`
	Max   float64 `json:"max"`
}

// LatencyOf returns the percentiles of a histogram.
func LatencyOf(h *histogram.Histogram) Latency {
	return Latency{h.Count(), milliseconds(h.Quantile(0.50)), milliseconds(h.Quantile(0.95)), milliseconds(h.Quantile(0.99)), milliseconds(h.Max())}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1_000 }
