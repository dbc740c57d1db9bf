package rest

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"connectrpc.com/connect"
	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/prometheus/client_golang/prometheus"
)

// Limits of the event streams of a gateway that names none.
const (
	// DefaultMaxEventStreams is how many event streams are open in all: half of the connections of a server, so that
	// there are always some for other requests.
	DefaultMaxEventStreams = 2_048
	// DefaultHeartbeat is the time between two signs of life on a stream.
	DefaultHeartbeat = 15 * time.Second
	// DefaultRingBlocks and DefaultRingBytes are what is held of recent events, of messages and of blocks each.
	DefaultRingBlocks = 1_024
	DefaultRingBytes  = 32 << 20

	// maxTurns is how many streams catch up at a time, so that the node is not asked by all of them at once.
	maxTurns = 32
)

// StreamLimits bound the event streams. A zero field means its default.
type StreamLimits struct {
	MaxStreams int
	Heartbeat  time.Duration
	RingBlocks int
	RingBytes  int
}

func (l StreamLimits) withDefaults() StreamLimits {
	return StreamLimits{
		MaxStreams: cmp.Or(l.MaxStreams, DefaultMaxEventStreams),
		Heartbeat:  cmp.Or(l.Heartbeat, DefaultHeartbeat),
		RingBlocks: cmp.Or(l.RingBlocks, DefaultRingBlocks),
		RingBytes:  cmp.Or(l.RingBytes, DefaultRingBytes),
	}
}

// streams are the event streams of a gateway.
type streams struct {
	limits           StreamLimits
	messages, blocks *hub
	open             atomic.Int64
	refused          prometheus.Counter
}

func newStreams(config Config) (*streams, error) {
	limits := config.Streams.withDefaults()
	each := hubConfig{
		source: upstreamBlocks{config.Upstream},
		ring:   ringLimits{blocks: limits.RingBlocks, bytes: limits.RingBytes},
		turns:  maxTurns,
		log:    config.Log,
	}
	ofMessages, ofBlocks := each, each
	ofMessages.encode, ofBlocks.encode = encodeMessages, encodeBlock
	s := &streams{
		limits: limits, messages: newHub(ofMessages), blocks: newHub(ofBlocks),
		refused: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "makechain_event_streams_refused_total", Help: "Event streams refused because too many were open.",
		}),
	}
	return s, errors.Join(
		config.Registerer.Register(s.refused),
		config.Registerer.Register(listenersOf(s.messages, "messages")),
		config.Registerer.Register(listenersOf(s.blocks, "blocks")),
	)
}

func listenersOf(h *hub, stream string) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "makechain_event_streams", Help: "Event streams that are open.", ConstLabels: prometheus.Labels{"stream": stream},
	}, func() float64 { return float64(h.count()) })
}

// close ends all streams. New ones are refused.
func (s *streams) close() {
	s.messages.close()
	s.blocks.close()
}

// admit counts a stream in, if there is room for it. Who was admitted calls release.
func (s *streams) admit() error {
	if s.open.Add(1) <= int64(s.limits.MaxStreams) {
		return nil
	}
	s.release()
	s.refused.Inc()
	return newProblem(connect.CodeUnavailable.String(), "too many event streams are open, try again later")
}

func (s *streams) release() { s.open.Add(-1) }

// begin opens a stream at a position. Nothing has been answered yet, so what is wrong with the position is a problem
// like any other, but for one that is no longer kept: browsers do not tell their pages why a stream was refused, so
// that is said in a stream that begins and ends.
func (g *Gateway) begin(ctx context.Context, h *hub, from *eventCursor, filter *eventFilter) (*huma.StreamResponse, error) {
	if err := g.streams.admit(); err != nil {
		return nil, err
	}
	l, err := h.listen(ctx, from, filter)
	if err != nil && !errors.Is(err, errNotKept) {
		g.streams.release()
		return nil, g.streamProblem(ctx, err)
	}
	return &huma.StreamResponse{Body: func(ctx huma.Context) { //nolint:contextcheck // the request has it
		defer g.streams.release()
		if l != nil {
			defer l.leave()
		}
		r, w := humago.Unwrap(ctx)
		writer := newEventWriter(w, r)
		if l != nil && r.Method != http.MethodHead {
			err = writer.follow(r.Context(), l, g.streams.limits.Heartbeat)
		}
		if errors.Is(err, errNotKept) {
			_ = writer.fail(newProblem(connect.CodeOutOfRange.String(), errNotKept.Error())) // the client may be gone
		}
	}}, nil
}

// streamProblem says why a stream does not begin.
func (g *Gateway) streamProblem(ctx context.Context, err error) *Problem {
	switch {
	case errors.Is(err, errFuture):
		return newProblem(connect.CodeOutOfRange.String(), errFuture.Error())
	case errors.Is(err, errClosing):
		return newProblem(connect.CodeUnavailable.String(), errClosing.Error())
	default:
		return g.problemOf(ctx, err)
	}
}
