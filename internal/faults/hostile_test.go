package faults_test

import (
	"errors"
	"math/rand/v2"
	"net"
	"os"
	"testing"
	"time"

	"github.com/cometbft/cometbft/crypto/ed25519"
	"github.com/cometbft/cometbft/libs/protoio"
	"github.com/cometbft/cometbft/p2p"
	"github.com/cometbft/cometbft/p2p/conn"
	p2ppb "github.com/cometbft/cometbft/proto/tendermint/p2p"
	"github.com/cometbft/cometbft/version"
)

const (
	// packetData is the size of the data in a packet, and maxPacket the maximum size of a packet.
	packetData = 1 << 10
	maxPacket  = 64 << 10
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
		if !n.connectPeer(victim).survives(t, a) {
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

// peer is a connection to a node with a fresh node key.
type peer struct {
	*conn.SecretConnection
}

// connectPeer connects to a node with a valid handshake.
func (n *network) connectPeer(m *member) peer {
	n.t.Helper()
	raw, err := net.DialTimeout("tcp", m.role.P2P, dialTimeout) //nolint:noctx // has a timeout
	if err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(func() { _ = raw.Close() })
	key := ed25519.GenPrivKey()
	secret, err := conn.MakeSecretConnection(raw, key)
	if err != nil {
		n.t.Fatal(err)
	}
	status, err := m.status(n.t.Context())
	if err != nil {
		n.t.Fatal(err)
	}
	info := p2p.DefaultNodeInfo{
		ProtocolVersion: p2p.NewProtocolVersion(version.P2PProtocol, version.BlockProtocol, 0),
		DefaultNodeID:   p2p.PubKeyToID(key.PubKey()),
		ListenAddr:      "tcp://127.0.0.1:1",
		Network:         status.GetChainId(),
		Version:         version.TMCoreSemVer,
		Channels:        channels(),
		Moniker:         "hostile",
	}
	if _, err := protoio.NewDelimitedWriter(secret).WriteMsg(info.ToProto()); err != nil {
		n.t.Fatal(err)
	}
	var theirs p2ppb.DefaultNodeInfo
	if _, err := protoio.NewDelimitedReader(secret, p2p.MaxNodeInfoSize()).ReadMsg(&theirs); err != nil {
		n.t.Fatal(err)
	}
	return peer{secret}
}

// survives sends an attack and reports whether the connection still works afterwards.
func (p peer) survives(t *testing.T, a attack) bool {
	t.Helper()
	defer func() { _ = p.Close() }() // the node may have closed it
	if err := p.SetDeadline(time.Now().Add(peerTimeout)); err != nil {
		t.Fatal(err)
	}
	out := protoio.NewDelimitedWriter(p)
	for _, packet := range a.packets() {
		if _, err := out.WriteMsg(packet); err != nil {
			return false
		}
	}
	if _, err := out.WriteMsg(&p2ppb.Packet{Sum: &p2ppb.Packet_PacketPing{PacketPing: &p2ppb.PacketPing{}}}); err != nil {
		return false
	}
	for in := protoio.NewDelimitedReader(p, maxPacket); ; {
		var packet p2ppb.Packet
		if _, err := in.ReadMsg(&packet); err != nil {
			if errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s: the node neither responds nor drops the peer", a.name)
			}
			return false
		}
		if packet.GetPacketPong() != nil {
			return true
		}
	}
}

// packets returns the packets of an attack. An endless one lacks the end-of-message flag.
func (a attack) packets() []*p2ppb.Packet {
	var packets []*p2ppb.Packet
	for left := a.payload; ; {
		part := left[:min(packetData, len(left))]
		left = left[len(part):]
		packets = append(packets, &p2ppb.Packet{Sum: &p2ppb.Packet_PacketMsg{PacketMsg: &p2ppb.PacketMsg{
			ChannelID: int32(a.channel), EOF: len(left) == 0 && !a.endless, Data: part,
		}}})
		if len(left) == 0 {
			return packets
		}
	}
}
