package rest

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"connectrpc.com/connect"
	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/prometheus/client_golang/prometheus"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/limit"
)

// Default limits of the event streams.
const (
	// DefaultMaxEventStreams is the number of open event streams: half of the connections of a server, so that other
	// requests are served too.
	DefaultMaxEventStreams = 2_048
	// DefaultMaxClientEventStreams is the number of open event streams of one client address.
	DefaultMaxClientEventStreams = 32
	// DefaultHeartbeat is the interval between heartbeats on a stream.
	DefaultHeartbeat = 15 * time.Second
	// DefaultRingBlocks and DefaultRingBytes bound the recent events in memory, of messages and of blocks each.
	DefaultRingBlocks = 1_024
	DefaultRingBytes  = 32 << 20

	// maxCatchUps is the number of streams that read old blocks from the node at a time.
	maxCatchUps = 32
)

// StreamLimits bound the event streams. A zero field means its default.
type StreamLimits struct {
	MaxStreams       int
	MaxClientStreams int
	LimitLoopback    bool // applies MaxClientStreams to clients on this machine too
	Heartbeat        time.Duration
	RingBlocks       int
	RingBytes        int
}

func (l StreamLimits) withDefaults() StreamLimits {
	return StreamLimits{
		MaxStreams:       cmp.Or(l.MaxStreams, DefaultMaxEventStreams),
		MaxClientStreams: cmp.Or(l.MaxClientStreams, DefaultMaxClientEventStreams),
		LimitLoopback:    l.LimitLoopback,
		Heartbeat:        cmp.Or(l.Heartbeat, DefaultHeartbeat),
		RingBlocks:       cmp.Or(l.RingBlocks, DefaultRingBlocks),
		RingBytes:        cmp.Or(l.RingBytes, DefaultRingBytes),
	}
}

// streams are the event streams of a gateway.
type streams struct {
	limits           StreamLimits
	messages, blocks *hub
	refused          prometheus.Counter

	mu   sync.Mutex // guards open
	open limit.Shares
}

func newStreams(config Config) (*streams, error) {
	limits := config.Streams.withDefaults()
	messages := hubConfig{
		source:      config.Upstream,
		encode:      encodeMessages,
		ring:        ringLimits{blocks: limits.RingBlocks, bytes: limits.RingBytes},
		maxCatchUps: maxCatchUps,
		log:         config.Log,
	}
	blocks := messages
	blocks.encode = encodeBlock
	s := &streams{
		limits: limits, messages: newHub(messages), blocks: newHub(blocks),
		open: limit.Shares{Total: limits.MaxStreams, PerClient: limits.MaxClientStreams, LimitLoopback: limits.LimitLoopback},
		refused: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "makechain_event_streams_refused_total", Help: "Event streams refused because too many were open.",
		}),
	}
	return s, errors.Join(
		config.Registerer.Register(s.refused),
		config.Registerer.Register(openStreams(s.messages, "messages")),
		config.Registerer.Register(openStreams(s.blocks, "blocks")),
	)
}

func openStreams(h *hub, stream string) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "makechain_event_streams", Help: "Open event streams.", ConstLabels: prometheus.Labels{"stream": stream},
	}, func() float64 { return float64(h.count()) })
}

// take counts a stream of a client. It returns a problem when too many are open.
func (s *streams) take(client netip.Addr) *Problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	ok, totalReached := s.open.Take(client)
	if ok {
		return nil
	}
	s.refused.Inc()
	if totalReached {
		return newProblem(connect.CodeUnavailable.String(), "too many event streams are open, try again later")
	}
	return newProblem(connect.CodeResourceExhausted.String(), "too many event streams are open from this address, close some of them first")
}

// give gives a stream of a client back.
func (s *streams) give(client netip.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open.Give(client)
}

// close ends all streams and refuses new ones.
func (s *streams) close() {
	s.messages.close()
	s.blocks.close()
}

// StreamStart has the parameters of every stream. It is exported because huma ignores unexported embedded types.
type StreamStart struct {
	LastEventID positionParam `doc:"The id of the last event received."                header:"Last-Event-ID"` //nolint:tagliatelle // HTML standard
	From        positionParam `doc:"Continue after this event; default: the next one." query:"from"`
}

// position returns the position to start from, or nil for the next event.
func (s *StreamStart) position() *eventCursor {
	if s.LastEventID.cursor != nil {
		return s.LastEventID.cursor
	}
	return s.From.cursor
}

type messageStreamInput struct {
	StreamStart

	TypesQuery

	ProjectID    idParam      `doc:"Only messages about this project." query:"project_id"`
	OwnerAddress addressParam `doc:"Only messages of this account."    query:"owner_address"`
}

