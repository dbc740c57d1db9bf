package server

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"connectrpc.com/connect"
	"github.com/prometheus/client_golang/prometheus"

	devpb "makechain/gen/makechain/dev"
	"makechain/gen/makechain/dev/devpbconnect"
	"makechain/internal/limit"
)

// testClock is a clock that tests advance.
type testClock struct{ sinceStart atomic.Int64 }

func (c *testClock) now() time.Time {
	return time.Unix(1_700_000_000, 0).Add(time.Duration(c.sinceStart.Load()))
}
func (c *testClock) advance(d time.Duration) { c.sinceStart.Add(int64(d)) }

// faucetFrom returns a client whose connections come from an address of this machine.
func (p protocol) faucetFrom(t *testing.T, r *running, address string) devpbconnect.FaucetServiceClient {
	t.Helper()
	client := p.client(t)
	transport, isTransport := client.Transport.(*http.Transport)
	if !isTransport {
		t.Fatalf("the transport is a %T", client.Transport)
	}
	transport.DialContext = (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}).DialContext
	return devpbconnect.NewFaucetServiceClient(client, r.url, p.options...)
}

// countAllowed calls until a call is rejected, and returns how many were answered and the Retry-After of the rejected one.
func countAllowed(t *testing.T, client devpbconnect.FaucetServiceClient) (allowed int, retryAfter string) {
	t.Helper()
	for range 10_000 {
		_, err := client.Claim(t.Context(), newClaim())
		if err == nil {
			allowed++
			continue
		}
		wantCode(t, err, connect.CodeResourceExhausted)
		if rejected, ok := errors.AsType[*connect.Error](err); ok {
			retryAfter = rejected.Meta().Get("Retry-After")
		}
		return allowed, retryAfter
	}
	t.Fatal("no call was rejected")
	return 0, ""
}

// TestCost checks that expensive calls of an address are rejected by what they cost, that cheap calls are limited by their
// number, and that other addresses are not affected.
func TestCost(t *testing.T) {
	t.Parallel()
	for _, p := range protocols() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			limits, clock := Limits{RequestsPerSecond: 200, Burst: 400, LimitLoopback: true}, &testClock{}
			r := start(t, Config{Limits: limits, Accounts: NewAccounts(limits, clock.now)}, &services{
				claim: func(ctx context.Context, _ *claimRequest) (*claimResponse, error) {
					if strings.HasPrefix(ClientAddress(ctx).String(), "127.0.0.1") {
						limit.Charge(ctx, 33*time.Millisecond)
					} else {
						limit.Charge(ctx, 9*requestCost/10) // a request includes that
					}
					return connect.NewResponse(&devpb.ClaimResponse{}), nil
				},
			})
			expensive, cheap := p.faucetFrom(t, r, "127.0.0.1"), p.faucetFrom(t, r, "127.0.0.2")
			for _, want := range []int{13, 6, 6} { // 13 of 33 requests each are more than the burst, 6 more than a second
				if allowed, wait := countAllowed(t, expensive); allowed != want || wait != "1" {
					t.Errorf("%d expensive calls were answered and Retry-After is %q, want %d and 1", allowed, wait, want)
				}
				clock.advance(time.Second)
			}
			r.wantMetric(t, 3, "makechain_rpc_refused_total", refusedCost)
			r.wantMetric(t, 0, "makechain_rpc_refused_total", refusedRate)
			for _, want := range []int{400, 200} {
				if allowed, _ := countAllowed(t, cheap); allowed != want {
					t.Errorf("%d cheap calls were answered, want %d", allowed, want)
				}
				clock.advance(time.Second)
			}
			r.wantMetric(t, 2, "makechain_rpc_refused_total", refusedRate)
		})
	}
}

