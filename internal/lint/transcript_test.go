package lint

import (
	"bufio"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// The commands of the README. The test cannot run the second, because it is run by it.
const (
	nodeCommand = "go run ./cmd/makechain node"
	testCommand = "go test ./..."
)

// TestReadme starts a node as the README says, with its home and its ports moved out of the way, and compares
// what it prints: names and addresses differ, the first word of each line does not.
func TestReadme(t *testing.T) {
	t.Parallel()
	commands := Transcripts(readPage(t, moduleRoot, "README.md"))
	var lines []string
	for _, command := range commands {
		lines = append(lines, command.Line)
	}
	if want := []string{nodeCommand, testCommand}; !slices.Equal(lines, want) {
		t.Fatalf("the commands of the README are %q, want %q", lines, want)
	}
	words := strings.Fields(nodeCommand)
	process := exec.CommandContext(t.Context(), words[0], words[1:]...)
	process.Dir = moduleRoot
	process.Env = append(os.Environ(), "MAKECHAIN_HOME="+t.TempDir(), "MAKECHAIN_GRPC_ADDR=localhost:0", "MAKECHAIN_REST_ADDR=localhost:0")
	// The node is a child of the go command, and both must end.
	process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	process.Cancel = func() error { return syscall.Kill(-process.Process.Pid, syscall.SIGKILL) }
	output, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	printed := bufio.NewScanner(output)
	for line := range strings.Lines(commands[0].Output) {
		if !printed.Scan() {
			t.Fatalf("the node printed nothing where the README has %q", line)
		}
		if got, want := firstWord(printed.Text()), firstWord(line); got != want {
			t.Errorf("the node printed %q where the README has %q", printed.Text(), line)
		}
	}
	if err := syscall.Kill(-process.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = process.Wait() // the go command reports the interrupt as a failure
}

func firstWord(line string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	return word
}

func TestTranscripts(t *testing.T) {
	t.Parallel()
	const page = "$ not in a block\n\n```console\n$ one\nout\nput\n$ two\n```\n\n```go\n$ three\n```\n"
	want := []Command{{"one", "out\nput\n"}, {"two", ""}}
	if got := Transcripts(page); !slices.Equal(got, want) {
		t.Errorf("commands are %q, want %q", got, want)
	}
}
