package server

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	"makechain/internal/limit"
)

const (
	// requestMemory is the memory that each running request counts for: its goroutine, buffers and headers.
	requestMemory = 16 << 10
	// responseFactor is the memory of a response per byte of its protobuf encoding: the message and its encodings.
	responseFactor = 4
	// readReserve is the memory that a read reserves before it runs, enough for a page of 1 MiB and for the largest block.
	readReserve = 6 << 20
	// The memory of all unsent responses is this part of the memory limit of the process, within these bounds.
	responseFraction  = 32
	minResponseMemory = 64 << 20
	maxResponseMemory = 128 << 20
	// probeMemory is the memory of health checks and reflection, which other requests cannot use.
	probeMemory = 8 << 20
)

type reservationKey struct{}

// A reservation is the memory that a request and its response count for, until its handler returns. It is used by the
// goroutine of the handler only.
type reservation struct {
	budget *budget
	client netip.Prefix
	held   int64
	wait   time.Duration // for others to release memory
}

// reservationOf returns the reservation of the request of a context. It is nil for calls that this process makes for
// itself, and all methods of a nil reservation do nothing.
func reservationOf(ctx context.Context) *reservation {
	held, _ := ctx.Value(reservationKey{}).(*reservation)
	return held
}

// grow reserves n more bytes. It waits for a while until they are available, and returns an error that a client may see.
func (r *reservation) grow(ctx context.Context, n int64) error {
	if r == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, r.wait)
	defer cancel()
	if err := r.budget.acquire(ctx, r.client, n); err != nil {
		return connect.NewError(connect.CodeResourceExhausted, err)
	}
	r.held += n
	return nil
}

// shrink releases all but n bytes.
func (r *reservation) shrink(n int64) {
	if r == nil || r.held <= n {
		return
	}
	r.budget.release(r.client, r.held-n)
	r.held = n
}

// reserved returns the number of bytes that are reserved.
func (r *reservation) reserved() int64 {
	if r == nil {
		return 0
	}
	return r.held
}

// ReserveResponse runs a unary call that is made for the request of a context. Memory for the response of a read is reserved
// before the call, and that of its actual response until the request has been answered.
func ReserveResponse(ctx context.Context, method string, run func() (any, error)) error {
	held := reservationOf(ctx)
	before := held.reserved()
	if isRead(method) {
		if err := held.grow(ctx, readReserve); err != nil {
			return err
		}
	}
	response, err := run()
	if message, isMessage := response.(proto.Message); isMessage && err == nil && held != nil {
		before += responseFactor * int64(proto.Size(message))
	}
	held.shrink(before)
	return err
}

// ReserveRead reserves the memory of one large message for the stream of a context, before the message is read. Sending the
// message releases it. It does nothing for streams of this process itself.
func ReserveRead(ctx context.Context) error {
	held := reservationOf(ctx)
	if held.reserved() > requestMemory {
		return nil
	}
	return held.grow(ctx, readReserve)
}

// isRead reports whether a method may have a large response. Responses of other methods have the size of their request, and
// may take long: a submission can wait for a block.
func isRead(method string) bool {
	name := method[strings.LastIndexByte(method, '/')+1:]
	return (strings.HasPrefix(name, "Get") || strings.HasPrefix(name, "List") || strings.HasPrefix(name, "Search")) &&
		name != healthMethod && name != "GetNodeStatus"
}

// withReservation bounds the memory of requests that are running and of responses that clients have not accepted yet, of
// each client and of all. A request beyond it is rejected at once; a call that may have a large response waits for a while.
func (s *stack) withReservation(r route, next http.Handler) http.Handler {
	reject := s.counted(refusedMemory, s.rejectBusy(r.kind))
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		held := &reservation{budget: s.responses, client: s.budgetClient(req.Context()), held: requestMemory, wait: s.config.Limits.ResponseWait}
		if r.probe || isProbe(req.URL.Path) {
			held.budget = s.probes
		}
		if !held.budget.tryAcquire(held.client, requestMemory) {
			w.Header().Set("Retry-After", "1")
			reject(w, req)
			return
		}
		defer held.shrink(0)
		ctx := context.WithValue(req.Context(), reservationKey{}, held)
		next.ServeHTTP(&reservedWriter{ResponseWriter: w, reservation: held, ctx: ctx}, req.WithContext(ctx))
	})
}

// budgetClient returns the client whose share of a budget a request uses. Clients on this machine have no share, unless
// Limits.LimitLoopback is set; clients without a valid address share one.
func (s *stack) budgetClient(ctx context.Context) netip.Prefix {
	switch address := ClientAddress(ctx); {
	case !address.IsValid():
		return netip.PrefixFrom(netip.IPv4Unspecified(), netip.IPv4Unspecified().BitLen())
	case address.IsLoopback() && !s.config.Limits.LimitLoopback:
		return netip.Prefix{}
	default:
		return limit.ClientNetwork(address)
	}
}

// rejectBusy responds to a request that exceeds the memory of responses.
func (s *stack) rejectBusy(kind mountKind) http.HandlerFunc {
	if kind == plainKind {
		return s.reject(http.StatusTooManyRequests, errBudget.Error())
	}
	errorWriter := connect.NewErrorWriter()
	return func(w http.ResponseWriter, r *http.Request) {
		if errorWriter.IsSupported(r) {
			_ = errorWriter.Write(w, r, connect.NewError(connect.CodeResourceExhausted, errBudget)) // the client may have disconnected
			return
		}
		http.Error(w, errBudget.Error(), http.StatusTooManyRequests)
	}
}

// A reservedWriter reserves memory for each write of a response for which none is reserved, such as an event stream.
type reservedWriter struct {
	http.ResponseWriter

	reservation *reservation
	ctx         context.Context //nolint:containedctx // of the request
}

func (w *reservedWriter) Write(p []byte) (int, error) {
	if w.reservation.held > requestMemory || len(p) <= requestMemory {
		return w.ResponseWriter.Write(p)
	}
	if err := w.reservation.grow(w.ctx, int64(len(p))); err != nil {
		return 0, err
	}
	defer w.reservation.shrink(requestMemory)
	return w.ResponseWriter.Write(p)
}

// Unwrap returns the underlying writer, for http.ResponseController.
func (w *reservedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
