package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"connectrpc.com/connect"
	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/protobuf/proto"

	"makechain/internal/limit"
)

var (
	errTooManyStreams       = errors.New("too many streams are open on this node, try again later")
	errTooManyClientStreams = errors.New("too many streams are open from this address, close some of them first")
	errShuttingDown         = errors.New("the server is shutting down")
)

// inProcess is logged as the protocol of calls that do not come over a connection.
const inProcess = "in-process"

// An interceptor limits, measures and logs every call, and decides which errors a client sees. It wraps the handlers of
// the services, and runs calls that are made in this process.
type interceptor struct {
	unaryTimeout     time.Duration
	maxResponseBytes int
	streams          *streamShares
	probeStreams     *streamShares   // of the health and reflection services
	draining         context.Context //nolint:containedctx // it is canceled when the server starts to close
	metrics          *metrics
	log              *slog.Logger
}

var _ connect.Interceptor = (*interceptor)(nil)

// WrapUnary runs a unary call.
func (i *interceptor) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, req connect.AnyRequest) (res connect.AnyResponse, err error) {
		markDecoded(ctx)
		chargeBytes(ctx, req.Any())
		keepDecoded(ctx, req.Any())
		err = i.unary(ctx, req.Spec().Procedure, req.Peer().Protocol, func(ctx context.Context) (any, error) {
			if res, err = next(ctx, req); err != nil {
				return nil, err
			}
			return res.Any(), nil
		})
		if err != nil {
			return nil, err
		}
		return res, nil
	}
}

// unary runs a call that is not a stream, with the unary timeout or the shorter one of the client. It returns nil or a
// *connect.Error that a client may see.
func (i *interceptor) unary(ctx context.Context, method, protocol string, run func(context.Context) (any, error)) error {
	ctx, cancel := context.WithTimeout(ctx, i.unaryTimeout)
	defer cancel()
	start := time.Now()
	err := i.run(ctx, method, func() error {
		return ReserveResponse(ctx, method, func() (any, error) {
			response, err := run(ctx)
			if err != nil {
				return nil, err
			}
			_, err = checkSize(ctx, response, i.maxResponseBytes)
			return response, err
		})
	})
	i.metrics.unarySeconds.WithLabelValues(method, codeName(err)).Observe(time.Since(start).Seconds())
	i.logCall(ctx, method, protocol, start, err)
	return err
}

// WrapStreamingHandler runs a streaming call, unless too many are open, and counts its messages.
func (i *interceptor) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		markDecoded(ctx)
		method, client, shares := conn.Spec().Procedure, ClientAddress(ctx), i.streams
		if isProbe(method) {
			shares = i.probeStreams
		}
		if err := shares.take(client); err != nil {
			i.metrics.refused.WithLabelValues(refusedStreams).Inc()
			return connect.NewError(connect.CodeResourceExhausted, err)
		}
		defer shares.give(client)
		return i.stream(ctx, method, conn.Peer().Protocol, func(ctx context.Context) error {
			return next(ctx, &countingConn{
				StreamingHandlerConn: conn,
				ctx:                  ctx,
				reservation:          reservationOf(ctx),
				maxResponseBytes:     i.maxResponseBytes,
				sent:                 i.metrics.streamed.WithLabelValues(method, directionSent),
				received:             i.metrics.streamed.WithLabelValues(method, directionReceived),
			})
		})
	}
}

// stream runs a streaming call: without a timeout, but canceled when the server closes.
func (i *interceptor) stream(ctx context.Context, method, protocol string, run func(context.Context) error) error {
	i.metrics.streamsOpen.Inc()
	defer i.metrics.streamsOpen.Dec()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(i.draining, func() { cancel(errShuttingDown) })() //nolint:contextcheck // the server closes, not the call

	start := time.Now()
	err := i.run(ctx, method, func() error { return run(ctx) })
	i.metrics.streamSeconds.WithLabelValues(method, codeName(err)).Observe(time.Since(start).Seconds())
	i.logCall(ctx, method, protocol, start, err)
	return err
}

// WrapStreamingClient does nothing: the server makes no calls.
func (*interceptor) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

// run runs a call and recovers its panics. It returns nil or a *connect.Error that a client may see: errors with a code
// pass unchanged, others are logged and replaced by "internal" with the request id.
func (i *interceptor) run(ctx context.Context, method string, call func() error) (err error) {
	inFlight := i.metrics.inFlight.WithLabelValues(method)
	inFlight.Inc()
	defer inFlight.Dec()
	defer func() {
		switch value := recover(); value {
		case nil:
		case http.ErrAbortHandler:
			panic(value) // invariant: net/http closes the connection on this panic
		default:
			i.metrics.panics.Inc()
			i.log.LogAttrs(ctx, slog.LevelError, "panic", slog.String(labelMethod, method),
				slog.String("panic", fmt.Sprint(value)), slog.String("stack", string(debug.Stack())))
			err = internalError(ctx)
		}
	}()
	err = call()
	coded := (*connect.Error)(nil)
	switch {
	case err == nil:
		return nil
	case errors.Is(context.Cause(ctx), errShuttingDown) && isCancellation(err):
		return connect.NewError(connect.CodeUnavailable, errShuttingDown)
	case errors.As(err, &coded):
		return coded
	case errors.Is(err, context.Canceled):
		return connect.NewError(connect.CodeCanceled, context.Canceled)
	case errors.Is(err, context.DeadlineExceeded):
		return connect.NewError(connect.CodeDeadlineExceeded, context.DeadlineExceeded)
	default:
		i.log.LogAttrs(ctx, slog.LevelError, "unexpected error", slog.String(labelMethod, method), slog.String("error", err.Error()))
		return internalError(ctx)
	}
}