// filter returns the filter of a request, or nil if it has none.
func (in *messageStreamInput) filter() *eventFilter {
	f := &eventFilter{types: messageTypes(in.Types)}
	if project, ok := ident.HashFrom(in.ProjectID.bytes); ok {
		f.project = &project
	}
	if owner, ok := ident.AddressFrom(in.OwnerAddress.bytes); ok {
		f.owner = &owner
	}
	if f.matchesAll() {
		return nil
	}
	return f
}

// registerStreams adds the routes of server-sent events.
func (g *Gateway) registerStreams() {
	messages := endpoint{
		id: "stream-messages", path: "/v1/stream/messages", rpcs: []string{"SubscribeMessages"}, tag: tagStreams,
		summary: "Stream messages as they commit", responses: descriptorsOf[pb.Message](),
		description: "Server-sent events. The id of an event is its block and the index of the message in it, its data the message as " +
			"GET /v1/messages/{hash} returns it. Comments keep the connection open. If the requested position is no longer available, " +
			"an event `error` with a problem document ends the stream.",
	}
	huma.Register(g.api, g.streamOperation(messages), func(ctx context.Context, in *messageStreamInput) (*huma.StreamResponse, error) {
		return g.startStream(ctx, g.streams.messages, in.position(), in.filter())
	})
	blocks := endpoint{
		id: "stream-blocks", path: "/v1/stream/blocks", rpcs: []string{"SubscribeBlocks"}, tag: tagStreams,
		summary: "Stream blocks as they commit", responses: descriptorsOf[pb.GetBlockResponse](),
		description: "Server-sent events like those of messages. The id of an event is its block, its data the block as " +
			"GET /v1/blocks/{number} returns it.",
	}
	huma.Register(g.api, g.streamOperation(blocks), func(ctx context.Context, in *StreamStart) (*huma.StreamResponse, error) {
		return g.startStream(ctx, g.streams.blocks, in.position(), nil)
	})
}

// streamOperation returns the operation of an endpoint whose response is a stream of events.
func (g *Gateway) streamOperation(e endpoint) huma.Operation {
	op := e.operation(g.schemas())
	op.Responses[strconv.Itoa(http.StatusOK)] = &huma.Response{
		Description: e.summary + ".",
		Content:     map[string]*huma.MediaType{eventsType: {Schema: &huma.Schema{Type: huma.TypeString}}},
	}
	return op
}

// startStream opens a stream at a position. An invalid position is a problem document, but one that is no longer available
// is reported in a stream that ends at once: browsers do not show pages why a stream was refused.
func (g *Gateway) startStream(ctx context.Context, h *hub, from *eventCursor, filter *eventFilter) (*huma.StreamResponse, error) {
	client := g.config.ClientAddress(ctx)
	if problem := g.streams.take(client); problem != nil {
		return refuseStream(ctx, problem)
	}
	release := func() { g.streams.give(client) }
	l, err := h.listen(ctx, from, filter)
	switch {
	case err == nil || errors.Is(err, errPruned):
	case errors.Is(err, errFuture):
		release()
		return nil, newProblem(connect.CodeOutOfRange.String(), errFuture.Error())
	case errors.Is(err, errClosing):
		release()
		return refuseStream(ctx, newProblem(connect.CodeUnavailable.String(), errClosing.Error()))
	default:
		release()
		return refuseStream(ctx, g.problemOf(ctx, err))
	}
	return &huma.StreamResponse{Body: func(ctx huma.Context) { //nolint:contextcheck // the request has the context
		defer release()
		if l != nil {
			defer l.close()
		}
		r, w := humago.Unwrap(ctx)
		writer := newEventWriter(w, r)
		if l != nil && r.Method != http.MethodHead {
			err = writer.run(r.Context(), l, g.streams.limits.Heartbeat)
		}
		if errors.Is(err, errPruned) {
			_ = writer.fail(newProblem(connect.CodeOutOfRange.String(), errPruned.Error())) // the client may have disconnected
		}
	}}, nil
}

// refuseStream responds to a request for a stream with a problem. A browser's EventSource receives a stream that ends at
// once instead, if it may succeed later: it connects again after a stream that ended, but never after an error.
func refuseStream(ctx context.Context, problem *Problem) (*huma.StreamResponse, error) {
	request, isRequest := ctx.Value(requestKey{}).(*request)
	if !isRequest || !isTemporary(problem.Status) || !acceptsEvents(request.huma.Header("Accept")) {
		return nil, problem
	}
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		r, w := humago.Unwrap(ctx)
		writeRetry(w, r, problem.Detail)
	}}, nil
}
