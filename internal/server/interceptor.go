package server

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"connectrpc.com/connect"
)

// errTooManyStreams and errShuttingDown are what a stream is refused or ended with.
var (
	errTooManyStreams = errors.New("too many streams are open on this node, try again later")
	errShuttingDown   = errors.New("the server is shutting down")
)

// An interceptor stands around every call: it bounds, counts and logs it, and decides what a client gets
// to know about a failure.
type interceptor struct {
	unaryTimeout     time.Duration
	maxResponseBytes int
	maxStreams       int64
	streams          atomic.Int64
	draining         context.Context //nolint:containedctx // it ends when the server begins to close
	metrics          *metrics
	log              *slog.Logger
}

var _ connect.Interceptor = (*interceptor)(nil)

// WrapUnary gives a call a deadline. A shorter one of the client's stays.
func (i *interceptor) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, req connect.AnyRequest) (connect.AnyResponse, error) {
		markReached(ctx)
		ctx, cancel := context.WithTimeout(ctx, i.unaryTimeout)
		defer cancel()
		call := begin(req.Spec(), req.Peer())
		var res connect.AnyResponse
		err := i.guard(ctx, call.method, func() (err error) {
			if res, err = next(ctx, req); err != nil {
				return err
			}
			return checkSize(res.Any(), i.maxResponseBytes)
		})
		i.metrics.unarySeconds.WithLabelValues(call.method, codeName(err)).Observe(call.seconds())
		i.end(ctx, call, err)
		if err != nil {
			return nil, err
		}
		return res, nil
	}
}

// WrapStreamingHandler gives a call no deadline, but ends it when the server closes.
func (i *interceptor) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		markReached(ctx)
		defer i.streams.Add(-1)
		if i.streams.Add(1) > i.maxStreams {
			i.metrics.refused.WithLabelValues(refusedStreams).Inc()
			return connect.NewError(connect.CodeResourceExhausted, errTooManyStreams)
		}
		i.metrics.streamsOpen.Inc()
		defer i.metrics.streamsOpen.Dec()
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(i.draining, func() { cancel(errShuttingDown) })() //nolint:contextcheck // the server closes, not the call

		call := begin(conn.Spec(), conn.Peer())
		watched := &watchedConn{
			StreamingHandlerConn: conn,
			maxResponseBytes:     i.maxResponseBytes,
			sent:                 i.metrics.streamed.WithLabelValues(call.method, directionSent),
			received:             i.metrics.streamed.WithLabelValues(call.method, directionReceived),
		}
		err := i.guard(ctx, call.method, func() error { return next(ctx, watched) })
		i.metrics.streamSeconds.WithLabelValues(call.method, codeName(err)).Observe(call.seconds())
		i.end(ctx, call, err)
		return err
	}
}

// WrapStreamingClient does nothing: the server calls nobody.
func (*interceptor) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

// A call is one that is running.
type call struct {
	method   string
	protocol string
	began    time.Time
}

func (c call) seconds() float64 { return time.Since(c.began).Seconds() }

func begin(spec connect.Spec, peer connect.Peer) call {
	return call{method: spec.Procedure, protocol: peer.Protocol, began: time.Now()}
}

// end writes a call's line in the log.
func (i *interceptor) end(ctx context.Context, ended call, err error) {
	level := logLevel(err)
	client := ClientAddress(ctx)
	if level == slog.LevelInfo && (isObserved(ctx) || !client.IsValid()) {
		level = slog.LevelDebug // one line tells of it already, or the program asked itself
	}
	if !i.log.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String(labelMethod, ended.method), slog.String("protocol", ended.protocol), slog.String(labelCode, codeName(err)),
		slog.Duration("duration", time.Since(ended.began)), slog.String("client", client.String()),
	}
	if err != nil {
		attrs = append(attrs, slog.String("error", err.Error()))
	}
	i.log.LogAttrs(ctx, level, "call", attrs...)
}

// logLevel is low for what went well, higher for what a client did wrong, and a warning for what we did.
func logLevel(err error) slog.Level {
	if err == nil {
		return slog.LevelDebug
	}
	switch connect.CodeOf(err) {
	case connect.CodeInternal, connect.CodeUnknown, connect.CodeDataLoss:
		return slog.LevelWarn
	default:
		return slog.LevelInfo
	}
}

// codeName is the code of a call as metrics and logs name it.
func codeName(err error) string {
	if err == nil {
		return "ok"
	}
	return connect.CodeOf(err).String()
}
