package peers

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"

	"makechain/bench/process"
)

// addressLine is the prefix of the line with which an application prints its address.
const addressLine = "gRPC "

// child is a running application.
type child struct {
	command *exec.Cmd
	errors  *bytes.Buffer
	address string
}

// launch starts an application and waits until it serves.
func launch(ctx context.Context, program string, args ...string) (*child, error) {
	c := &child{command: exec.CommandContext(ctx, program, args...), errors: new(bytes.Buffer)} //nolint:gosec // a program of this repository
	c.command.Stderr = c.errors
	printed, err := c.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.command.Start(); err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(printed); lines.Scan(); {
		if address, serves := strings.CutPrefix(lines.Text(), addressLine); serves {
			c.address = strings.TrimSpace(address)
			return c, nil
		}
	}
	return nil, fmt.Errorf("did not start: %w: %s", c.command.Wait(), c.errors)
}

// stop stops the application and returns an error if it failed.
func (c *child) stop() error {
	if err := errors.Join(c.command.Process.Signal(syscall.SIGTERM), c.command.Wait()); err != nil {
		return fmt.Errorf("failed: %w: %s", err, c.errors)
	}
	return nil
}

// usage returns the usage of the application so far.
func (c *child) usage() (process.Usage, error) { return process.Read(c.command.Process.Pid) }
