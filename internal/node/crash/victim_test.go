package crash_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"

	"makechain/internal/node"
	"makechain/internal/node/nodetest"
)

// homeVariable makes a process of this test run a node in a home instead of tests.
const homeVariable = "MAKECHAIN_CRASH_HOME"

func TestMain(m *testing.M) {
	home, isNode := os.LookupEnv(homeVariable)
	if !isNode {
		os.Exit(m.Run())
	}
	if err := runNode(home); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// runNode runs a node until it is told to stop, and prints where it serves. It does not outlive its parent, which
// holds the other end of its input.
func runNode(home string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // it ends with the parent, however that ends
		os.Exit(1)
	}()
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	n, err := node.New(ctx, nodetest.Config(home, log))
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(os.Stdout, n.GRPCAddr()); err != nil {
		return errors.Join(err, n.Close())
	}
	return n.Run(ctx)
}

// victim is a node that runs as a process of its own.
type victim struct {
	command *exec.Cmd
	input   io.Closer
	address chan string // gets one when the node serves, and is closed when it printed its last
	done    chan struct{}
	errors  output
}

// launch starts a node in a home.
func launch(t *testing.T, home string, environment ...string) *victim {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The process ends with the harness or by it, not with the test's context.
	v := &victim{command: exec.CommandContext(context.WithoutCancel(t.Context()), program), address: make(chan string, 1), done: make(chan struct{})}
	v.command.Env = append(append(os.Environ(), homeVariable+"="+home), environment...)
	v.command.Stderr = &v.errors
	input, err := v.command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	v.input = input
	printed, err := v.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := v.command.Start(); err != nil {
		t.Fatal(err)
	}
	go v.watch(printed)
	t.Cleanup(v.kill)
	return v
}

// watch reads what the node prints, and waits for its end.
func (v *victim) watch(printed io.Reader) {
	lines := bufio.NewScanner(printed)
	if lines.Scan() && strings.Contains(lines.Text(), ":") {
		v.address <- lines.Text()
	}
	close(v.address)
	for lines.Scan() { // until it has closed its output
	}
	_ = v.command.Wait() // how it ended is in the state of the process
	close(v.done)
}

// kill ends the node as a power cut would.
func (v *victim) kill() {
	_ = v.command.Process.Kill() // it may have ended already
	<-v.done
	_ = v.input.Close() // nobody reads it any more
}

// stop ends the node as an operator would.
func (v *victim) stop(t *testing.T) {
	t.Helper()
	if err := v.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-v.done
	if !v.command.ProcessState.Success() {
		t.Fatalf("the node stopped with %v: %s", v.command.ProcessState, &v.errors)
	}
}

// mustServe waits until the node serves, and gives a client of it.
func (v *victim) mustServe(t *testing.T) *nodetest.Client {
	t.Helper()
	address, serves := <-v.address
	if !serves {
		<-v.done
		t.Fatalf("the node did not start: %v: %s", v.command.ProcessState, &v.errors)
	}
	return nodetest.Dial(address)
}

// output keeps what a process wrote.
type output struct {
	mu      sync.Mutex
	written bytes.Buffer // guarded by mu
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.written.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.written.String()
}
