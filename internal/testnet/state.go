package testnet

import (
	"context"
	"fmt"
	"time"

	"connectrpc.com/connect"

	"makechain/client"
	pb "makechain/gen/makechain"
)

// lookTimeout is how long a node may take to say how it does.
const lookTimeout = 2 * time.Second

// Phase is how far a node has come.
type Phase string

// The phases of a node.
const (
	Starting   Phase = "starting"
	CatchingUp Phase = "catching up"
	Ready      Phase = "ready"
	Silent     Phase = "does not answer" // it did before
	Ended      Phase = "ended"
)

// State is how a node does.
type State struct {
	Node  *Node
	Phase Phase
	PID   int // of its process
	// Block, Peers and Pending are as the node last said: its newest block, the nodes it is connected with, and the
	// messages that wait for a block.
	Block   uint64
	Peers   uint32
	Pending uint32
	Err     error // why it ended, when that was a failure
}

// look asks a node how it does, again and again.
type look struct {
	client *client.Client
	last   State
}

func newLook(node *Node) (*look, error) {
	asked, err := client.New(node.GRPC)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", node.Name, err)
	}
	return &look{client: asked, last: State{Node: node, Phase: Starting}}, nil
}

func (l *look) close() { l.client.Close() }

// at asks the node once.
func (l *look) at(ctx context.Context, p *process) State {
	l.last.PID = p.command.Process.Pid
	if p.hasEnded() {
		l.last.Phase, l.last.Err = Ended, p.err
		return l.last
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	answer, err := l.client.GetNodeStatus(ctx, connect.NewRequest(&pb.GetNodeStatusRequest{}))
	switch {
	case err != nil && l.last.Phase != Starting:
		l.last.Phase = Silent
	case err != nil:
	case answer.Msg.GetCatchingUp():
		l.last.Phase = CatchingUp
	default:
		l.last.Phase = Ready
	}
	if err == nil {
		l.last.Block, l.last.Peers, l.last.Pending = answer.Msg.GetCurrentBlock(), answer.Msg.GetPeerCount(), answer.Msg.GetMempoolSize()
	}
	return l.last
}
