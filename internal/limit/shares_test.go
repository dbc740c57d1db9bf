package limit_test

import (
	"net/netip"
	"testing"

	"makechain/internal/limit"
)

// TestShares takes and gives shares of several clients.
func TestShares(t *testing.T) {
	t.Parallel()
	shares := limit.Shares{Total: 5, PerClient: 2}
	for i, step := range []struct {
		client           string
		give             bool
		ok, totalReached bool
	}{
		{client: "203.0.113.7", ok: true},
		{client: "203.0.113.7", ok: true},
		{client: "203.0.113.7"},
		{client: "203.0.113.8", ok: true},
		{client: "127.0.0.1", ok: true},
		{client: "127.0.0.1", ok: true},
		{client: "127.0.0.1", totalReached: true},
		{client: "203.0.113.7", give: true},
		{client: "127.0.0.1", ok: true}, // three: loopback clients are limited only in total
		{client: "127.0.0.1", give: true},
		{client: "203.0.113.7", ok: true},
		{client: "203.0.113.8", totalReached: true},
	} {
		client := netip.MustParseAddr(step.client)
		if step.give {
			shares.Give(client)
			continue
		}
		if ok, totalReached := shares.Take(client); ok != step.ok || totalReached != step.totalReached {
			t.Errorf("step %d: %s takes one: %t, total reached: %t; want %t, %t", i, client, ok, totalReached, step.ok, step.totalReached)
		}
	}
}

// TestSharesOfNetwork checks that the addresses of one IPv6 network are one client, and loopback clients are limited if
// configured.
func TestSharesOfNetwork(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		first, second string
		loopback, ok  bool
	}{
		{"2001:db8::1", "2001:db8::2", false, false},
		{"2001:db8::1", "2001:db8:0:1::1", false, true},
		{"127.0.0.1", "127.0.0.1", true, false},
		{"::1", "::1", false, true},
	} {
		shares := limit.Shares{Total: 5, PerClient: 1, LimitLoopback: test.loopback}
		shares.Take(netip.MustParseAddr(test.first))
		if ok, _ := shares.Take(netip.MustParseAddr(test.second)); ok != test.ok {
			t.Errorf("%s takes one after %s: %t, want %t", test.second, test.first, ok, test.ok)
		}
	}
}
