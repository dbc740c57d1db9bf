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

// AddressLine is how the line begins in which a node says where it serves.
const AddressPrefix = "gRPC "

// Process is a program that runs beside the test, such as a node.
type Process struct {
	command *exec.Cmd
	input   io.Closer
	address string        // where it serves, empty when it ended before it did
	told    chan struct{} // closed when the address is there, or will never be
	done    chan struct{}
	printed capture.Buffer
	errors  capture.Buffer
}

// Launch starts a program, which is killed when the test ends. Its input ends with the test's own process, however
// that ends.
func Launch(tb testing.TB, command *exec.Cmd) *Process {
	tb.Helper()
	p := &Process{command: command, told: make(chan struct{}), done: make(chan struct{})}
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

// watch reads what the program prints, and waits for its end.
func (p *Process) watch(printed io.Reader) {
	tell := sync.OnceFunc(func() { close(p.told) })
	for lines := bufio.NewScanner(printed); lines.Scan(); {
		if address, serves := strings.CutPrefix(lines.Text(), AddressPrefix); serves && p.address == "" {
			p.address = strings.TrimSpace(address)
			tell()
			continue
		}
		_, _ = p.printed.Write(append(lines.Bytes(), '\n')) // never fails
	}
	tell()
	_ = p.command.Wait() // how it ended is in the state of the process
	close(p.done)
}

// Address waits until a node serves, and says where. There is none when it ended before.
func (p *Process) Address() (string, bool) {
	<-p.told
	return p.address, p.address != ""
}

// MustServe waits until a node serves, and gives a client of it.
func (p *Process) MustServe(tb testing.TB) *Client {
	tb.Helper()
	address, serves := p.Address()
	if !serves {
		<-p.done
		tb.Fatalf("the node did not start: %v: %s", p.State(), p.Stderr())
	}
	return Dial(address)
}

// Done is closed when the program has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// State is how the program ended.
func (p *Process) State() *os.ProcessState { return p.command.ProcessState }

// Printed is what the program has printed so far, but for its address.
func (p *Process) Stdout() string { return p.printed.String() }

// Errors is what the program has written about its errors so far.
func (p *Process) Stderr() string { return p.errors.String() }

// Kill ends the program as a power cut would.
func (p *Process) Kill() {
	_ = p.command.Process.Kill() // it may have ended already
	<-p.done
	_ = p.input.Close() // nobody reads it any more
}

// Quit ends the program and has it write, among its errors, where each of its goroutines stands.
func (p *Process) DumpGoroutines() {
	_ = p.command.Process.Signal(syscall.SIGQUIT) // it may have ended already
}

func (p *Process) signal(tb testing.TB, signal syscall.Signal) {
	tb.Helper()
	if err := p.command.Process.Signal(signal); err != nil {
		tb.Fatal(err)
	}
}

// Stop ends the program as an operator would.
func (p *Process) Stop(tb testing.TB) {
	tb.Helper()
	p.signal(tb, syscall.SIGTERM)
	p.MustExit(tb)
}

// EndInput tells a program that works until its input ends.
func (p *Process) CloseInput(tb testing.TB) {
	tb.Helper()
	if err := p.input.Close(); err != nil {
		tb.Fatal(err)
	}
	p.MustExit(tb)
}

// MustEnd waits for an end that is no failure.
func (p *Process) MustExit(tb testing.TB) {
	tb.Helper()
	<-p.done
	if !p.State().Success() {
		tb.Fatalf("%s ended with %v: %s", p.command.Path, p.State(), p.Stderr())
	}
}
