package lint

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// testCommand is the one command of the README that its test cannot run, because it runs the test.
const testCommand = "go test ./..."

// TestReadme runs the commands of the README and compares what they print.
func TestReadme(t *testing.T) {
	t.Parallel()
	commands := Transcripts(readPage(t, moduleRoot, "README.md"))
	var lines []string
	for _, command := range commands {
		lines = append(lines, command.Line)
	}
	if want := []string{"go run ./cmd/makechain node", testCommand}; !slices.Equal(lines, want) {
		t.Errorf("the commands of the README are %q, want %q", lines, want)
	}
	for _, command := range commands {
		if command.Line == testCommand {
			continue
		}
		words := strings.Fields(command.Line)
		process := exec.CommandContext(t.Context(), words[0], words[1:]...)
		process.Dir = moduleRoot
		output, err := process.CombinedOutput()
		if string(output) != command.Output {
			t.Errorf("%s printed %q (%v), the README says %q", command.Line, output, err, command.Output)
		}
	}
}

func TestTranscripts(t *testing.T) {
	t.Parallel()
	const page = "$ not in a block\n\n```console\n$ one\nout\nput\n$ two\n```\n\n```go\n$ three\n```\n"
	want := []Command{{"one", "out\nput\n"}, {"two", ""}}
	if got := Transcripts(page); !slices.Equal(got, want) {
		t.Errorf("commands are %q, want %q", got, want)
	}
}
