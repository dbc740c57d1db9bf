package testnet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	// LogFile is the file in a node's home to which the output of its process goes.
	LogFile = "node.log"
	logMode = 0o600 // logs contain addresses of clients
	// reportInterval is the time between two reports.
	reportInterval = time.Second
	// stopTimeout is how long a node may take to stop before it is killed.
	stopTimeout = 30 * time.Second
)

// Runner runs the nodes of a network as processes.
type Runner struct {
	Network *Network
	Program string   // path of makechain
	Flags   []string // of makechain node, for all nodes
	// Report receives the states of all nodes, every second and when one has exited. Calls do not overlap.
	Report func([]State)
}

// errAllExited is returned by Run when no process is left.
var errAllExited = errors.New("all nodes have exited")

// Run runs all nodes until ctx ends, and then stops them. When a node exits earlier it is reported and the others continue;
// Run fails when none is left.
func (r *Runner) Run(ctx context.Context) error {
	if !r.Network.Local {
		return errors.New("the nodes of this network have separate hosts: run makechain node --home on each of them")
	}
	processes := make([]*process, 0, len(r.Network.Nodes))
	var err error
	for i := range r.Network.Nodes {
		var started *process
		if started, err = r.start(&r.Network.Nodes[i]); err != nil {
			break
		}
		processes = append(processes, started)
	}
	if err == nil {
		err = r.watch(ctx, processes)
	}
	return errors.Join(err, stopAll(processes))
}

// start starts the process of a node, with its output appended to LogFile.
func (r *Runner) start(node *Node) (*process, error) {
	log, err := os.OpenFile(filepath.Join(node.Home, LogFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, logMode)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", node.Name, err)
	}
	started, err := launch(r.Program, append([]string{"node", "--home", node.Home}, r.Flags...), log)
	if err = errors.Join(err, log.Close()); err != nil { // the process has its own descriptor
		return nil, fmt.Errorf("start %s: %w", node.Name, err)
	}
	return started, nil
}

// watch reports until ctx ends or all nodes have exited.
func (r *Runner) watch(ctx context.Context, processes []*process) error {
	monitors := make([]*monitor, len(processes))
	for i, p := range processes {
		var err error
		if monitors[i], err = newMonitor(&r.Network.Nodes[i], p); err != nil {
			return err
		}
		defer monitors[i].close()
	}
	exited := make(chan struct{}, len(processes))
	for _, p := range processes {
		go func() {
			<-p.done
			exited <- struct{}{}
		}()
	}
	ticker := time.NewTicker(reportInterval)
	defer ticker.Stop()
	for left := len(processes); left > 0; {
		states := pollAll(ctx, monitors)
		if ctx.Err() != nil {
			return nil // calls in flight failed, which is not the state of the nodes
		}
		r.Report(states)
		select {
		case <-ticker.C:
		case <-exited:
			left--
		case <-ctx.Done():
			return nil
		}
	}
	r.Report(pollAll(ctx, monitors))
	return errAllExited
}

// pollAll polls all nodes concurrently, so that one that does not respond delays no other.
func pollAll(ctx context.Context, monitors []*monitor) []State {
	states := make([]State, len(monitors))
	var polling sync.WaitGroup
	for i, m := range monitors {
		polling.Go(func() { states[i] = m.poll(ctx) })
	}
	polling.Wait()
	return states
}

// stopAll stops processes concurrently and waits for all of them.
func stopAll(processes []*process) error {
	errs := make([]error, len(processes))
	var stopping sync.WaitGroup
	for i, p := range processes {
		stopping.Go(func() { errs[i] = p.stop(stopTimeout) })
	}
	stopping.Wait()
	return errors.Join(errs...)
}
