package fanout_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// process is a child process with line-based input and output.
type process struct {
	command *exec.Cmd
	input   io.WriteCloser
	lines   *bufio.Scanner
}

// launch starts a process, which is killed when the test ends.
func launch(t *testing.T, command *exec.Cmd) *process {
	t.Helper()
	p := &process{command: command}
	command.Stderr = t.Output()
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if p.input, err = command.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	p.lines = bufio.NewScanner(output)
	t.Cleanup(func() {
		_ = command.Process.Kill() // may have exited
		_ = command.Wait()
	})
	return p
}

// line reads the output up to a line with a prefix, and returns the rest of that line.
func (p *process) line(t *testing.T, prefix string) string {
	t.Helper()
	for p.lines.Scan() {
		if text, found := strings.CutPrefix(p.lines.Text(), prefix); found {
			return strings.TrimSpace(text)
		}
	}
	t.Fatalf("%s exited before it printed %q", p.command.Path, prefix)
	return ""
}

// startNode builds the program and starts a node.
func startNode(t *testing.T) *process {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "makechain")
	if built, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "makechain/cmd/makechain").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, built)
	}
	return launch(t, exec.CommandContext(t.Context(), program, "node", "--home", filepath.Join(dir, "home"),
		"--grpc-addr", "127.0.0.1:0", "--rest-addr", "127.0.0.1:0", "--p2p-addr", "127.0.0.1:0", "--log-level", "warn"))
}

// startClients starts a process with clients of an address.
func startClients(t *testing.T, address string, size int) *process {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), program)
	command.Env = append(os.Environ(), addressVariable+"="+address, sizeVariable+"="+strconv.Itoa(size))
	return launch(t, command)
}

// residentBytes returns the resident memory of the process.
func (p *process) residentBytes(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "VmRSS:")
	kilobytes, err := strconv.Atoi(strings.Fields(after)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}
