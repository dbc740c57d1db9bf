package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"runtime/debug"
	"sync"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	"makechain/internal/limit"
)

const (
	// decodedFactor is the memory that a request takes, as a multiple of its encoding: the encoding and what it decodes to.
	decodedFactor = 4
	// freeBodyBytes is the size up to which bodies do not count: there are too many small ones to count each.
	freeBodyBytes = 4 << 10
	// budgetStep is how many bytes a body acquires at once.
	budgetStep = 256 << 10
	// budgetWait is how long a body waits for others to be processed.
	budgetWait = 2 * time.Second
	// maxDiscarded is how much of a body that is too large is read, as a multiple of the limit, so that the client receives
	// the error instead of a closed connection.
	maxDiscarded = 4

	// minInFlight and maxInFlight bound the default of Limits.MaxBytesInFlight, which is a part of the memory limit.
	minInFlight      = 32 << 20
	maxInFlight      = 128 << 20
	inFlightFraction = 16
)

// newRequestBudget returns the budget of request bodies. One client may always have one request of the largest size.
func newRequestBudget(limits Limits) *budget {
	b := newBudget(limits.MaxBytesInFlight)
	b.perClient = max(b.perClient, int64(limits.MaxRequestBytes)*decodedFactor)
	return b
}

// shareOfMemory returns a fraction of the memory limit of the process, at least lowest and at most highest.
func shareOfMemory(fraction, lowest, highest int64) int64 {
	memory := debug.SetMemoryLimit(-1) // returns the limit without changing it
	return min(max(memory/fraction, lowest), highest)
}

// requestLimit returns the size limit of the messages and bodies of requests to a path.
func (c Config) requestLimit(path string) int {
	if c.IsLarge != nil && c.IsLarge(path) {
		return c.Limits.MaxRequestBytes
	}
	return min(c.Limits.MaxReadBytes, c.Limits.MaxRequestBytes)
}

// withBudget reserves memory for the body of each request while it arrives, until the request ends. Compressed requests
// reserve the memory of the largest one.
func (s *stack) withBudget(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != http.NoBody {
			body := s.newBody(r)
			defer body.end()
			r.Body = body
		}
		next.ServeHTTP(w, r)
	})
}

// withCallBudget does the same for calls, and the interceptor releases what they do not need once they are decoded.
func (s *stack) withCallBudget(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != http.NoBody {
			body := s.newBody(r)
			defer body.end()
			r = r.WithContext(context.WithValue(r.Context(), bodyKey{}, body))
			r.Body = body
		}
		next.ServeHTTP(w, r)
	})
}

func (s *stack) newBody(r *http.Request) *budgetedBody {
	return &budgetedBody{
		ReadCloser: r.Body, budget: s.requests, ctx: r.Context(), client: s.budgetClient(r.Context()),
		limit: int64(s.config.requestLimit(r.URL.Path)), compressed: isCompressed(r.Header),
	}
}

// isCompressed reports whether the messages of a request may be compressed. Each protocol has a header of its own.
func isCompressed(header http.Header) bool {
	for _, name := range []string{"Grpc-Encoding", "Connect-Content-Encoding", "Content-Encoding"} {
		if encoding := header.Get(name); encoding != "" && encoding != "identity" {
			return true
		}
	}
	return false
}

// A budgetedBody is the body of a request that reserves memory while it is read.
type budgetedBody struct {
	io.ReadCloser

	budget     *budget
	ctx        context.Context //nolint:containedctx // of the request
	client     netip.Prefix
	limit      int64 // of one message
	compressed bool

	mu    sync.Mutex // guards the fields below
	read  int64      // since the last message
	held  int64      // what the budget has for this body
	ended bool       // the handler has returned
}

// Read reads and reserves memory for what it has read. It returns a *connect.Error if no memory is free, or if the body is
// much larger than its limit. Transports that pass the body on may call it until the handler has returned and afterwards.
func (b *budgetedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n == 0 {
		return n, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.read += int64(n)
	switch {
	case b.ended:
		return 0, http.ErrBodyReadAfterClose
	case b.read > maxDiscarded*b.limit+budgetStep:
		return 0, connect.NewError(connect.CodeResourceExhausted, fmt.Errorf("the request has more than %d bytes", b.limit))
	case b.read <= freeBodyBytes && !b.compressed:
		return n, err
	}
	need := min(b.read, b.limit)
	if b.compressed {
		need = b.limit
	}
	if reserveErr := b.reserve(need * decodedFactor); reserveErr != nil {
		return 0, reserveErr
	}
	return n, err
}

// reserve increases what the body holds to at least n bytes. mu must be held.
func (b *budgetedBody) reserve(n int64) error {
	if n <= b.held {
		return nil
	}
	// A multiple of the step, whatever the sizes of the reads are, so that the sum depends on the size of the body only.
	steps := (n + budgetStep - 1) / budgetStep
	more := min(steps*budgetStep, b.limit*decodedFactor) - b.held
	ctx, cancel := context.WithTimeout(b.ctx, budgetWait)
	defer cancel()
	if err := b.budget.acquire(ctx, b.client, more); err != nil {
		return connect.NewError(connect.CodeResourceExhausted, limit.ErrBusy)
	}
	b.held += more
	return nil
}

// end releases what the body holds when its handler has returned. Reads that are still running return an error.
func (b *budgetedBody) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	b.shrink(0)
}

// keep releases what the body holds beyond the memory of a decoded message.
func (b *budgetedBody) keep(message proto.Message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.read = 0
	if b.held > 0 {
		b.shrink(int64(proto.Size(message)) * decodedFactor)
	}
}

// shrink reduces what the body holds to at most n bytes. mu must be held.
func (b *budgetedBody) shrink(n int64) {
	if n < b.held {
		b.budget.release(b.client, b.held-n)
		b.held = n
	}
}

type bodyKey struct{}

// keepDecoded releases the memory that was reserved for a message of a request beyond that of the decoded message.
func keepDecoded(ctx context.Context, message any) {
	body, isReserved := ctx.Value(bodyKey{}).(*budgetedBody)
	m, isMessage := message.(proto.Message)
	if isReserved && isMessage {
		body.keep(m)
	}
}
