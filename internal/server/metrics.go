package server

import (
	"errors"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

// Labels, which are called the same in the log, and values of them.
const (
	labelMethod = "method"
	labelCode   = "code"
	labelRoute  = "route"

	directionSent     = "sent"
	directionReceived = "received"

	refusedRate       = "rate"       // a client called too often
	refusedStreams    = "streams"    // too many streams were open
	refusedUnreadable = "unreadable" // a call ended before its service saw it: too large, too slow, not decodable
)

// metrics count calls and requests. The method or route of a label is always one that is served, so clients cannot
// make up new ones. Servers that share a registry share their metrics.
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
			Name: "makechain_rpc_duration_seconds", Help: "Time to answer a call that is not a stream.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 3, 12), // 100 microseconds to 18 seconds
		}, []string{labelMethod, labelCode})),
		streamSeconds: shared(&r, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "makechain_rpc_stream_duration_seconds", Help: "Life of a stream.",
			Buckets: prometheus.ExponentialBuckets(0.1, 8, 8), // to two days
		}, []string{labelMethod, labelCode})),
		inFlight: shared(&r, prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "makechain_rpc_in_flight", Help: "Calls that are running.",
		}, []string{labelMethod})),
		streamsOpen: shared(&r, prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "makechain_rpc_streams_open", Help: "Streams that are open.",
		})),
		streamed: shared(&r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "makechain_rpc_stream_messages_total", Help: "Messages sent and received on streams.",
		}, []string{labelMethod, "direction"})),
		panics: shared(&r, prometheus.NewCounter(prometheus.CounterOpts{
			Name: "makechain_rpc_panics_total", Help: "Calls and requests that panicked.",
		})),
		refused: shared(&r, prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "makechain_rpc_refused_total", Help: "Calls and requests that nothing but the server saw, by reason.",
		}, []string{"reason"})),
		requestSeconds: shared(&r, prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "makechain_http_duration_seconds", Help: "Time to answer a request that is no call; for an event stream its life.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 3, 12),
		}, []string{labelRoute, "class"})),
		requestsInFlight: shared(&r, prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "makechain_http_in_flight", Help: "Requests that are no calls and are being answered.",
		})),
	}
	return m, r.err
}

// A registration remembers the first collector that could not be registered.
type registration struct {
	registerer prometheus.Registerer
	err        error
}

// shared registers a collector, or gives the same one that another server registered before.
func shared[C prometheus.Collector](r *registration, collector C) C {
	err := r.registerer.Register(collector)
	if known, isKnown := errors.AsType[prometheus.AlreadyRegisteredError](err); isKnown {
		if existing, isSame := known.ExistingCollector.(C); isSame {
			return existing
		}
	}
	if err != nil && r.err == nil {
		r.err = fmt.Errorf("register the metrics of calls: %w", err)
	}
	return collector
}
