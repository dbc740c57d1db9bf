package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// atOnce returns a context that acquire does not wait with.
func atOnce(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

func TestBudgetRefuses(t *testing.T) {
	t.Parallel()
	alice, bob := netip.MustParsePrefix("192.0.2.1/32"), netip.MustParsePrefix("192.0.2.2/32")
	none := netip.Prefix{}
	type step struct {
		client  netip.Prefix
		acquire int64 // released if negative
		refused bool
	}
	for name, steps := range map[string][]step{
		"share of a client":                {{alice, 20, false}, {alice, 5, false}, {alice, 1, true}, {bob, 25, false}},
		"a released share":                 {{alice, 25, false}, {alice, -5, false}, {alice, 5, false}, {alice, 1, true}},
		"more than the share, alone":       {{alice, 60, false}, {alice, 1, true}, {bob, 40, false}},
		"more than the total":              {{alice, 101, true}, {none, 101, true}},
		"the total, of clients and others": {{alice, 25, false}, {none, 70, false}, {bob, 6, true}, {none, 6, true}, {bob, 5, false}},
		"released to others":               {{none, 100, false}, {alice, 1, true}, {none, -50, false}, {alice, 25, false}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBudget(100)
			held := map[netip.Prefix]int64{}
			for i, s := range steps {
				if s.acquire < 0 {
					b.release(s.client, -s.acquire)
				} else if err := b.acquire(atOnce(t), s.client, s.acquire); (err != nil) != s.refused || s.refused && !errors.Is(err, errBudget) {
					t.Fatalf("step %d: %v, want refused %t", i, err, s.refused)
				}
				if !s.refused {
					held[s.client] += s.acquire
				}
			}
			for client, n := range held {
				b.release(client, n)
			}
			if b.used != 0 || len(b.clients) != 0 {
				t.Errorf("after the last release, %d bytes of %d clients are in flight", b.used, len(b.clients))
			}
		})
	}
}

// TestBudgetWaits has many calls wait for a small budget: all get their bytes in the end, and the limits hold.
func TestBudgetWaits(t *testing.T) {
	t.Parallel()
	b := newBudget(64)
	var inFlight atomic.Int64
	var calls sync.WaitGroup
	for i := range 64 {
		client := netip.PrefixFrom(netip.AddrFrom4([4]byte{192, 0, 2, byte(i % 8)}), 32)
		calls.Go(func() {
			for range 50 {
				if err := b.acquire(t.Context(), client, 10); err != nil {
					t.Error(err)
					return
				}
				if now := inFlight.Add(10); now > 64 {
					t.Errorf("%d bytes are in flight", now)
				}
				inFlight.Add(-10)
				b.release(client, 10)
			}
		})
	}
	calls.Wait()
	if b.used != 0 || len(b.clients) != 0 || b.waiting != 0 {
		t.Errorf("%d bytes of %d clients are in flight, %d wait", b.used, len(b.clients), b.waiting)
	}
}

// TestBodyAfterReturn checks that a body which is read after its handler has returned, as a transport may do that passes it
// on, reserves no memory that nobody would release.
func TestBodyAfterReturn(t *testing.T) {
	t.Parallel()
	s := &stack{config: Config{Limits: Limits{}.withDefaults()}, requests: newBudget(1 << 30)}
	var body io.ReadCloser
	handler := s.withBudget(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body = r.Body
		if n, err := io.CopyN(io.Discard, body, 2*freeBodyBytes); err != nil || s.requests.used == 0 {
			t.Errorf("read %d bytes with %v and reserved %d", n, err, s.requests.used)
		}
	}))
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, "/", strings.NewReader(strings.Repeat("x", 1<<20)))
	if err != nil {
		t.Fatal(err)
	}
	handler.ServeHTTP(httptest.NewRecorder(), request)
	if _, err := io.ReadAll(body); !errors.Is(err, http.ErrBodyReadAfterClose) {
		t.Errorf("a read after the handler has returned: %v, want %v", err, http.ErrBodyReadAfterClose)
	}
	if s.requests.used != 0 {
		t.Errorf("%d bytes are reserved after the handler has returned", s.requests.used)
	}
}
