package peers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"makechain/bench/process"
	"makechain/bench/workload"
)

// Names of the contenders, on the command line too.
const (
	makechainName = "makechain"
	kvstoreName   = "kvstore"
	ceilingName   = "ceiling"
)

// contender is one of those that are compared, and runs.
type contender struct {
	name  string
	child *child
	load  *load

	saturated, steady tally
}

// startAll starts the contenders, the node first.
func startAll(ctx context.Context, dir string, o options) ([]*contender, error) {
	program, err := process.Build(ctx, dir)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var started []*contender
	start := func(name, program string, args ...string) error {
		c, err := launch(ctx, program, args...)
		if err != nil {
			return errors.Join(fmt.Errorf("%s: %w", name, err), stopAll(started))
		}
		started = append(started, &contender{name: name, child: c, load: newLoad(c.address, o.clients)})
		return nil
	}
	err = start(makechainName, program, "node", "--home", filepath.Join(dir, "home"),
		"--grpc-addr", freePort, "--rest-addr", "", "--log-level", "warn")
	for _, name := range []string{kvstoreName, ceilingName} {
		if err == nil {
			err = start(name, self, peersCommand, serveCommand, name, filepath.Join(dir, name), strconv.Itoa(o.rows))
		}
	}
	return started, err
}

// stopAll ends contenders, none of which must have failed.
func stopAll(contenders []*contender) error {
	var err error
	for _, c := range contenders {
		c.load.http.CloseIdleConnections()
		if stopped := c.child.stop(); stopped != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", c.name, stopped))
		}
	}
	return err
}

// turn has the clients send a requestFile of messages, and waits until all are committed.
func (c *contender) turn(ctx context.Context, requestFile *workload.RequestFile, pace pace, into *tally) error {
	before, err := c.load.committed(ctx)
	if err == nil {
		err = c.load.send(ctx, requestFile, pace, &round{tally: into, usage: c.child.usage})
	}
	if err == nil {
		err = c.load.drained(ctx, before+uint64(requestFile.Messages))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	return nil
}

// result is what is told of the contender.
func (c *contender) result() result {
	return result{Name: c.name, Saturated: c.saturated.measured(), Steady: c.steady.measured()}
}
