// Package comettest connects to nodes as a peer that need not follow the protocol.
package comettest

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/cometbft/cometbft/blocksync"
	"github.com/cometbft/cometbft/consensus"
	"github.com/cometbft/cometbft/crypto/ed25519"
	"github.com/cometbft/cometbft/evidence"
	"github.com/cometbft/cometbft/libs/protoio"
	"github.com/cometbft/cometbft/mempool"
	"github.com/cometbft/cometbft/p2p"
	"github.com/cometbft/cometbft/p2p/conn"
	p2ppb "github.com/cometbft/cometbft/proto/tendermint/p2p"
	"github.com/cometbft/cometbft/statesync"
	"github.com/cometbft/cometbft/version"
)

// packetData is the size of the data in a packet.
const packetData = 1 << 10

// Peer is a connection to a node after the handshake, with a fresh node key.
type Peer struct {
	*conn.SecretConnection

	raw net.Conn
}

// Channels returns the channels of a node.
func Channels() []byte {
	return []byte{
		consensus.StateChannel, consensus.DataChannel, consensus.VoteChannel, consensus.VoteSetBitsChannel, mempool.MempoolChannel,
		evidence.EvidenceChannel, blocksync.BlocksyncChannel, statesync.SnapshotChannel, statesync.ChunkChannel,
	}
}

// Dial connects to the P2P address of a node of a chain.
func Dial(ctx context.Context, dialer *net.Dialer, address, chainID string) (*Peer, error) {
	raw, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	p, err := handshake(raw, chainID)
	if err != nil {
		_ = raw.Close() // the error of the handshake is the cause
		return nil, err
	}
	return p, nil
}

func handshake(raw net.Conn, chainID string) (*Peer, error) {
	key := ed25519.GenPrivKey()
	secret, err := conn.MakeSecretConnection(raw, key)
	if err != nil {
		return nil, fmt.Errorf("secret connection: %w", err)
	}
	info := p2p.DefaultNodeInfo{
		ProtocolVersion: p2p.NewProtocolVersion(version.P2PProtocol, version.BlockProtocol, 0),
		DefaultNodeID:   p2p.PubKeyToID(key.PubKey()),
		ListenAddr:      "tcp://127.0.0.1:1",
		Network:         chainID,
		Version:         version.TMCoreSemVer,
		Channels:        Channels(),
		Moniker:         "hostile",
	}
	if _, err := protoio.NewDelimitedWriter(secret).WriteMsg(info.ToProto()); err != nil {
		return nil, fmt.Errorf("send the node info: %w", err)
	}
	var theirs p2ppb.DefaultNodeInfo
	if _, err := protoio.NewDelimitedReader(secret, p2p.MaxNodeInfoSize()).ReadMsg(&theirs); err != nil {
		return nil, fmt.Errorf("read the node info: %w", err)
	}
	return &Peer{SecretConnection: secret, raw: raw}, nil
}

// Send sends a message on a channel. An endless message lacks the end-of-message flag.
func (p *Peer) Send(channel byte, payload []byte, endless bool) error {
	out := protoio.NewDelimitedWriter(p)
	for left := payload; ; {
		part := left[:min(packetData, len(left))]
		left = left[len(part):]
		packet := &p2ppb.Packet{Sum: &p2ppb.Packet_PacketMsg{PacketMsg: &p2ppb.PacketMsg{
			ChannelID: int32(channel), EOF: len(left) == 0 && !endless, Data: part,
		}}}
		if _, err := out.WriteMsg(packet); err != nil {
			return err
		}
		if len(left) == 0 {
			return nil
		}
	}
}

// Ping sends a ping, which a node answers after it has read everything before it.
func (p *Peer) Ping() error {
	_, err := protoio.NewDelimitedWriter(p).WriteMsg(&p2ppb.Packet{Sum: &p2ppb.Packet_PacketPing{PacketPing: &p2ppb.PacketPing{}}})
	return err
}

// AwaitPong reads until the node answers a ping. It returns an error if the node closes the connection or the timeout passes.
func (p *Peer) AwaitPong(timeout time.Duration) error {
	const maxPacket = 64 << 10
	if err := p.raw.SetReadDeadline(time.Now().Add(timeout)); err != nil {
		return err
	}
	for in := protoio.NewDelimitedReader(p, maxPacket); ; {
		var packet p2ppb.Packet
		if _, err := in.ReadMsg(&packet); err != nil {
			return err
		}
		if packet.GetPacketPong() != nil {
			return nil
		}
	}
}
