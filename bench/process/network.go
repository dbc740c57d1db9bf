// Package process runs the nodes that are measured as processes of their own, and tells what they use.
//
// The nodes are ordinary ones in a directory of their own. What a process uses is read from /proc, so it is known on
// Linux alone.
package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"makechain/internal/testnet"
)

// startPatience is how long nodes may take until they serve.
const startPatience = time.Minute

// Options say what nodes to start.
type Options struct {
	Program    string // makechain
	Dir        string // made if need be; must be empty
	Validators int
	Flags      []string // of makechain node
}

// Network is nodes that run.
type Network struct {
	Nodes []Node

	stop context.CancelFunc
	done chan struct{}
	err  error // why the nodes ended; written before done is closed
}

// Node is one of them.
type Node struct {
	Address string // for gRPC
	Metrics string
	Home    string
	PID     int
}

// Start makes a network and waits until all of its nodes serve.
func Start(ctx context.Context, options Options) (*Network, error) {
	made, err := testnet.Init(testnet.Options{Dir: options.Dir, Validators: options.Validators})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	network := &Network{stop: cancel, done: make(chan struct{})}
	states := make(chan []testnet.State)
	runner := &testnet.Runner{
		Network: made, Program: options.Program, Flags: append([]string{"--rest-addr", "", "--log-level", "warn"}, options.Flags...),
		Report: func(all []testnet.State) {
			select {
			case states <- all:
			default: // nobody asks any more
			}
		},
	}
	go func() {
		network.err = runner.Run(ctx)
		close(network.done)
	}()
	if err := network.await(ctx, states); err != nil {
		return nil, errors.Join(err, network.Stop(), complaint(made))
	}
	return network, nil
}

// await takes reports until all nodes are ready.
func (n *Network) await(ctx context.Context, states <-chan []testnet.State) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	for {
		select {
		case all := <-states:
			n.Nodes = n.Nodes[:0]
			for i := range all {
				if all[i].Phase == testnet.Exited {
					return fmt.Errorf("%s ended at once: %w", all[i].Node.Name, all[i].Err)
				}
				if node := all[i].Node; all[i].Phase == testnet.Ready {
					n.Nodes = append(n.Nodes, Node{Address: node.GRPC, Metrics: node.Metrics, Home: node.Home, PID: all[i].PID})
				}
			}
			if len(n.Nodes) == len(all) {
				return nil
			}
		case <-n.done:
			return errors.New("the nodes did not start")
		case <-ctx.Done():
			return fmt.Errorf("the nodes do not serve: %w", ctx.Err())
		}
	}
}

// Stop ends the nodes. Their homes stay.
func (n *Network) Stop() error {
	n.stop()
	<-n.done
	return n.err
}

// Done is closed when the nodes have ended.
func (n *Network) Done() <-chan struct{} { return n.done }

// complaint is what the first node had to say.
func complaint(made *testnet.Network) error {
	said, err := os.ReadFile(filepath.Join(made.Nodes[0].Home, testnet.LogFile))
	if err != nil || len(said) == 0 {
		return err
	}
	return errors.New(string(said))
}
