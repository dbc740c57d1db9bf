package limit_test

import (
	"net/netip"
	"testing"

	"makechain/internal/limit"
)

func TestClientNetwork(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"192.0.2.7":               "192.0.2.7/32",
		"::ffff:192.0.2.7":        "192.0.2.7/32",
		"2001:db8:1:2:3:4:5:6":    "2001:db8:1:2::/64",
		"2001:db8:1:2:ffff::1":    "2001:db8:1:2::/64",
		"fe80::1:2:3:4%interface": "fe80::/64",
	} {
		if got := limit.ClientNetwork(netip.MustParseAddr(address)); got != netip.MustParsePrefix(want) {
			t.Errorf("%s is of client %s, want %s", address, got, want)
		}
	}
	if got := limit.ClientNetwork(netip.Addr{}); got.IsValid() {
		t.Errorf("no address is of client %s", got)
	}
}
