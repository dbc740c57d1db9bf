package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/node"
	"makechain/internal/node/nodetest"
	"makechain/internal/testnet"
	"makechain/message"
)

// The network of the tests. Four is the smallest number of validators that tolerates the failure of one.
const (
	validators    = 4
	followers     = 2
	blockInterval = 20 * time.Millisecond
)

// network is a network whose nodes run as separate processes.
type network struct {
	t     *testing.T
	nodes []*runningNode
	sent  []ident.Hash // messages that every node must have, in any order
}

// runningNode is a node of a network and a client of it.
type runningNode struct {
	*nodetest.Process
	*nodetest.Client

	name, home string
	flags      []string
}

// program returns a command that runs the program: this test binary under the name makechain.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(context.WithoutCancel(t.Context()), self) // the cleanup ends it
	command.Args = append([]string{"makechain"}, args...)
	return command
}

// startNetwork creates a network and starts all its nodes.
func startNetwork(t *testing.T) (*network, *testnet.Network) {
	t.Helper()
	made, err := testnet.Init(testnet.Options{
		Dir: filepath.Join(t.TempDir(), "net"), Validators: validators, Followers: followers, BlockInterval: blockInterval,
	})
	if err != nil {
		t.Fatal(err)
	}
	n := &network{t: t}
	for _, one := range made.Nodes {
		n.nodes = append(n.nodes, &runningNode{name: one.Name, home: one.Home})
	}
	n.start(n.nodes...)
	return n, made
}

// start starts nodes together and waits until they serve.
func (n *network) start(nodes ...*runningNode) {
	n.t.Helper()
	for _, one := range nodes {
		args := append([]string{"node", "--home", one.home, "--log-level", "error"}, one.flags...)
		one.Process = nodetest.Launch(n.t, program(n.t, args...))
	}
	for _, one := range nodes {
		one.Client = one.MustServe(n.t)
		n.t.Cleanup(one.Close)
	}
}

func (n *network) follower() *runningNode { return n.nodes[validators] }

// join creates an account through a node and waits until it is committed there.
func (n *network) join(through *runningNode, username string) *nodetest.Account {
	n.t.Helper()
	account := nodetest.NewAccount(n.t)
	hashes := through.Register(account, 1, username)
	for _, hash := range hashes {
		if status := through.AwaitStatus(n.t, hash); status.GetState() != pb.MessageState_MESSAGE_STATE_COMMITTED {
			n.t.Fatalf("%s on %s: %v", username, through.name, status)
		}
	}
	n.sent = append(n.sent, hashes...)
	return account
}

// agree waits until nodes have all messages, and compares the last block with a message.
func (n *network) agree(nodes ...*runningNode) {
	n.t.Helper()
	last := uint64(0)
	for _, one := range nodes {
		for _, hash := range n.sent {
			nodetest.Await(n.t, hash.String()+" on "+one.name, func() bool {
				status := nodetest.Call(n.t, one.GetMessageStatus, &pb.GetMessageStatusRequest{Hash: hash[:]})
				last = max(last, status.GetBlockNumber())
				return status.GetState() == pb.MessageState_MESSAGE_STATE_COMMITTED
			})
			read := nodetest.Call(n.t, one.GetMessage, &pb.GetMessageRequest{Hash: hash[:]})
			if !bytes.Equal(read.GetMessage().GetHash(), hash[:]) {
				n.t.Errorf("%s returns another message for %v", one.name, hash)
			}
		}
	}
	want := nodetest.Call(n.t, nodes[0].GetBlock, &pb.GetBlockRequest{BlockNumber: last}).GetBlock()
	for _, one := range nodes[1:] {
		got := nodetest.Call(n.t, one.GetBlock, &pb.GetBlockRequest{BlockNumber: last}).GetBlock()
		if !bytes.Equal(got.GetHash(), want.GetHash()) || !bytes.Equal(got.GetHeader().GetStateRoot(), want.GetHeader().GetStateRoot()) {
			n.t.Errorf("%s has another block %d than %s", one.name, last, nodes[0].name)
		}
	}
}

// TestNetwork runs validators and followers as processes. It checks that a message submitted to a follower is committed,
// and read and streamed on all nodes, that a stopped node catches up, and that a new home joins with the genesis file.
//
// Rules: I1, P10.4, P11.1.
func TestNetwork(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs a network of processes")
	}
	n, made := startNetwork(t)
	streams := n.subscribe()
	alice := n.join(n.follower(), "alice")
	n.agree(n.nodes...)
	for i, one := range n.nodes {
		streams[i].expect(t, one.name, n.sent)
	}
	n.race(t)

	stopped := n.nodes[validators-1]
	stopped.Stop(t)
	n.follower().Submit(t, n.record(alice.Sign(message.ProjectCreate("one-down", pb.Visibility_VISIBILITY_PUBLIC, "", ""))))
	n.agree(slices.DeleteFunc(slices.Clone(n.nodes), func(one *runningNode) bool { return one == stopped })...)
	n.start(stopped)

	late := &runningNode{name: "late", home: filepath.Join(t.TempDir(), "late"), flags: []string{
		"--genesis", filepath.Join(made.Nodes[0].Home, "config", "genesis.json"),
		"--peers", made.Nodes[0].Peer() + "," + made.Nodes[1].Peer(),
		"--grpc-addr", "127.0.0.1:0", "--rest-addr", "", "--block-interval", blockInterval.String(),
	}}
	n.start(late)
	n.nodes = append(n.nodes, late)
	n.agree(n.nodes...)
	owner := alice.Address()
	for _, one := range n.nodes {
		nodetest.Await(t, one.name+" to be ready", func() bool {
			return nodetest.Call(t, one.GetHealth, &pb.GetHealthRequest{}).GetReady()
		})
		if name := nodetest.Call(t, one.GetAccount, &pb.GetAccountRequest{OwnerAddress: owner[:]}).GetUsername(); name != "alice" {
			t.Errorf("%s reads the username %q", one.name, name)
		}
	}
	n.follower().Submit(t, n.record(alice.Sign(message.ProjectCreate("all-up", pb.Visibility_VISIBILITY_PUBLIC, "", ""))))
	n.agree(n.nodes...)
	n.stop(t)
}

