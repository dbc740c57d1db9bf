//go:build linux

package abuse_test

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/cometbft/cometbft/blocksync"
	"github.com/cometbft/cometbft/consensus"
	"github.com/cometbft/cometbft/mempool"
	blocksyncpb "github.com/cometbft/cometbft/proto/tendermint/blocksync"
	consensuspb "github.com/cometbft/cometbft/proto/tendermint/consensus"
	mempoolpb "github.com/cometbft/cometbft/proto/tendermint/mempool"
	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/comet/comettest"
	"makechain/internal/ident"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

const (
	// hostilePeers is the number of peers that attack at once.
	hostilePeers = 4
	// emptyCommits is how many commits without content fit into a transaction.
	emptyCommits = 500_000
	// claimInterval is the time between two claims of a high block.
	claimInterval = 100 * time.Millisecond
)

// peerAttacks come from other nodes.
func peerAttacks() []attack {
	return []attack{
		{name: "1 transactions with many empty commits", run: func(a *attackers) {
			bundle := &pb.CommitBundleBody{ProjectId: make([]byte, len(ident.Hash{})), Commits: slices.Repeat([]*pb.CommitMeta{{}}, emptyCommits)}
			m := nodetest.NewAccount(a.t).AddKey().Proto()
			m.Data.Type, m.Data.Body = pb.MessageType_MESSAGE_TYPE_COMMIT_BUNDLE, &pb.MessageData_CommitBundle{CommitBundle: bundle}
			tx, err := proto.Marshal(m)
			if err != nil {
				panic(err)
			}
			a.gossip(tx)
		}},
		{name: "11 a peer that claims a high block", check: mustNotCatchUp, run: func(a *attackers) {
			a.asPeers(1, func(p *comettest.Peer) error {
				status, err := (&blocksyncpb.Message{Sum: &blocksyncpb.Message_StatusResponse{StatusResponse: &blocksyncpb.StatusResponse{Height: math.MaxInt32, Base: 1}}}).Marshal()
				if err != nil {
					return err
				}
				step, err := (&consensuspb.Message{Sum: &consensuspb.Message_NewRoundStep{NewRoundStep: &consensuspb.NewRoundStep{
					Height: math.MaxInt32, Step: 1, LastCommitRound: 0,
				}}}).Marshal()
				if err != nil {
					return err
				}
				if err := p.Send(blocksync.BlocksyncChannel, status, false); err != nil {
					return err
				}
				if err := p.Send(consensus.StateChannel, step, false); err != nil {
					return err
				}
				a.wait(claimInterval)
				return nil
			})
		}},
		{name: "12 gossip with invalid signatures", run: func(a *attackers) {
			account := nodetest.NewAccount(a.t)
			tx := account.AddKey().Transaction()
			invalid := bytes.Clone(tx)
			invalid[len(invalid)-40] ^= 1
			a.gossip(invalid)
		}},
		{name: "12 gossip of valid messages", prepare: func(a *attackers) { a.register(1) }, run: func(a *attackers) {
			a.asPeers(hostilePeers, func(p *comettest.Peer) error {
				txs := &mempoolpb.Txs{}
				for range 100 {
					txs.Txs = append(txs.Txs, a.sign(a.accounts[0], 0, message.Follow(randomAddress())).Transaction())
				}
				return sendTransactions(p, txs)
			})
		}},
	}
}

// asPeers runs do with a number of peers until the attack ends. A peer that is disconnected connects again.
func (a *attackers) asPeers(count int, do func(*comettest.Peer) error) {
	status, err := a.setup.GetNodeStatus(a.ctx, connect.NewRequest(&pb.GetNodeStatusRequest{}))
	if err != nil {
		return // the attack has ended
	}
	a.repeat(count, func(int) error {
		p, err := comettest.Dial(a.ctx, a.dialer(), a.node.p2p, status.Msg.GetChainId())
		if err != nil {
			return err
		}
		defer func() { _ = p.Close() }() // the node may have closed it
		for a.ctx.Err() == nil {
			if err := do(p); err != nil {
				return err
			}
		}
		return nil
	})
}

// gossip sends a transaction again and again.
func (a *attackers) gossip(tx []byte) {
	a.asPeers(hostilePeers, func(p *comettest.Peer) error { return sendTransactions(p, &mempoolpb.Txs{Txs: [][]byte{tx}}) })
}

func sendTransactions(p *comettest.Peer, txs *mempoolpb.Txs) error {
	payload, err := (&mempoolpb.Message{Sum: &mempoolpb.Message_Txs{Txs: txs}}).Marshal()
	if err != nil {
		return err
	}
	return p.Send(mempool.MempoolChannel, payload, false)
}

// mustNotCatchUp checks that the node does not believe that it is behind.
func mustNotCatchUp(t *testing.T, h *honest) {
	t.Helper()
	if nodetest.Call(t, h.GetNodeStatus, &pb.GetNodeStatusRequest{}).GetCatchingUp() {
		t.Error("the node believes that it is catching up")
	}
}
