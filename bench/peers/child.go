package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"makechain/internal/bench/process"
)

// serveCommand has the program be one of the contenders.
const serveCommand = "serve"

// addressLine is how the line begins in which a contender says where it serves.
const addressLine = "serves "

// child is a contender that runs.
type child struct {
	command *exec.Cmd
	input   io.Closer // a contender serves until its input ends
	errors  *bytes.Buffer
	address string
}

// launch starts a contender with a home of its own and waits until it serves.
func launch(ctx context.Context, name, home string, rows int) (*child, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program: %w", err)
	}
	p := &child{errors: new(bytes.Buffer)}
	p.command = exec.CommandContext(ctx, program, serveCommand, name, home, strconv.Itoa(rows)) //nolint:gosec // it is this program
	p.command.Stderr = p.errors
	if p.input, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	printed, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(printed); lines.Scan(); {
		if address, serves := strings.CutPrefix(lines.Text(), addressLine); serves {
			p.address = address
			return p, nil
		}
	}
	return nil, fmt.Errorf("it did not start: %w: %s", p.command.Wait(), p.errors)
}

// stop ends the contender, which must not have failed.
func (p *child) stop() error {
	if err := errors.Join(p.input.Close(), p.command.Wait()); err != nil {
		return fmt.Errorf("it ended badly: %w: %s", err, p.errors)
	}
	return nil
}

// usage is what the contender has used so far.
func (p *child) usage() (process.Usage, error) { return process.Read(p.command.Process.Pid) }
