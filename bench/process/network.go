// Package process builds and runs the nodes to measure, and reads their resource usage.
//
// Usage is read from /proc, so it is available on Linux only.
package process

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/backoff"
	"makechain/internal/testnet"
)

const (
	// startTimeout is how long nodes may take until they are ready, by default.
	startTimeout = time.Minute
	// pollInterval is the time between two calls to a node that is starting.
	pollInterval = 20 * time.Millisecond
)

// Options are the parameters of a network.
type Options struct {
	Program    string // path of makechain
	Dir        string // created if missing; must be empty, or have the nodes of an earlier Start, which are started again
	Validators int
	Followers  int
	Flags      []string      // of makechain node
	Timeout    time.Duration // until nodes are ready; 0 means a minute
	// Delay, if set, makes the nodes connect through proxies that delay all bytes between two nodes and count them.
	Delay Delay
}

// Network is a set of running nodes.
type Network struct {
	Nodes []Node
	// Started is the time from the start of the processes until all nodes served.
	Started time.Duration

	proxies *proxies // nil without Options.Delay

	stop context.CancelFunc
	done chan struct{}
	err  error // of the exit; written before done is closed
}

// Node is a node to measure.
type Node struct {
	Address  string // of gRPC
	Metrics  string
	Home     string
	PID      int
	Follower bool // it is not a validator; only reads are sent to it
}

// open creates a network, or reads that of an earlier Start.
func open(options Options) (*testnet.Network, error) {
	made, err := testnet.Read(options.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return testnet.Init(testnet.Options{Dir: options.Dir, Validators: options.Validators, Followers: options.Followers})
	}
	if err == nil && len(made.Nodes) != options.Validators+options.Followers {
		return nil, fmt.Errorf("the chain in %s has %d nodes, not %d", options.Dir, len(made.Nodes), options.Validators+options.Followers)
	}
	return made, err
}

// Start creates a network, starts its nodes and waits until all are ready.
func Start(ctx context.Context, options Options) (*Network, error) {
	made, err := open(options)
	if err != nil {
		return nil, err
	}
	network := &Network{done: make(chan struct{})}
	if options.Delay != nil {
		if network.proxies, err = newProxies(ctx, made, options.Delay); err != nil {
			return nil, err
		}
	}
	ctx, network.stop = context.WithCancel(ctx)
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
	start, serving := time.Now(), make(chan served, 1)
	go func() {
		network.err = runner.Run(ctx)
		close(network.done)
	}()
	go func() {
		err := awaitServing(ctx, made)
		serving <- served{time.Since(start), err}
	}()
	timeout := options.Timeout
	if timeout == 0 {
		timeout = startTimeout
	}
	if err := network.await(ctx, timeout, states, serving); err != nil {
		return nil, errors.Join(err, network.Stop(), firstLog(made))
	}
	return network, nil
}

// served is the result of awaitServing.
type served struct {
	after time.Duration
	err   error
}

// awaitServing calls the nodes of a network until all of them serve. Reports of the runner are less frequent.
func awaitServing(ctx context.Context, made *testnet.Network) error {
	for i := range made.Nodes {
		c, err := client.New(made.Nodes[i].GRPC)
		if err != nil {
			return err
		}
		for {
			status, err := client.Call(ctx, c.GetNodeStatus, &pb.GetNodeStatusRequest{})
			if err == nil && !status.GetCatchingUp() {
				break
			}
			if err := backoff.Sleep(ctx, pollInterval); err != nil {
				c.Close()
				return err
			}
		}
		c.Close()
	}
	return nil
}

// await reads reports until all nodes are ready, and the time at which they served.
func (n *Network) await(ctx context.Context, timeout time.Duration, states <-chan []testnet.State, serving <-chan served) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	ready := false
	for {
		select {
		case all := <-states:
			n.Nodes = n.Nodes[:0]
			for i := range all {
				if all[i].Phase == testnet.Exited {
					return fmt.Errorf("%s exited: %w", all[i].Node.Name, all[i].Err)
				}
				if node := all[i].Node; all[i].Phase == testnet.Ready {
					n.Nodes = append(n.Nodes, Node{Address: node.GRPC, Metrics: node.Metrics, Home: node.Home, PID: all[i].PID, Follower: !node.Validator})
				}
			}
			if ready = len(n.Nodes) == len(all); ready && serving == nil {
				return nil
			}
		case all := <-serving:
			if all.err != nil {
				return all.err
			}
			n.Started = all.after
			if serving = nil; ready {
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
	if n.proxies == nil {
		return n.err
	}
	return errors.Join(n.err, n.proxies.close())
}

// Bytes returns the number of bytes that the nodes have sent to each other, 0 if they are not connected through proxies.
func (n *Network) Bytes() int64 {
	if n.proxies == nil {
		return 0
	}
	return n.proxies.bytes.Load()
}

// Kill kills the nodes without a chance to write anything, and waits until they have exited.
func (n *Network) Kill() error {
	var errs []error
	for _, node := range n.Nodes {
		process, err := os.FindProcess(node.PID)
		if err == nil {
			err = process.Kill()
		}
		errs = append(errs, err)
	}
	<-n.done // Run has returned, because all have exited
	n.stop()
	return errors.Join(errs...)
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
