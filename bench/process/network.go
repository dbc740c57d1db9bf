// Package process builds and runs the nodes to measure, and reads their resource usage.
//
// Usage is read from /proc, so it is available on Linux only.
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

// startTimeout is how long nodes may take until they are ready.
const startTimeout = time.Minute

// Options are the parameters of a network.
type Options struct {
	Program    string // path of makechain
	Dir        string // created if missing; must be empty
	Validators int
	Flags      []string // of makechain node
}

// Network is a set of running nodes.
type Network struct {
	Nodes []Node

	stop context.CancelFunc
	done chan struct{}
	err  error // of the exit; written before done is closed
}

// Node is a node to measure.
type Node struct {
	Address string // of gRPC
	Metrics string
	Home    string
	PID     int
}

// Start creates a network, starts its nodes and waits until all are ready.
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
			default: // all were ready
			}
		},
	}
	go func() {
		network.err = runner.Run(ctx)
		close(network.done)
	}()
	if err := network.await(ctx, states); err != nil {
		return nil, errors.Join(err, network.Stop(), firstLog(made))
	}
	return network, nil
}

// await reads reports until all nodes are ready.
func (n *Network) await(ctx context.Context, states <-chan []testnet.State) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for {
		select {
		case all := <-states:
			n.Nodes = n.Nodes[:0]
			for i := range all {
				if all[i].Phase == testnet.Exited {
					return fmt.Errorf("%s exited: %w", all[i].Node.Name, all[i].Err)
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
			return fmt.Errorf("the nodes are not ready: %w", ctx.Err())
		}
	}
}

// Stop stops the nodes. Their homes remain.
func (n *Network) Stop() error {
	n.stop()
	<-n.done
	return n.err
}

// Done returns a channel that is closed when the nodes have exited.
func (n *Network) Done() <-chan struct{} { return n.done }

// firstLog returns the log of the first node as an error.
func firstLog(made *testnet.Network) error {
	log, err := os.ReadFile(filepath.Join(made.Nodes[0].Home, testnet.LogFile))
	if err != nil || len(log) == 0 {
		return err
	}
	return errors.New(string(log))
}
