package server

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

// Labels, which are called the same in the log, and values of them.
const (
	labelMethod = "method"
	labelCode   = "code"

	directionSent     = "sent"
	directionReceived = "received"

	refusedRate       = "rate"       // a client called too often
	refusedStreams    = "streams"    // too many streams were open
	refusedUnreadable = "unreadable" // a call ended before its service saw it: too large, too slow, not decodable
)

// metrics count calls. The method of a label is always one that is served, so clients cannot make up new ones.
type metrics struct {
	unarySeconds  *prometheus.HistogramVec
	streamSeconds *prometheus.HistogramVec
	inFlight      *prometheus.GaugeVec
	streamsOpen   prometheus.Gauge
	streamed      *prometheus.CounterVec
	panics        prometheus.Counter
	refused       *prometheus.CounterVec
}

func newMetrics(registerer prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		unarySeconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "makechain_rpc_duration_seconds", Help: "Time to answer a call that is not a stream.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 3, 12), // 100 microseconds to 18 seconds
		}, []string{labelMethod, labelCode}),
		streamSeconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "makechain_rpc_stream_duration_seconds", Help: "Life of a stream.",
			Buckets: prometheus.ExponentialBuckets(0.1, 8, 8), // to two days
		}, []string{labelMethod, labelCode}),
		inFlight: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "makechain_rpc_in_flight", Help: "Calls that are running.",
		}, []string{labelMethod}),
		streamsOpen: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "makechain_rpc_streams_open", Help: "Streams that are open.",
		}),
		streamed: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "makechain_rpc_stream_messages_total", Help: "Messages sent and received on streams.",
		}, []string{labelMethod, "direction"}),
		panics: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "makechain_rpc_panics_total", Help: "Calls that panicked.",
		}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "makechain_rpc_refused_total", Help: "Calls that no service saw, by reason.",
		}, []string{"reason"}),
	}
	for _, collector := range []prometheus.Collector{
		m.unarySeconds, m.streamSeconds, m.inFlight, m.streamsOpen, m.streamed, m.panics, m.refused,
	} {
		if err := registerer.Register(collector); err != nil {
			return nil, fmt.Errorf("register the metrics of calls: %w", err)
		}
	}
	return m, nil
}
