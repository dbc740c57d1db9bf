//go:build linux

package abuse_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// memoryLimit is the limit that the node has to stay close to. contentLimit is the disk space of its content.
const memoryLimit, contentLimit = "1GiB", "2GiB"

// memoryInterval is the time between two readings of the node's memory.
const memoryInterval = 50 * time.Millisecond

// process is a node in a child process.
type process struct {
	command         *exec.Cmd
	grpc, rest, p2p string // addresses
	chainID         string
}

// startNode starts a node that limits clients on this machine like any other.
func startNode(t *testing.T) *process {
	t.Helper()
	program, environment := *binaryPath, os.Environ()
	if program == "" {
		var err error
		if program, err = os.Executable(); err != nil {
			t.Fatal(err)
		}
		environment = append(environment, nodeVariable+"=1")
	}
	help := exec.CommandContext(t.Context(), program, "node", "--help")
	help.Env = environment
	flags, err := help.Output()
	if err != nil {
		t.Fatal(err)
	}
	// The loopback network has 2^24 addresses; one that depends on the process is not used by anybody else.
	pid := os.Getpid()
	p := &process{p2p: fmt.Sprintf("127.%d.%d.200:26656", 1+pid>>8&127, pid&255)}
	args := []string{
		"node", "--home", filepath.Join(t.TempDir(), "home"), "--grpc-addr", "127.0.0.1:0", "--rest-addr", "127.0.0.1:0",
		"--p2p-addr", p.p2p, "--log-level", "error",
	}
	if strings.Contains(string(flags), "--limit-loopback") { // programs before it cannot limit clients of this machine
		args = append(args, "--limit-loopback")
	}
	if strings.Contains(string(flags), "--memory-limit") { // as for a machine with little more than maxMemory
		args = append(args, "--memory-limit", memoryLimit)
	}
	if strings.Contains(string(flags), "--content-min-free") { // uploads are accepted however full the disk of this machine is
		args = append(args, "--content-min-free", "0", "--content-max-bytes", contentLimit)
	}
	p.command = exec.CommandContext(t.Context(), program, args...)
	p.command.Env, p.command.Stderr = environment, t.Output()
	output, err := p.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.command.Process.Kill() // it may have exited
		_ = p.command.Wait()         // its result is that it was killed
	})
	lines := bufio.NewScanner(output)
	for p.rest == "" && lines.Scan() {
		if address, found := strings.CutPrefix(lines.Text(), "gRPC "); found {
			p.grpc = strings.TrimSpace(address)
		}
		if address, found := strings.CutPrefix(lines.Text(), "REST "); found {
			p.rest = strings.TrimPrefix(strings.TrimSpace(address), "http://")
		}
	}
	if p.rest == "" {
		t.Fatal("the node exited before it served")
	}
	return p
}

// watchMemory samples the resident memory of the node until the returned function is called, which returns the maximum.
func (p *process) watchMemory(t *testing.T) (stop func() int) {
	t.Helper()
	var highest atomic.Int64
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(memoryInterval)
		defer ticker.Stop()
		for {
			highest.Store(max(highest.Load(), int64(p.residentBytes())))
			select {
			case <-ticker.C:
			case <-end:
				return
			}
		}
	}()
	return func() int {
		close(end)
		<-ended
		return int(highest.Load())
	}
}

// residentBytes returns the resident memory of the node, 0 if it has exited.
func (p *process) residentBytes() int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(status), "VmRSS:")
	fields := strings.Fields(after)
	if len(fields) == 0 {
		return 0
	}
	kilobytes, _ := strconv.Atoi(fields[0]) // the kernel writes a number
	return kilobytes << 10
}