func isCancellation(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, errShuttingDown) || connect.CodeOf(err) == connect.CodeCanceled
}

func internalError(ctx context.Context) error {
	return connect.NewError(connect.CodeInternal, errors.New(internalReason(ctx)))
}

// internalReason returns the text that replaces an unexpected error in a response.
func internalReason(ctx context.Context) string { return "internal error, request " + RequestID(ctx) }

// logCall logs the outcome of a call.
func (i *interceptor) logCall(ctx context.Context, method, protocol string, start time.Time, err error) {
	level := callLevel(err)
	client := ClientAddress(ctx)
	if level == slog.LevelInfo && (isObserved(ctx) || !client.IsValid()) {
		level = slog.LevelDebug // the request has a log line of its own, or the call comes from this process
	}
	if !i.log.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String(labelMethod, method), slog.String("protocol", protocol), slog.String(labelCode, codeName(err)),
		slog.Duration("duration", time.Since(start)), slog.String("client", client.String()),
	}
	if err != nil {
		attrs = append(attrs, slog.String("error", err.Error()))
	}
	i.log.LogAttrs(ctx, level, "call", attrs...)
}

// callLevel returns the level at which a call is logged: debug for a success and for a lookup that finds nothing, a
// warning for an error of the node, info for other errors.
func callLevel(err error) slog.Level {
	if err == nil {
		return slog.LevelDebug
	}
	switch connect.CodeOf(err) {
	case connect.CodeNotFound:
		return slog.LevelDebug
	case connect.CodeInternal, connect.CodeUnknown, connect.CodeDataLoss:
		return slog.LevelWarn
	default:
		return slog.LevelInfo
	}
}

// codeName returns the code of an error as metrics and logs name it.
func codeName(err error) string {
	if err == nil {
		return "ok"
	}
	return connect.CodeOf(err).String()
}

// checkSize returns the size of a response, which it charges to the client, or an error for one that is larger than clients
// accept. Connect's own limit applies after compression, that of clients after decompression.
func checkSize(ctx context.Context, response any, maxBytes int) (size int, err error) {
	if size = chargeBytes(ctx, response); size > maxBytes {
		return 0, connect.NewError(connect.CodeResourceExhausted, fmt.Errorf("the response has %d bytes, the limit is %d", size, maxBytes))
	}
	return size, nil
}

// chargeBytes charges the cost of decoding or encoding a message to the client of a call, and returns its size.
func chargeBytes(ctx context.Context, value any) (size int) {
	message, isMessage := value.(proto.Message)
	if !isMessage {
		return 0
	}
	size = proto.Size(message)
	limit.Charge(ctx, time.Duration(size)*limit.CostByte)
	return size
}

// A countingConn checks the size of the messages of a stream and counts them.
type countingConn struct {
	connect.StreamingHandlerConn

	ctx              context.Context //nolint:containedctx // of the call
	reservation      *reservation
	maxResponseBytes int
	sent, received   prometheus.Counter
}

func (c *countingConn) Send(message any) error {
	size, err := checkSize(c.ctx, message, c.maxResponseBytes)
	if err != nil {
		return err
	}
	if size > requestMemory && c.reservation.reserved() <= requestMemory { // ReserveRead was not called
		if err := c.reservation.grow(c.ctx, responseFactor*int64(size)); err != nil {
			return err
		}
	}
	defer c.reservation.shrink(requestMemory)
	if err := c.StreamingHandlerConn.Send(message); err != nil {
		return err
	}
	if message != nil { // nil sends only the headers
		c.sent.Inc()
	}
	return nil
}

func (c *countingConn) Receive(message any) error {
	if err := c.StreamingHandlerConn.Receive(message); err != nil {
		return err
	}
	keepDecoded(c.ctx, message)
	c.received.Inc()
	return nil
}

type decodedKey struct{}

// markDecoded records that the request of a call was decoded.
func markDecoded(ctx context.Context) {
	if decoded, ok := ctx.Value(decodedKey{}).(*bool); ok {
		*decoded = true
	}
}

// reportUndecoded calls report for calls whose request could not be decoded. Connect decodes the request of a unary call
// before any interceptor runs, so such a call would otherwise be neither logged nor counted.
func reportUndecoded(report func(*http.Request), next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var decoded bool
		r = r.WithContext(context.WithValue(r.Context(), decodedKey{}, &decoded))
		next.ServeHTTP(w, r)
		if !decoded {
			report(r)
		}
	})
}
