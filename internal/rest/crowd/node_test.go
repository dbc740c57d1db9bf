package crowd_test

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

// process is a program that runs beside the test and talks to it in lines.
type process struct {
	command *exec.Cmd
	input   io.WriteCloser
	lines   *bufio.Scanner
}

// launch starts a program, which is killed when the test ends.
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
		_ = command.Process.Kill() // it may have ended
		_ = command.Wait()
	})
	return p
}

// line is what the program prints next after a beginning that is left out; lines that begin otherwise are passed over.
func (p *process) line(t *testing.T, beginning string) string {
	t.Helper()
	for p.lines.Scan() {
		if rest, found := strings.CutPrefix(p.lines.Text(), beginning); found {
			return strings.TrimSpace(rest)
		}
	}
	t.Fatalf("%s ended before it printed %q", p.command.Path, beginning)
	return ""
}

// startNode builds the program and runs a node.
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

// startCrowd runs clients of an address.
func startCrowd(t *testing.T, address string, size int) *process {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), program)
	command.Env = append(os.Environ(), addressVariable+"="+address, sizeVariable+"="+strconv.Itoa(size))
	return launch(t, command)
}

// residentBytes is the memory that a process holds.
func (p *process) residentBytes(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kilobytes, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}