// record adds a message that every node must have.
func (n *network) record(m *message.Envelope) *message.Envelope {
	n.sent = append(n.sent, m.Hash)
	return m
}

// race submits two messages that create one username, each to a follower that does not have the other yet. It checks
// that one is committed, and that the node to which the other was submitted reports the refusal by the block.
func (n *network) race(t *testing.T) {
	t.Helper()
	through := n.nodes[validators : validators+followers]
	var accounts []*nodetest.Account
	for _, one := range through {
		account := nodetest.NewAccount(t)
		key := account.AddKey()
		one.Submit(t, key)
		claim := one.Claim(account, 1)
		n.sent = append(n.sent, key.Hash, claim)
		accounts = append(accounts, account)
	}
	n.agree(through...)
	var both []*message.Envelope
	const attempts = 100 // gossip may deliver one message before the other is submitted
	for try := 0; len(both) < 2; try++ {
		if try == attempts {
			t.Fatalf("none of %d pairs was accepted", attempts)
		}
		both = n.tryBoth(t, accounts, "racer"+string(rune('a'+try/10))+string(rune('a'+try%10)))
	}
	committed := 0
	for i, one := range through {
		status := one.AwaitStatus(t, both[i].Hash)
		switch {
		case status.GetState() == pb.MessageState_MESSAGE_STATE_COMMITTED:
			committed++
			n.record(both[i])
		case status.GetState() != pb.MessageState_MESSAGE_STATE_REFUSED || status.GetCode() != string(message.CodeUsernameTaken):
			t.Errorf("the status on %s is %v", one.name, status)
		}
	}
	if committed != 1 {
		t.Errorf("%d accounts have the name, want 1", committed)
	}
}

// tryBoth submits two conflicting messages at the same time, and returns them if both were accepted.
func (n *network) tryBoth(t *testing.T, accounts []*nodetest.Account, username string) []*message.Envelope {
	t.Helper()
	accepted := make(chan int, len(accounts))
	var messages []*message.Envelope
	for _, account := range accounts {
		messages = append(messages, account.Sign(message.UsernameCreate(username)))
	}
	for i, m := range messages {
		go func() {
			response, err := n.nodes[validators+i].SubmitMessage(t.Context(), connect.NewRequest(&pb.SubmitMessageRequest{Message: m.Proto()}))
			if err != nil || !response.Msg.GetAccepted() {
				accepted <- -1
				return
			}
			accepted <- i
		}()
	}
	first, second := <-accepted, <-accepted
	if first >= 0 && second >= 0 {
		return messages
	}
	return nil
}

// stop stops all nodes and checks their data.
func (n *network) stop(t *testing.T) {
	t.Helper()
	for _, one := range n.nodes {
		one.Stop(t)
		if err := node.Check(one.home, node.CheckOptions{Report: func(string) {}}); err != nil {
			t.Errorf("%s: %v", one.name, err)
		}
	}
}

// messageStream is a stream of messages of one node.
type messageStream struct {
	*connect.ServerStreamForClient[pb.Message]
}

// subscribe opens a stream on each node. It returns when all subscriptions are active.
func (n *network) subscribe() []messageStream {
	n.t.Helper()
	var streams []messageStream
	for _, one := range n.nodes {
		ctx, cancel := context.WithTimeout(n.t.Context(), nodetest.Timeout)
		stream, err := one.SubscribeMessages(ctx, connect.NewRequest(&pb.SubscribeRequest{}))
		if err != nil {
			cancel()
			n.t.Fatal(err)
		}
		n.t.Cleanup(func() {
			cancel()
			_ = stream.Close() // it reports that the context ended
		})
		stream.ResponseHeader()
		streams = append(streams, messageStream{stream})
	}
	return streams
}

// expect reads one message for each hash, in any order.
func (s messageStream) expect(t *testing.T, name string, hashes []ident.Hash) {
	t.Helper()
	got := make(map[ident.Hash]bool)
	for range hashes {
		if !s.Receive() {
			t.Fatalf("the stream of %s ended: %v", name, s.Err())
		}
		got[ident.Hash(s.Msg().GetHash())] = true
	}
	for _, hash := range hashes {
		if !got[hash] {
			t.Errorf("the stream of %s did not deliver %v", name, hash)
		}
	}
}
