package server

import (
	"errors"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"connectrpc.com/connect"
	"golang.org/x/time/rate"

	"makechain/internal/limit"
)

// maxRateClients bounds the memory of a rate limiter, which keeps at most twice as many clients.
const maxRateClients = 32_768

// A rateLimiter keeps a token bucket for each client.
//
// Clients are kept in two generations. When the young generation is full, or older than the time in which an empty bucket
// refills, it replaces the old generation. A client that calls moves to the young generation, so a client that is dropped
// because it was idle had a full bucket.
type rateLimiter struct {
	perSecond rate.Limit
	burst     int
	loopback  bool
	now       func() time.Time

	mu    sync.Mutex // guards the fields below
	young map[netip.Prefix]*rate.Limiter
	old   map[netip.Prefix]*rate.Limiter
	born  time.Time
}

func newRateLimiter(limits Limits, now func() time.Time) *rateLimiter {
	return &rateLimiter{
		perSecond: rate.Limit(limits.RequestsPerSecond), burst: limits.Burst, loopback: limits.LimitLoopback,
		now: now, young: map[netip.Prefix]*rate.Limiter{}, born: now(),
	}
}

// wait returns how long a client has to wait until its next request. Zero means that this request is allowed.
func (l *rateLimiter) wait(client netip.Addr) time.Duration {
	if l.perSecond < 0 || client.IsLoopback() && !l.loopback {
		return 0
	}
	now := l.now()
	reservation := l.bucket(client, now).ReserveN(now, 1)
	wait := reservation.DelayFrom(now)
	if wait > 0 {
		reservation.CancelAt(now)
	}
	return wait
}

func (l *rateLimiter) bucket(client netip.Addr, now time.Time) *rate.Limiter {
	network := limit.ClientNetwork(client)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.young) >= maxRateClients || now.Sub(l.born) > l.refill() {
		l.young, l.old, l.born = make(map[netip.Prefix]*rate.Limiter), l.young, now
	}
	bucket := l.young[network]
	if bucket == nil {
		if bucket = l.old[network]; bucket == nil {
			bucket = rate.NewLimiter(l.perSecond, l.burst)
		}
		l.young[network] = bucket
	}
	return bucket
}

// refill returns how long an empty bucket takes to refill.
func (l *rateLimiter) refill() time.Duration {
	return time.Duration(float64(l.burst) / float64(l.perSecond) * float64(time.Second))
}

var errTooManyRequests = errors.New("too many requests from this address, try again later")

// limitRate rejects the requests of clients that exceed the rate limit, with a Retry-After header.
func limitRate(limiter *rateLimiter, reject http.HandlerFunc, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		wait := limiter.wait(ClientAddress(r.Context()))
		if wait == 0 {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Retry-After", strconv.Itoa(int((wait+time.Second-1)/time.Second)))
		reject(w, r)
	})
}

// rejectCall responds to a call that exceeds the rate limit, in the protocol of the call.
func rejectCall(errorWriter *connect.ErrorWriter) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if errorWriter.IsSupported(r) {
			_ = errorWriter.Write(w, r, connect.NewError(connect.CodeResourceExhausted, errTooManyRequests)) // the client may have disconnected
			return
		}
		http.Error(w, errTooManyRequests.Error(), http.StatusTooManyRequests)
	}
}
