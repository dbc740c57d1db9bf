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

// Names of the applications, also on the command line.
const (
	makechainName = "makechain"
	kvstoreName   = "kvstore"
	ceilingName   = "ceiling"
)

// application is a running application with its clients.
type application struct {
	name  string
	child *child
	load  *load

	saturated, steady tally
}

// startAll starts the applications, the node first.
func startAll(ctx context.Context, dir string, o options) ([]*application, error) {
	program, err := process.Build(ctx, dir)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var started []*application
	start := func(name, program string, args ...string) error {
		c, err := launch(ctx, program, args...)
		if err != nil {
			return errors.Join(fmt.Errorf("%s: %w", name, err), stopAll(started))
		}
		started = append(started, &application{name: name, child: c, load: newLoad(c.address, o.clients)})
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

// stopAll stops applications and returns an error if any failed.
func stopAll(applications []*application) error {
	var err error
	for _, c := range applications {
		c.load.http.CloseIdleConnections()
		if stopped := c.child.stop(); stopped != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", c.name, stopped))
		}
	}
	return err
}

// round sends the requests of a file and waits until all messages have committed.
func (c *application) round(ctx context.Context, requestFile *workload.RequestFile, pace interval, into *tally) error {
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

// result returns the result of the application.
func (c *application) result() result {
	return result{Name: c.name, Saturated: c.saturated.measured(), Steady: c.steady.measured()}
}
