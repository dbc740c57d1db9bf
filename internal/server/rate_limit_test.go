package server

import (
	"encoding/binary"
	"net/netip"
	"testing"
	"time"
)

// newTestLimiter grants two calls at once and one more each second, by a clock that the test sets.
func newTestLimiter() (limiter *rateLimiter, now *time.Time) {
	now = new(time.Time)
	*now = time.Unix(1_700_000_000, 0)
	return newRateLimiter(Limits{RequestsPerSecond: 1, Burst: 2}, func() time.Time { return *now }), now
}

// TestRateLimiterRefills follows one client over time.
func TestRateLimiterRefills(t *testing.T) {
	t.Parallel()
	limiter, now := newTestLimiter()
	client := netip.MustParseAddr("203.0.113.7")
	for _, step := range []struct {
		after, want time.Duration
	}{
		{0, 0},
		{0, 0},
		{0, time.Second},
		{400 * time.Millisecond, 600 * time.Millisecond}, // what was refused has cost nothing
		{600 * time.Millisecond, 0},
		{0, time.Second},
		{time.Hour, 0},
		{0, 0},
		{0, time.Second}, // a long rest fills the bucket and no more
	} {
		*now = now.Add(step.after)
		if got := limiter.wait(client); got != step.want {
			t.Errorf("%s later the client waits %s, want %s", step.after, got, step.want)
		}
	}
}

// TestRateLimiterKeepsClientsApart gives addresses buckets of their own, and one to a network of IPv6.
func TestRateLimiterKeepsClientsApart(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name          string
		first, second string
		shared        bool
	}{
		{"two addresses", "203.0.113.7", "203.0.113.8", false},
		{"one network of IPv6", "2001:db8::1", "2001:db8::ffff:2", true},
		{"two networks of IPv6", "2001:db8::1", "2001:db8:0:1::1", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			limiter, _ := newTestLimiter()
			for range 3 {
				limiter.wait(netip.MustParseAddr(test.first))
			}
			if refused := limiter.wait(netip.MustParseAddr(test.second)) > 0; refused != test.shared {
				t.Errorf("%s is refused: %t, want %t", test.second, refused, test.shared)
			}
		})
	}
}

// TestRateLimiterExempts lets loopback clients alone unless told otherwise, and everybody when it is off.
func TestRateLimiterExempts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		limits Limits
		client netip.Addr
		exempt bool
	}{
		{"loopback", Limits{RequestsPerSecond: 1, Burst: 1}, netip.MustParseAddr("127.0.0.1"), true},
		{"loopback of IPv6", Limits{RequestsPerSecond: 1, Burst: 1}, netip.IPv6Loopback(), true},
		{"loopback when asked", Limits{RequestsPerSecond: 1, Burst: 1, LimitLoopback: true}, netip.IPv6Loopback(), false},
		{"others", Limits{RequestsPerSecond: 1, Burst: 1}, netip.MustParseAddr("203.0.113.7"), false},
		{"others when it is off", Limits{RequestsPerSecond: -1, Burst: 1}, netip.MustParseAddr("203.0.113.7"), true},
		{"a client without an address", Limits{RequestsPerSecond: 1, Burst: 1}, netip.Addr{}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			now := time.Now()
			limiter := newRateLimiter(test.limits, func() time.Time { return now })
			limiter.wait(test.client)
			if exempt := limiter.wait(test.client) == 0; exempt != test.exempt {
				t.Errorf("the second call of %s is granted: %t, want %t", test.client, exempt, test.exempt)
			}
		})
	}
}

// TestRateLimiterForgets bounds the memory that clients take, in number and in time.
func TestRateLimiterForgets(t *testing.T) {
	t.Parallel()
	limiter, now := newTestLimiter()
	for i := range uint32(5 * maxRateClients) {
		limiter.wait(netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, 0x0b000000+i))))
		if remembered := len(limiter.young) + len(limiter.old); remembered > 2*maxRateClients {
			t.Fatalf("%d clients are remembered, at most %d may be", remembered, 2*maxRateClients)
		}
	}
	for range 2 {
		*now = now.Add(time.Minute)
		limiter.wait(netip.MustParseAddr("203.0.113.7"))
	}
	if remembered := len(limiter.young) + len(limiter.old); remembered > 2 {
		t.Errorf("%d clients are remembered after they were idle for minutes", remembered)
	}
}

// TestRateLimiterRemembersTheBusy does not forgive a client because others come and go.
func TestRateLimiterRemembersTheBusy(t *testing.T) {
	t.Parallel()
	limiter, _ := newTestLimiter()
	busy := netip.MustParseAddr("203.0.113.7")
	granted := 0
	for i := range uint32(4 * maxRateClients) {
		limiter.wait(netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, 0x0b000000+i))))
		if limiter.wait(busy) == 0 {
			granted++
		}
	}
	if granted != 2 {
		t.Errorf("a client that never paused was granted %d calls, want 2", granted)
	}
}
