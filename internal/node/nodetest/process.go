package nodetest

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"makechain/internal/capture"
)

// AddressPrefix is the start of the line with the address of a node.
const AddressPrefix = "gRPC "

// Process is a child process, such as a node.
type Process struct {
	command *exec.Cmd
	input   io.Closer
	address string        // empty if it exited before it served
	ready   chan struct{} // closed when the address is printed, or the process has exited
	done    chan struct{}
	printed capture.Buffer
	errors  capture.Buffer
}

// Launch starts a child process, which is killed when the test ends. Its standard input is closed when the process of the test
// exits.
func Launch(tb testing.TB, command *exec.Cmd) *Process {
	tb.Helper()
	p := &Process{command: command, ready: make(chan struct{}), done: make(chan struct{})}
	command.Stderr = &p.errors
	input, err := command.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	p.input = input
	printed, err := command.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := command.Start(); err != nil {
		tb.Fatal(err)
	}
	go p.watch(printed)
	tb.Cleanup(p.Kill)
	return p
}

// watch reads the standard output of the process and waits until it exits.
func (p *Process) watch(printed io.Reader) {
	signal := sync.OnceFunc(func() { close(p.ready) })
	for lines := bufio.NewScanner(printed); lines.Scan(); {
		if address, serves := strings.CutPrefix(lines.Text(), AddressPrefix); serves && p.address == "" {
			p.address = strings.TrimSpace(address)
			signal()
			continue
		}
		_, _ = p.printed.Write(append(lines.Bytes(), '\n')) // never fails
	}
	signal()
	_ = p.command.Wait() // the result is in the state of the process
	close(p.done)
}

// Address waits until a node serves and returns its address. It reports false if the process exited before.
func (p *Process) Address() (string, bool) {
	<-p.ready
	return p.address, p.address != ""
}

// MustServe waits until a node serves and returns a client.
func (p *Process) MustServe(tb testing.TB) *Client {
	tb.Helper()
	address, serves := p.Address()
	if !serves {
		<-p.done
		tb.Fatalf("the node did not start: %v: %s", p.State(), p.Stderr())
	}
	return Dial(address)
}

// Done is closed when the process has exited.
func (p *Process) Done() <-chan struct{} { return p.done }

// State returns the state of the process after it has exited.
func (p *Process) State() *os.ProcessState { return p.command.ProcessState }

// Stdout returns the standard output so far, without the address.
func (p *Process) Stdout() string { return p.printed.String() }

// Stderr returns the standard error output so far.
func (p *Process) Stderr() string { return p.errors.String() }

// Kill kills the process.
func (p *Process) Kill() {
	_ = p.command.Process.Kill() // it may have exited already
	<-p.done
	_ = p.input.Close() // it is no longer read
}

// DumpGoroutines ends the process and makes it write the stacks of its goroutines to standard error.
func (p *Process) DumpGoroutines() {
	_ = p.command.Process.Signal(syscall.SIGQUIT) // it may have exited already
}

func (p *Process) signal(tb testing.TB, signal syscall.Signal) {
	tb.Helper()
	if err := p.command.Process.Signal(signal); err != nil {
		tb.Fatal(err)
	}
}

// Stop stops the process with SIGTERM.
func (p *Process) Stop(tb testing.TB) {
	tb.Helper()
	p.signal(tb, syscall.SIGTERM)
	p.MustExit(tb)
}

// CloseInput closes the standard input of a process that runs until then.
func (p *Process) CloseInput(tb testing.TB) {
	tb.Helper()
	if err := p.input.Close(); err != nil {
		tb.Fatal(err)
	}
	p.MustExit(tb)
}

// MustExit waits until the process exits, which must be without an error.
func (p *Process) MustExit(tb testing.TB) {
	tb.Helper()
	<-p.done
	if !p.State().Success() {
		tb.Fatalf("%s exited with %v: %s", p.command.Path, p.State(), p.Stderr())
	}
}
