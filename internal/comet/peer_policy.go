package comet

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/cometbft/cometbft/node"
	"github.com/cometbft/cometbft/p2p"
)

const (
	// DefaultPeersPerHost is the default number of inbound peers from one host.
	DefaultPeersPerHost = 4
	// hostBits is the length of the IPv6 prefix that counts as one host. Providers assign at least that to a customer.
	hostBits = 64
	// banTime is how long a peer that sent an invalid transaction is refused.
	banTime = 10 * time.Minute
	// maxBans is the number of bans that are remembered. The one that ends first is dropped for another.
	maxBans = 1_024
)

var (
	errBanned  = errors.New("it sent an invalid transaction a short time ago")
	errPerHost = errors.New("too many peers of one host")
)

// peerPolicy decides which peers are accepted and which of them are believed. Anybody can connect to a node and claim
// anything, so it believes persistent peers only, which the operator chose and whose keys their connections prove.
type peerPolicy struct {
	persistent map[p2p.ID]bool
	perHost    int
	everyHost  bool // apply limits by host also to this machine and private networks, which many nodes may share
	now        func() time.Time

	mu   sync.Mutex
	bans map[string]time.Time // when they end, by peer ID or host; guarded by mu
}

func newPeerPolicy(config Config) *peerPolicy {
	policy := &peerPolicy{
		persistent: make(map[p2p.ID]bool), perHost: config.PeersPerHost, everyHost: config.PeersPerHost > 0,
		now: time.Now, bans: make(map[string]time.Time),
	}
	if !policy.everyHost {
		policy.perHost = DefaultPeersPerHost
	}
	for _, id := range persistentIDs(config.PersistentPeers) {
		policy.persistent[p2p.ID(id)] = true
	}
	return policy
}

// persistentIDs returns the IDs of peers that are given as id@host:port.
func persistentIDs(peers []string) []string {
	var ids []string
	for _, peer := range peers {
		if id, _, found := strings.Cut(strings.TrimSpace(peer), "@"); found {
			ids = append(ids, strings.ToLower(id))
		}
	}
	return ids
}

// withPeerPolicy makes the engine ask the policy about each peer that connects.
func withPeerPolicy(policy *peerPolicy) node.Option {
	return func(n *node.Node) { p2p.SwitchPeerFilters(policy.accept)(mustBeSwitch(n.Switch())) }
}

// mustBeSwitch returns the switch of an engine. Start recovers a panic.
func mustBeSwitch(network p2p.Switcher) *p2p.Switch {
	found, ok := network.(*p2p.Switch)
	if !ok {
		panic(fmt.Sprintf("the switch has type %T", network))
	}
	return found
}

// isPersistent reports whether a peer is one of the persistent peers, whichever side dialed.
func (p *peerPolicy) isPersistent(peer p2p.Peer) bool { return p.persistent[peer.ID()] }

// accept returns an error for a peer that may not connect. Persistent peers always may.
func (p *peerPolicy) accept(connected p2p.IPeerSet, peer p2p.Peer) error {
	if p.isPersistent(peer) {
		return nil
	}
	host, limited := p.hostOf(peer.RemoteIP())
	if p.isBanned(string(peer.ID())) || limited && p.isBanned(host) {
		return errBanned
	}
	if !limited || peer.IsOutbound() {
		return nil
	}
	same := 0
	connected.ForEach(func(other p2p.Peer) {
		if otherHost, _ := p.hostOf(other.RemoteIP()); otherHost == host && !other.IsOutbound() && !p.isPersistent(other) {
			same++
		}
	})
	if same >= p.perHost {
		return fmt.Errorf("%w: %d of %s are connected", errPerHost, same, host)
	}
	return nil
}

// ban refuses a peer and its host for banTime.
func (p *peerPolicy) ban(peer p2p.Peer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	end := p.now().Add(banTime)
	p.add(string(peer.ID()), end)
	if host, limited := p.hostOf(peer.RemoteIP()); limited {
		p.add(host, end)
	}
}

// add adds a ban in place of the one that ends first if there are too many. p.mu must be held.
func (p *peerPolicy) add(key string, end time.Time) {
	p.bans[key] = end
	if len(p.bans) <= maxBans {
		return
	}
	first := key
	for other, otherEnd := range p.bans {
		if otherEnd.Before(p.bans[first]) {
			first = other
		}
	}
	delete(p.bans, first)
}

func (p *peerPolicy) isBanned(key string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now().Before(p.bans[key])
}

// hostOf returns the host of an address and reports whether limits by host apply to it.
func (p *peerPolicy) hostOf(ip net.IP) (host string, limited bool) {
	address, ok := netip.AddrFromSlice(ip)
	if !ok {
		return "", p.everyHost
	}
	address = address.Unmap()
	limited = p.everyHost || !address.IsLoopback() && !address.IsPrivate() && !address.IsLinkLocalUnicast()
	if address.Is4() {
		return address.String(), limited
	}
	prefix, _ := address.WithZone("").Prefix(hostBits) // fails only for a length out of range
	return prefix.String(), limited
}
