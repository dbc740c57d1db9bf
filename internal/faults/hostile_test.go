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
	// piece is how much of a message goes into a packet, and maxPacket what one takes at most.
	piece     = 1 << 10
	maxPacket = 64 << 10
	// intrusions is how many connections are made by who does not say who it is.
	intrusions = 40
	// hearing is how long a hostile peer waits for a node to have read what it sent.
	hearing = 5 * time.Second
)

// TestHostile has peers send garbage, and messages that are well-formed and absurd, on every channel that nodes listen
// to, while people work. No node ends, and the chain goes on.
//
// Rules: I1.
//
//nolint:paralleltest // a network wants the machine for itself
func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a network of processes")
	}
	n := newNetwork(t, shape{validators: validators})
	n.start(n.all()...)
	at := newWork(n, *firstSeed)
	at.begin()
	at.goOn()
	random := rand.New(rand.NewPCG(*firstSeed, 0))
	dropped, attacks := 0, assaults(t, random)
	for i, a := range attacks {
		victim := n.nodes[i%len(n.nodes)]
		if !n.befriend(victim).suffers(t, a) {
			dropped++
		}
		n.mustLive(i % len(n.nodes))
	}
	for i := range intrusions {
		n.intrude(n.nodes[i%len(n.nodes)], garbage(random, i))
	}
	if dropped == 0 {
		t.Error("no node dropped a peer, whatever it sent")
	}
	at.goOn()
	at.end()
	result := n.judge(at.history, at.listeners)
	t.Logf("%d assaults, after %d of which the peer was dropped; meanwhile %d messages committed, %d lost",
		len(attacks), dropped, result.committed, result.lost)
}

// intrude connects to a node and sends it what is not even a handshake. The connection stays until the test ends.
func (n *network) intrude(m *member, content []byte) {
	n.t.Helper()
	raw, err := net.DialTimeout("tcp", m.role.P2P, dialTimeout) //nolint:noctx // it has a timeout
	if err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(func() { _ = raw.Close() })
	if err := raw.SetDeadline(time.Now().Add(hearing)); err != nil {
		n.t.Fatal(err)
	}
	_, _ = raw.Write(content) // the node may have closed it by then
}

// peer is a connection to a node, by someone with a key of their own.
type peer struct {
	*conn.SecretConnection
}

// befriend connects to a node as any peer would.
func (n *network) befriend(m *member) peer {
	n.t.Helper()
	raw, err := net.DialTimeout("tcp", m.role.P2P, dialTimeout) //nolint:noctx // it has a timeout
	if err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(func() { _ = raw.Close() })
	key := ed25519.GenPrivKey()
	secret, err := conn.MakeSecretConnection(raw, key)
	if err != nil {
		n.t.Fatal(err)
	}
	status, err := m.look(n.t.Context())
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
		Moniker:         "stranger",
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

// suffers sends what an assault is made of, and says whether the node still listens afterwards.
func (p peer) suffers(t *testing.T, a assault) bool {
	t.Helper()
	defer func() { _ = p.Close() }() // by now the node may have
	if err := p.SetDeadline(time.Now().Add(hearing)); err != nil {
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
				t.Errorf("%s: the node neither answers nor drops the peer", a.name)
			}
			return false
		}
		if packet.GetPacketPong() != nil {
			return true
		}
	}
}

// packets are what an assault looks like on the wire. One that is endless lacks the mark of a message's end.
func (a assault) packets() []*p2ppb.Packet {
	var packets []*p2ppb.Packet
	for rest := a.payload; ; {
		part := rest[:min(piece, len(rest))]
		rest = rest[len(part):]
		packets = append(packets, &p2ppb.Packet{Sum: &p2ppb.Packet_PacketMsg{PacketMsg: &p2ppb.PacketMsg{
			ChannelID: int32(a.channel), EOF: len(rest) == 0 && !a.endless, Data: part,
		}}})
		if len(rest) == 0 {
			return packets
		}
	}
}