// TestCostOfRunningCall checks that a call ends when the debt of its client is larger than a burst.
func TestCostOfRunningCall(t *testing.T) {
	t.Parallel()
	for _, p := range protocols() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			limits, clock := Limits{RequestsPerSecond: 200, Burst: 400, LimitLoopback: true}, &testClock{}
			var parts atomic.Int64
			r := start(t, Config{Limits: limits, Accounts: NewAccounts(limits, clock.now)}, &services{
				claim: func(ctx context.Context, _ *claimRequest) (*claimResponse, error) {
					for range 100 {
						limit.Charge(ctx, 90*time.Millisecond)
						if err := limit.Check(ctx); err != nil {
							return nil, err
						}
						parts.Add(1)
					}
					return connect.NewResponse(&devpb.ClaimResponse{}), nil
				},
			})
			allowed, wait := countAllowed(t, p.faucetFrom(t, r, "127.0.0.1"))
			// The debt of 410 requests is paid in 2.05 s.
			if allowed != 0 || parts.Load() != 8 || wait != "3" {
				t.Errorf("%d calls were answered, %d parts done, Retry-After is %q; want 0, 8 and 3", allowed, parts.Load(), wait)
			}
			r.wantMetric(t, 1, "makechain_rpc_refused_total", refusedCost)
		})
	}
}

// TestLargestDebt checks that the debt of an account is bounded, and that idle accounts in debt are kept until it is paid.
func TestLargestDebt(t *testing.T) {
	t.Parallel()
	clock, client := &testClock{}, testClients()[0]
	accounts := NewAccounts(Limits{RequestsPerSecond: 1, Burst: 2}, clock.now)
	accounts.account(client).charge(time.Hour)
	if debt := accounts.account(client).debt(); debt != 10*time.Second {
		t.Errorf("the debt is paid in %s, want 10s", debt)
	}
	for range 9 {
		clock.advance(time.Second)
		for _, other := range testClients()[1:] {
			accounts.account(other)
		}
	}
	if debt := accounts.account(client).debt(); debt != time.Second {
		t.Errorf("9 s later the debt is paid in %s, want 1s", debt)
	}
}

// TestMeterWaits checks that a stream waits until its client is within its budget.
func TestMeterWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		accounts := NewAccounts(Limits{RequestsPerSecond: 200, Burst: 400}, time.Now)
		metered := &meter{account: accounts.account(testClients()[0]), refusals: prometheus.NewCounter(prometheus.CounterOpts{})}
		start := time.Now()
		metered.Charge(requestCost + 600*time.Millisecond) // 200 requests more than the burst
		if err := metered.Wait(t.Context()); err != nil || time.Since(start) != time.Second {
			t.Errorf("waited %s: %v, want 1s", time.Since(start), err)
		}
		metered.Charge(time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := metered.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Wait returns %v, want the error of the context", err)
		}
	})
}

// TestUnknownPaths checks that requests of unknown paths count towards the rate limit.
func TestUnknownPaths(t *testing.T) {
	t.Parallel()
	r := start(t, Config{Limits: Limits{RequestsPerSecond: 0.001, Burst: 2, LimitLoopback: true}}, &services{})
	for _, want := range []int{http.StatusNotFound, http.StatusNotFound, http.StatusTooManyRequests} {
		if got := r.send(t, http.MethodGet, "/no/such/path", http.NoBody, http.Header{}); got.status != want {
			t.Errorf("an unknown path was answered with %d, want %d", got.status, want)
		}
	}
	r.wantMetric(t, 1, "makechain_rpc_refused_total", refusedRate)
}

// TestBurst checks that the burst follows the rate limit unless it is set.
func TestBurst(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		limits Limits
		want   int
	}{
		{Limits{}, 400},
		{Limits{RequestsPerSecond: 10}, 20},
		{Limits{RequestsPerSecond: 0.1}, 1},
		{Limits{RequestsPerSecond: -1}, 1},
		{Limits{RequestsPerSecond: 10, Burst: 5}, 5},
		{Limits{RequestsPerSecond: 1e300}, maxBurst},
	} {
		if got := test.limits.withDefaults().Burst; got != test.want {
			t.Errorf("%v requests per second, burst %d: the burst is %d, want %d", test.limits.RequestsPerSecond, test.limits.Burst, got, test.want)
		}
	}
}
