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

// The network of the tests. Four is the least that goes on without one.
const (
	validators    = 4
	followers     = 2
	blockInterval = 20 * time.Millisecond
)

// network is one whose nodes run as processes of their own.
type network struct {
	t     *testing.T
	nodes []*runningNode
	sent  []ident.Hash // what must be on every node, in no particular order
}

// runningNode is a node of a network, with a client of it.
type runningNode struct {
	*nodetest.Process
	*nodetest.Client

	name, home string
	flags      []string
}

// program prepares a call of the program, which is this very binary under its other name.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(context.WithoutCancel(t.Context()), self) // it is ended in the cleanup
	command.Args = append([]string{"makechain"}, args...)
	return command
}

// startNetwork makes a network and starts all of it.
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

// join puts a person on the chain through a node and waits for it there.
func (n *network) join(through *runningNode, username string) *nodetest.Account {
	n.t.Helper()
	person := nodetest.NewAccount(n.t)
	hashes := through.Register(person, 1, username)
	for _, hash := range hashes {
		if fate := through.AwaitStatus(n.t, hash); fate.GetState() != pb.MessageState_MESSAGE_STATE_COMMITTED {
			n.t.Fatalf("%s on %s: %v", username, through.name, fate)
		}
	}
	n.sent = append(n.sent, hashes...)
	return person
}

// agree waits until all nodes have everything, and compares their last common block.
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
				n.t.Errorf("%s reads another message than %v", one.name, hash)
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

// TestNetwork runs validators and followers as processes: what is written to a follower is committed and is read and
// streamed everywhere; a node that was away catches up; a home that knows only the genesis file joins.
//
// Rules: I1, P10.4, P11.1.
func TestNetwork(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs a network of processes")
	}
	n, made := startNetwork(t)
	streams := n.listen()
	alice := n.join(n.follower(), "alice")
	n.agree(n.nodes...)
	for i, one := range n.nodes {
		streams[i].expect(t, one.name, n.sent)
	}
	n.race(t)

	away := n.nodes[validators-1]
	away.Stop(t)
	n.follower().Submit(t, n.note(alice.Sign(message.ProjectCreate("one-down", pb.Visibility_VISIBILITY_PUBLIC, "", ""))))
	n.agree(slices.DeleteFunc(slices.Clone(n.nodes), func(one *runningNode) bool { return one == away })...)
	n.start(away)

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
	n.follower().Submit(t, n.note(alice.Sign(message.ProjectCreate("all-up", pb.Visibility_VISIBILITY_PUBLIC, "", ""))))
	n.agree(n.nodes...)
	n.stop(t)
}

// note remembers that a message must be on every node.
func (n *network) note(m *message.Envelope) *message.Envelope {
	n.sent = append(n.sent, m.Hash)
	return m
}

// race has two people take one name, each through a follower that does not know of the other yet. One of them gets it,
// and the other is told why not by the node that took the message in, although others decided about it.
func (n *network) race(t *testing.T) {
	t.Helper()
	through := n.nodes[validators : validators+followers]
	var runners []*nodetest.Account
	for _, one := range through {
		runner := nodetest.NewAccount(t)
		key := runner.AddKey()
		one.Submit(t, key)
		claim := one.Claim(runner, 1)
		n.sent = append(n.sent, key.Hash, claim)
		runners = append(runners, runner)
	}
	n.agree(through...)
	var both []*message.Envelope
	const attempts = 100 // one of the two may hear of the other before it is asked
	for try := 0; len(both) < 2; try++ {
		if try == attempts {
			t.Fatal("the followers always knew of one another")
		}
		both = n.tryBoth(t, runners, "racer"+string(rune('a'+try/10))+string(rune('a'+try%10)))
	}
	committed := 0
	for i, one := range through {
		fate := one.AwaitStatus(t, both[i].Hash)
		switch {
		case fate.GetState() == pb.MessageState_MESSAGE_STATE_COMMITTED:
			committed++
			n.note(both[i])
		case fate.GetState() != pb.MessageState_MESSAGE_STATE_REFUSED || fate.GetCode() != string(message.CodeUsernameTaken):
			t.Errorf("the fate on %s is %v", one.name, fate)
		}
	}
	if committed != 1 {
		t.Errorf("%d have the name", committed)
	}
}

// tryBoth submits two messages that exclude one another at the same time, and gives them if both were accepted.
func (n *network) tryBoth(t *testing.T, runners []*nodetest.Account, username string) []*message.Envelope {
	t.Helper()
	accepted := make(chan int, len(runners))
	var messages []*message.Envelope
	for _, runner := range runners {
		messages = append(messages, runner.Sign(message.UsernameCreate(username)))
	}
	for i, m := range messages {
		go func() {
			answer, err := n.nodes[validators+i].SubmitMessage(t.Context(), connect.NewRequest(&pb.SubmitMessageRequest{Message: m.Proto()}))
			if err != nil || !answer.Msg.GetAccepted() {
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

// stop stops all nodes and checks what they leave behind.
func (n *network) stop(t *testing.T) {
	t.Helper()
	for _, one := range n.nodes {
		one.Stop(t)
		if err := node.Check(one.home, node.CheckOptions{Report: func(string) {}}); err != nil {
			t.Errorf("%s: %v", one.name, err)
		}
	}
}

// listening is a stream of messages of one node.
type listening struct {
	*connect.ServerStreamForClient[pb.Message]
}

// listen opens a stream on each node. When it returns, nothing that commits from then on is missed.
func (n *network) listen() []listening {
	n.t.Helper()
	var streams []listening
	for _, one := range n.nodes {
		ctx, cancel := context.WithTimeout(n.t.Context(), nodetest.Timeout)
		stream, err := one.SubscribeMessages(ctx, connect.NewRequest(&pb.SubscribeRequest{}))
		if err != nil {
			cancel()
			n.t.Fatal(err)
		}
		n.t.Cleanup(func() {
			cancel()
			_ = stream.Close() // it ends with the context, which is no news
		})
		stream.ResponseHeader()
		streams = append(streams, listening{stream})
	}
	return streams
}

// expect reads as many messages from a stream as there are, which must be those.
func (l listening) expect(t *testing.T, name string, hashes []ident.Hash) {
	t.Helper()
	got := make(map[ident.Hash]bool)
	for range hashes {
		if !l.Receive() {
			t.Fatalf("the stream of %s ended: %v", name, l.Err())
		}
		got[ident.Hash(l.Msg().GetHash())] = true
	}
	for _, hash := range hashes {
		if !got[hash] {
			t.Errorf("the stream of %s lacks %v", name, hash)
		}
	}
}
