package faults_test

import (
	"errors"
	"math/rand/v2"
	"net"
	"os"
	"testing"
	"time"

	"makechain/internal/comet/comettest"
)

const (
	// rawConnections is the number of connections without a handshake.
	rawConnections = 40
	// peerTimeout is how long a hostile peer waits for a response.
	peerTimeout = 5 * time.Second
)

// TestHostile checks that nodes survive garbage and absurd messages of peers on every channel, and that the chain makes
// progress.
//
// Rules: I1.
//
//nolint:paralleltest // a network needs the whole machine
func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a network of processes")
	}
	n := newNetwork(t, shape{validators: validators})
	n.start(n.all()...)
	clients := newWork(n, *firstSeed)
	clients.start()
	clients.awaitProgress()
	random := rand.New(rand.NewPCG(*firstSeed, 0))
	dropped, attacks := 0, attacks(t, random)
	for i, a := range attacks {
		victim := n.nodes[i%len(n.nodes)]
		if !a.survives(t, n.connectPeer(victim)) {
			dropped++
		}
		n.mustRun(i % len(n.nodes))
	}
	for i := range rawConnections {
		n.sendRaw(n.nodes[i%len(n.nodes)], garbage(random, i))
	}
	if dropped == 0 {
		t.Error("no node dropped a hostile peer")
	}
	clients.awaitProgress()
	clients.end()
	result := n.check(clients.history, clients.listeners)
	t.Logf("%d attacks, after %d of which the peer was dropped; meanwhile %d messages committed, %d lost",
		len(attacks), dropped, result.committed, result.lost)
}

// sendRaw connects to a node and sends bytes without a handshake. The connection stays open until the test ends.
func (n *network) sendRaw(m *member, content []byte) {
	n.t.Helper()
	raw, err := net.DialTimeout("tcp", m.role.P2P, dialTimeout) //nolint:noctx // has a timeout
	if err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(func() { _ = raw.Close() })
	if err := raw.SetDeadline(time.Now().Add(peerTimeout)); err != nil {
		n.t.Fatal(err)
	}
	_, _ = raw.Write(content) // the node may have closed it
}

// connectPeer connects to a node with a valid handshake.
func (n *network) connectPeer(m *member) *comettest.Peer {
	n.t.Helper()
	status, err := m.status(n.t.Context())
	if err != nil {
		n.t.Fatal(err)
	}
	p, err := comettest.Dial(n.t.Context(), &net.Dialer{Timeout: dialTimeout}, m.role.P2P, status.GetChainId())
	if err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(func() { _ = p.Close() }) // the node may have closed it
	return p
}

// survives sends an attack and reports whether the connection still works afterwards.
func (a attack) survives(t *testing.T, p *comettest.Peer) bool {
	t.Helper()
	defer func() { _ = p.Close() }() // the node may have closed it
	if err := p.SetDeadline(time.Now().Add(peerTimeout)); err != nil {
		t.Fatal(err)
	}
	if p.Send(a.channel, a.payload, a.endless) != nil || p.Ping() != nil {
		return false
	}
	err := p.AwaitPong(peerTimeout)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%s: the node neither responds nor drops the peer", a.name)
	}
	return err == nil
}
