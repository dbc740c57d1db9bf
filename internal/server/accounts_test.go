package server

import (
	"encoding/binary"
	"net/netip"
	"testing"
	"time"
)

// newTestAccounts returns accounts of one call per second with a burst of two, and their clock.
func newTestAccounts() (accounts *Accounts, now *time.Time) {
	now = new(time.Time)
	*now = time.Unix(1_700_000_000, 0)
	return NewAccounts(Limits{RequestsPerSecond: 1, Burst: 2}, func() time.Time { return *now }), now
}

// testClients returns the addresses of some clients.
func testClients() []netip.Addr {
	return []netip.Addr{netip.MustParseAddr("203.0.113.7"), netip.MustParseAddr("203.0.113.8"), netip.MustParseAddr("2001:db8::1")}
}

// wait takes a request of a client, or returns how long it has to wait.
func (a *Accounts) wait(client netip.Addr) time.Duration {
	account := a.account(client)
	if account == nil {
		return 0
	}
	wait, _ := account.take()
	return wait
}

// TestAccountsRefills checks how long one client has to wait over time.
func TestAccountsRefills(t *testing.T) {
	t.Parallel()
	accounts, now := newTestAccounts()
	client := netip.MustParseAddr("203.0.113.7")
	for _, step := range []struct {
		after, want time.Duration
	}{
		{0, 0},
		{0, 0},
		{0, time.Second},
		{400 * time.Millisecond, 600 * time.Millisecond}, // the rejected request used no token
		{600 * time.Millisecond, 0},
		{0, time.Second},
		{time.Hour, 0},
		{0, 0},
		{0, time.Second}, // a long rest fills the bucket and no more
	} {
		*now = now.Add(step.after)
		if got := accounts.wait(client); got != step.want {
			t.Errorf("%s later the client waits %s, want %s", step.after, got, step.want)
		}
	}
}

// TestAccountsOfNetworks checks that addresses have separate buckets, and that an IPv6 network has one.
func TestAccountsOfNetworks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name          string
		first, second string
		shared        bool
	}{
		{"two addresses", "203.0.113.7", "203.0.113.8", false},
		{"one IPv6 network", "2001:db8::1", "2001:db8::ffff:2", true},
		{"two IPv6 networks", "2001:db8::1", "2001:db8:0:1::1", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			accounts, _ := newTestAccounts()
			for range 3 {
				accounts.wait(netip.MustParseAddr(test.first))
			}
			if rejected := accounts.wait(netip.MustParseAddr(test.second)) > 0; rejected != test.shared {
				t.Errorf("%s is rejected: %t, want %t", test.second, rejected, test.shared)
			}
		})
	}
}

// TestAccountsExemptions checks that loopback clients are exempt unless configured, and all clients without a limit.
func TestAccountsExemptions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		limits Limits
		client netip.Addr
		exempt bool
	}{
		{"loopback", Limits{RequestsPerSecond: 1, Burst: 1}, netip.MustParseAddr("127.0.0.1"), true},
		{"IPv6 loopback", Limits{RequestsPerSecond: 1, Burst: 1}, netip.IPv6Loopback(), true},
		{"loopback with LimitLoopback", Limits{RequestsPerSecond: 1, Burst: 1, LimitLoopback: true}, netip.IPv6Loopback(), false},
		{"others", Limits{RequestsPerSecond: 1, Burst: 1}, netip.MustParseAddr("203.0.113.7"), false},
		{"others without a limit", Limits{RequestsPerSecond: -1, Burst: 1}, netip.MustParseAddr("203.0.113.7"), true},
		{"no address", Limits{RequestsPerSecond: 1, Burst: 1}, netip.Addr{}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			now := time.Now()
			accounts := NewAccounts(test.limits, func() time.Time { return now })
			accounts.wait(test.client)
			if exempt := accounts.wait(test.client) == 0; exempt != test.exempt {
				t.Errorf("the second call of %s is allowed: %t, want %t", test.client, exempt, test.exempt)
			}
		})
	}
}

// TestAccountsMemory checks that the number of clients is bounded and that idle ones are dropped.
func TestAccountsMemory(t *testing.T) {
	t.Parallel()
	accounts, now := newTestAccounts()
	for i := range uint32(5 * maxAccounts) {
		accounts.wait(netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, 0x0b000000+i))))
		if kept := len(accounts.young) + len(accounts.old); kept > 2*maxAccounts {
			t.Fatalf("%d clients are kept, want at most %d", kept, 2*maxAccounts)
		}
	}
	for range 2 {
		*now = now.Add(time.Minute)
		accounts.wait(netip.MustParseAddr("203.0.113.7"))
	}
	if kept := len(accounts.young) + len(accounts.old); kept > 2 {
		t.Errorf("%d clients are kept although they were idle for minutes", kept)
	}
}

// TestAccountsActiveClient checks that an active client keeps its bucket when other clients fill the accounts.
func TestAccountsActiveClient(t *testing.T) {
	t.Parallel()
	accounts, _ := newTestAccounts()
	busy := netip.MustParseAddr("203.0.113.7")
	granted := 0
	for i := range uint32(4 * maxAccounts) {
		accounts.wait(netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, 0x0b000000+i))))
		if accounts.wait(busy) == 0 {
			granted++
		}
	}
	if granted != 2 {
		t.Errorf("a client that never paused was allowed %d calls, want 2", granted)
	}
}
