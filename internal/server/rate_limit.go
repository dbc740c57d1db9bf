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
)

const (
	// maxRateClients bounds the memory of a rate limiter: twice as many clients are remembered at most.
	maxRateClients = 32_768
	// ipv6ClientBits is what one client holds of an IPv6 address: a network gets 64 bits and chooses the rest.
	ipv6ClientBits = 64
)

// A rateLimiter gives each client a bucket of calls.
//
// Clients are remembered in two generations. When the young one is full, or as old as a bucket needs to
// refill, it becomes the old one, and the old one is forgotten. Who calls moves back to the young one. So
// whoever is forgotten for being idle has a full bucket anyway.
type rateLimiter struct {
	perSecond rate.Limit
	burst     int
	loopback  bool
	now       func() time.Time

	mu    sync.Mutex // guards what follows
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

// wait says how long a client has to wait for its next call. Zero means that this call is granted.
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
	network := clientNetwork(client)
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

// refill is how long an empty bucket takes to be full again.
func (l *rateLimiter) refill() time.Duration {
	return time.Duration(float64(l.burst) / float64(l.perSecond) * float64(time.Second))
}

func clientNetwork(client netip.Addr) netip.Prefix {
	bits := client.BitLen()
	if client.Is6() {
		bits = ipv6ClientBits
	}
	network, _ := client.Prefix(bits) // an address that is not valid gives a network that is not, the same for all
	return network
}

// errTooManyRequests tells a client to slow down.
var errTooManyRequests = errors.New("too many requests from this address, try again later")

// limitRate refuses the requests of clients that make too many, and says when to come back.
func limitRate(limiter *rateLimiter, refuse http.HandlerFunc, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		wait := limiter.wait(ClientAddress(r.Context()))
		if wait == 0 {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Retry-After", strconv.Itoa(int((wait+time.Second-1)/time.Second)))
		refuse(w, r)
	})
}

// refuseCall tells a client to slow down, in the protocol it speaks.
func refuseCall(errorWriter *connect.ErrorWriter) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if errorWriter.IsSupported(r) {
			_ = errorWriter.Write(w, r, connect.NewError(connect.CodeResourceExhausted, errTooManyRequests)) // the client may be gone
			return
		}
		http.Error(w, errTooManyRequests.Error(), http.StatusTooManyRequests)
	}
}
