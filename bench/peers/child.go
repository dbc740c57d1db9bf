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

// addressLine is how the line begins in which a contender says where it serves.
const addressLine = "gRPC "

// child is a contender that runs.
type child struct {
	command *exec.Cmd
	errors  *bytes.Buffer
	address string
}

// launch starts a contender and waits until it serves.
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
	return nil, fmt.Errorf("it did not start: %w: %s", c.command.Wait(), c.errors)
}

// stop ends the contender, which must not have failed.
func (c *child) stop() error {
	if err := errors.Join(c.command.Process.Signal(syscall.SIGTERM), c.command.Wait()); err != nil {
		return fmt.Errorf("it ended badly: %w: %s", err, c.errors)
	}
	return nil
}

// usage is what the contender has used so far.
func (c *child) usage() (process.Usage, error) { return process.Read(c.command.Process.Pid) }
