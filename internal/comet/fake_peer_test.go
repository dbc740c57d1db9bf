package comet_test

import (
	"sync"
	"testing"

	"github.com/cometbft/cometbft/blocksync"
	cmtcfg "github.com/cometbft/cometbft/config"
	"github.com/cometbft/cometbft/consensus"
	"github.com/cometbft/cometbft/crypto/ed25519"
	"github.com/cometbft/cometbft/libs/log"
	"github.com/cometbft/cometbft/mempool"
	"github.com/cometbft/cometbft/p2p"
	"github.com/cometbft/cometbft/p2p/conn"
	blocksyncpb "github.com/cometbft/cometbft/proto/tendermint/blocksync"
	consensuspb "github.com/cometbft/cometbft/proto/tendermint/consensus"
	mempoolpb "github.com/cometbft/cometbft/proto/tendermint/mempool"
	"github.com/cometbft/cometbft/version"

	"makechain/internal/comet"
)

// claimed is the height that a malicious fakePeer claims.
const claimed = 1_000_000

// fakePeer speaks CometBFT's protocol for peers without a chain.
type fakePeer struct {
	p2p.BaseReactor

	t   *testing.T
	key p2p.NodeKey

	mu       sync.Mutex // guards what follows
	engine   p2p.Peer   // nil while it is not connected
	removals int        // connections that have ended
	statuses int        // heights that it received
	requests int        // blocks that the engine requested
}

// newFakePeer starts a peer, which is stopped when the test ends.
func newFakePeer(t *testing.T) *fakePeer {
	t.Helper()
	f := &fakePeer{t: t, key: p2p.NodeKey{PrivKey: ed25519.GenPrivKey()}}
	f.BaseReactor = *p2p.NewBaseReactor("fake", f)
	info := p2p.DefaultNodeInfo{
		ProtocolVersion: p2p.NewProtocolVersion(version.P2PProtocol, version.BlockProtocol, 0),
		DefaultNodeID:   f.key.ID(), ListenAddr: "127.0.0.1:1", Network: chainID, Version: version.TMCoreSemVer, Moniker: "fake",
	}
	for _, channel := range f.GetChannels() {
		info.Channels = append(info.Channels, channel.ID)
	}
	settings := cmtcfg.DefaultP2PConfig()
	settings.AllowDuplicateIP = true
	settings.SendRate, settings.RecvRate, settings.MaxPacketMsgPayloadSize = 64<<20, 64<<20, 32<<10
	network := p2p.NewSwitch(settings, p2p.NewMultiplexTransport(info, f.key, p2p.MConnConfig(settings)))
	network.SetLogger(log.NewNopLogger())
	network.SetNodeInfo(info)
	network.SetNodeKey(&f.key)
	network.AddReactor("fake", f)
	if err := network.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = network.Stop() })
	return f
}

func (*fakePeer) GetChannels() []*conn.ChannelDescriptor {
	state, blocks, transactions := new(consensuspb.Message), new(blocksyncpb.Message), new(mempoolpb.Message)
	channels := []*conn.ChannelDescriptor{
		{ID: blocksync.BlocksyncChannel, MessageType: blocks},
		{ID: mempool.MempoolChannel, MessageType: transactions},
		{ID: consensus.StateChannel, MessageType: state},
		{ID: consensus.DataChannel, MessageType: state},
		{ID: consensus.VoteChannel, MessageType: state},
		{ID: consensus.VoteSetBitsChannel, MessageType: state},
	}
	for _, channel := range channels {
		channel.Priority, channel.RecvMessageCapacity = 1, 1<<22
	}
	return channels
}

func (f *fakePeer) AddPeer(peer p2p.Peer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.engine = peer
}

func (f *fakePeer) RemovePeer(p2p.Peer, any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.engine = nil
	f.removals++
}

func (f *fakePeer) Receive(e p2p.Envelope) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch e.Message.(type) {
	case *blocksyncpb.StatusResponse:
		f.statuses++
	case *blocksyncpb.BlockRequest:
		f.requests++
	}
}

// dial connects to an engine unless it is connected. The engine may refuse the peer, at any time, and a slow machine may
// exceed the time for a handshake, so callers wait for the effect and dial again.
func (f *fakePeer) dial(engine *comet.Engine) {
	f.t.Helper()
	address, err := p2p.NewNetAddressString(engine.Address())
	if err != nil {
		f.t.Fatal(err)
	}
	_ = f.Switch.DialPeerWithAddress(address)
}

// connect connects to an engine that accepts the peer.
func (f *fakePeer) connect(engine *comet.Engine) {
	f.t.Helper()
	await(f.t, "the connection", func() bool {
		f.dial(engine)
		return f.received() > 0 // the engine sends its height to each peer that it accepts
	})
}

func (f *fakePeer) received() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.statuses
}

// ended returns the number of connections that the engine has ended.
func (f *fakePeer) ended() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.removals
}

// awaitRefusal dials an engine that refuses the peer.
func (f *fakePeer) awaitRefusal(engine *comet.Engine) {
	f.t.Helper()
	before := f.ended()
	await(f.t, "the engine to refuse the peer", func() bool {
		f.dial(engine)
		return f.ended() > before
	})
}

// send sends a message.
func (f *fakePeer) send(e p2p.Envelope) {
	f.mu.Lock()
	peer := f.engine
	f.mu.Unlock()
	if peer != nil {
		peer.Send(e)
	}
}

// claim claims a height for block sync and for consensus, and waits until the engine has read it.
func (f *fakePeer) claim(height int64) {
	f.t.Helper()
	before := f.received()
	step := &consensuspb.NewRoundStep{Height: height + 1, Step: 1}
	if height == 0 {
		step.LastCommitRound = -1 // there is no previous height
	}
	f.send(p2p.Envelope{ChannelID: consensus.StateChannel, Message: step})
	f.send(p2p.Envelope{ChannelID: blocksync.BlocksyncChannel, Message: &blocksyncpb.StatusResponse{Height: height}})
	f.send(p2p.Envelope{ChannelID: blocksync.BlocksyncChannel, Message: new(blocksyncpb.StatusRequest)})
	await(f.t, "the response to the claim", func() bool { return f.received() > before })
}

// gossip sends transactions.
func (f *fakePeer) gossip(transactions ...[]byte) {
	f.send(p2p.Envelope{ChannelID: mempool.MempoolChannel, Message: &mempoolpb.Txs{Txs: transactions}})
}
