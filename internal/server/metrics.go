package server

import (
	"errors"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

// Names of labels, which are also attributes in the log, and their values.
const (
	labelMethod = "method"
	labelCode   = "code"
	labelRoute  = "route"

	directionSent     = "sent"
	directionReceived = "received"

	refusedRate        = "rate"        // the rate limit of a client address
	refusedCost        = "cost"        // the processor time that the calls of a client address took
	refusedStreams     = "streams"     // too many open streams
	refusedConnections = "connections" // connections beyond the limit of one address or of all
	refusedMemory      = "memory"      // the memory of responses that clients have not accepted
	refusedUnreadable  = "unreadable"  // a request that is too large, too slow or not decodable
)

// metrics are the metrics of calls and requests. Method and route labels are always served ones, so clients cannot create
// new values. Servers that share a registry share their metrics.
type metrics struct {
	unarySeconds  *prometheus.HistogramVec
	streamSeconds *prometheus.HistogramVec
	inFlight      *prometheus.GaugeVec
	streamsOpen   prometheus.Gauge
	streamed      *prometheus.CounterVec
	panics        prometheus.Counter
	refused       *prometheus.CounterVec

	requestSeconds   *prometheus.HistogramVec
	requestsInFlight prometheus.Gauge
}

func newMetrics(registerer prometheus.Registerer) (*metrics, error) {
	r := registration{registerer: registerer}
	m := &metrics{
		unarySeconds: shared(&r, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "makechain_rpc_duration_seconds", Help: "Duration of unary calls.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 3, 12), // 100 microseconds to 18 seconds
		}, []string{labelMethod, labelCode})),
		streamSeconds: shared(&r, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "makechain_rpc_stream_duration_seconds", Help: "Duration of streaming calls.",
			Buckets: prometheus.ExponentialBuckets(0.1, 8, 8), // 100 milliseconds to two days
		}, []string{labelMethod, labelCode})),
		inFlight: shared(&r, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "makechain_rpc_in_flight", Help: "Running calls.",
		}, []string{labelMethod})),
		streamsOpen: shared(&r, prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "makechain_rpc_streams_open", Help: "Open streaming calls.",
		})),
		streamed: shared(&r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "makechain_rpc_stream_messages_total", Help: "Messages sent and received on streams.",
		}, []string{labelMethod, "direction"})),
		panics: shared(&r, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "makechain_rpc_panics_total", Help: "Calls and requests that panicked.",
		})),
		refused: shared(&r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "makechain_rpc_refused_total", Help: "Calls and requests rejected by the server, by reason.",
		}, []string{"reason"})),
		requestSeconds: shared(&r, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "makechain_http_duration_seconds", Help: "Duration of requests that are not calls, including event streams.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 3, 12),
		}, []string{labelRoute, "class"})),
		requestsInFlight: shared(&r, prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "makechain_http_in_flight", Help: "Running requests that are not calls.",
		})),
	}
	return m, r.err
}

// A registration keeps the first registration error.
type registration struct {
	registerer prometheus.Registerer
	err        error
}

// shared registers a collector, or returns the one that another server registered before.
func shared[C prometheus.Collector](r *registration, collector C) C {
	err := r.registerer.Register(collector)
	if registered, ok := errors.AsType[prometheus.AlreadyRegisteredError](err); ok {
		if existing, isSame := registered.ExistingCollector.(C); isSame {
			return existing
		}
	}
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("register the metrics of the server: %w", err)
	}
	return collector
}
