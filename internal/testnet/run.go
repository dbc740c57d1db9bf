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
	// LogFile is where a node that Run started writes, in its home.
	LogFile = "node.log"
	// reportInterval is the time between two looks at the nodes.
	reportInterval = time.Second
	// stopPatience is how long a node may take to stop before it is killed.
	stopPatience = 30 * time.Second
)

// Runner runs the nodes of a network as processes.
type Runner struct {
	Network *Network
	Program string   // makechain
	Flags   []string // of makechain node, for all nodes
	// Report is told how all nodes do, once a second and when one has ended. It is called by one goroutine at a time.
	Report func([]State)
}

// errAllEnded says that there is nothing left to run.
var errAllEnded = errors.New("all nodes have ended")

// Run runs all nodes until ctx ends, and then stops them. A node that ends before is reported, and the others go on; it
// is an error when none is left.
func (r *Runner) Run(ctx context.Context) error {
	if !r.Network.Local {
		return errors.New("the nodes of this network are for machines of their own: run makechain node --home on each")
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

// start starts the process of a node, whose output goes to a file in its home.
func (r *Runner) start(node *Node) (*process, error) {
	log, err := os.OpenFile(filepath.Join(node.Home, LogFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, logMode)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", node.Name, err)
	}
	started, err := launch(r.Program, append([]string{"node", "--home", node.Home}, r.Flags...), log)
	if err = errors.Join(err, log.Close()); err != nil { // the process has it open for itself
		return nil, fmt.Errorf("start %s: %w", node.Name, err)
	}
	return started, nil
}

// watch reports until ctx ends or all nodes have.
func (r *Runner) watch(ctx context.Context, processes []*process) error {
	looks := make([]*look, len(processes))
	for i := range processes {
		var err error
		if looks[i], err = newLook(&r.Network.Nodes[i]); err != nil {
			return err
		}
		defer looks[i].close()
	}
	ended := make(chan struct{}, len(processes))
	for _, p := range processes {
		go func() {
			<-p.done
			ended <- struct{}{}
		}()
	}
	ticker := time.NewTicker(reportInterval)
	defer ticker.Stop()
	for left := len(processes); left > 0; {
		states := lookAt(ctx, looks, processes)
		if ctx.Err() != nil {
			return nil // who was being asked only seems silent
		}
		r.Report(states)
		select {
		case <-ticker.C:
		case <-ended:
			left--
		case <-ctx.Done():
			return nil
		}
	}
	r.Report(lookAt(ctx, looks, processes))
	return errAllEnded
}

// lookAt looks at all nodes at the same time: one that does not answer holds up none.
func lookAt(ctx context.Context, looks []*look, processes []*process) []State {
	states := make([]State, len(looks))
	var looking sync.WaitGroup
	for i := range looks {
		looking.Go(func() { states[i] = looks[i].at(ctx, processes[i]) })
	}
	looking.Wait()
	return states
}

// stopAll stops processes together, and waits for all of them.
func stopAll(processes []*process) error {
	errs := make([]error, len(processes))
	var stopping sync.WaitGroup
	for i, p := range processes {
		stopping.Go(func() { errs[i] = p.stop(stopPatience) })
	}
	stopping.Wait()
	return errors.Join(errs...)
}
