package comet

import (
	"errors"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/cometbft/cometbft/p2p"
	"github.com/cometbft/cometbft/p2p/mock"
)

// TestPeersPerHost checks how many peers of one host are accepted.
func TestPeersPerHost(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config Config
		ips    []string
		want   int // of ips, in order
	}{
		"one host":              {Config{}, repeat("8.8.8.8", 9), 4},
		"one mapped host":       {Config{}, append(repeat("8.8.8.8", 4), "::ffff:8.8.8.8"), 4},
		"several hosts":         {Config{}, []string{"8.8.8.1", "8.8.8.2", "8.8.8.3", "8.8.8.4", "8.8.8.5"}, 5},
		"one IPv6 network":      {Config{}, []string{"2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8::4", "2001:db8::5"}, 4},
		"this machine":          {Config{}, repeat("127.0.0.1", 9), 9},
		"a private network":     {Config{}, repeat("10.0.0.1", 9), 9},
		"a limit":               {Config{PeersPerHost: 2}, repeat("8.8.8.8", 9), 2},
		"a limit on loopback":   {Config{PeersPerHost: 2}, repeat("127.0.0.1", 9), 2},
		"a limit without hit":   {Config{PeersPerHost: 9}, repeat("8.8.8.8", 9), 9},
		"a limit on IPv6 hosts": {Config{PeersPerHost: 1}, []string{"::1", "2001:db8::1"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			policy, connected := newPeerPolicy(test.config), p2p.NewPeerSet()
			accepted := 0
			for _, ip := range test.ips {
				peer := mock.NewPeer(net.ParseIP(ip))
				err := policy.accept(connected, peer)
				if err != nil && !errors.Is(err, errPerHost) {
					t.Fatal(err)
				}
				if err == nil {
					accepted++
					if err := connected.Add(peer); err != nil {
						t.Fatal(err)
					}
				}
			}
			if accepted != test.want {
				t.Errorf("%d of %d are accepted, want %d", accepted, len(test.ips), test.want)
			}
		})
	}
}

func repeat(ip string, count int) []string {
	ips := make([]string, count)
	for i := range ips {
		ips[i] = ip
	}
	return ips
}

// TestBans checks whom a ban affects, that it ends, that persistent peers are exempt, and that the number is limited.
func TestBans(t *testing.T) {
	t.Parallel()
	public, local, persistent := mock.NewPeer(net.ParseIP("8.8.8.8")), mock.NewPeer(net.ParseIP("127.0.0.1")), mock.NewPeer(net.ParseIP("8.8.8.8"))
	policy := newPeerPolicy(Config{PersistentPeers: []string{string(persistent.ID()) + "@8.8.8.8:26656"}})
	now := time.Unix(1_800_000_000, 0)
	policy.now = func() time.Time { return now }
	policy.ban(public)
	policy.ban(local)
	policy.ban(persistent)
	check := func(name string, peer p2p.Peer, want bool) {
		t.Helper()
		if err := policy.accept(p2p.NewPeerSet(), peer); errors.Is(err, errBanned) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	check("a banned peer", public, true)
	check("another peer of its host", mock.NewPeer(net.ParseIP("8.8.8.8")), true)
	check("another host", mock.NewPeer(net.ParseIP("8.8.4.4")), false)
	check("a banned peer of this machine", local, true)
	check("another peer of this machine", mock.NewPeer(net.ParseIP("127.0.0.1")), false)
	check("a persistent peer", persistent, false)
	now = now.Add(banTime)
	check("a peer after its ban", public, false)
	for i := range 2 * maxBans {
		now = now.Add(time.Millisecond)
		policy.add(strconv.Itoa(i), now)
	}
	if len(policy.bans) != maxBans || policy.bans[strconv.Itoa(2*maxBans-1)].IsZero() {
		t.Errorf("%d bans are remembered", len(policy.bans))
	}
}
