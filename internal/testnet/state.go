package testnet

import (
	"context"
	"fmt"
	"time"

	"connectrpc.com/connect"

	"makechain/client"
	pb "makechain/gen/makechain"
)

// pollTimeout is the deadline of a status call.
const pollTimeout = 2 * time.Second

// Phase is the stage in the life of a node's process.
type Phase string

// The phases of a node.
const (
	Starting    Phase = "starting"
	CatchingUp  Phase = "catching up"
	Ready       Phase = "ready"
	Unreachable Phase = "does not respond" // after it did
	Exited      Phase = "exited"
)

// State is the state of a node at one time.
type State struct {
	Node  *Node
	Phase Phase
	PID   int // of its process
	// Block, Peers and Pending are from the last response of the node: its latest block, its number of connected peers
	// and the messages in its mempool.
	Block   uint64
	Peers   uint32
	Pending uint32
	Err     error // of the process, if it exited with a failure
}

// monitor polls the status of a node.
type monitor struct {
	client  *client.Client
	process *process
	last    State
}

func newMonitor(node *Node, p *process) (*monitor, error) {
	c, err := client.New(node.GRPC)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", node.Name, err)
	}
	return &monitor{client: c, process: p, last: State{Node: node, Phase: Starting, PID: p.command.Process.Pid}}, nil
}

func (m *monitor) close() { m.client.Close() }

// poll calls the node once and returns its state. Calls must not overlap.
func (m *monitor) poll(ctx context.Context) State {
	if m.process.hasExited() {
		m.last.Phase, m.last.Err = Exited, m.process.err
		return m.last
	}
	ctx, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	status, err := m.client.GetNodeStatus(ctx, connect.NewRequest(&pb.GetNodeStatusRequest{}))
	switch {
	case err != nil && m.last.Phase != Starting:
		m.last.Phase = Unreachable
	case err != nil:
	case status.Msg.GetCatchingUp():
		m.last.Phase = CatchingUp
	default:
		m.last.Phase = Ready
	}
	if err == nil {
		m.last.Block, m.last.Peers, m.last.Pending = status.Msg.GetCurrentBlock(), status.Msg.GetPeerCount(), status.Msg.GetMempoolSize()
	}
	return m.last
}
