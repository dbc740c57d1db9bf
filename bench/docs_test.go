package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"makechain/internal/lint"
)

// TestDocs runs the command of docs/performance.md and compares its output with the page, where "..." stands for any text.
func TestDocs(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts nodes")
	}
	page, err := os.ReadFile("../docs/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range lint.Blocks(string(page)) {
		if block.Language != "console" {
			continue
		}
		typed, shown, _ := strings.Cut(block.Text, "\n")
		args, isBench := strings.CutPrefix(typed, "$ go run -C bench . ")
		if !isBench {
			t.Fatalf("docs/performance.md:%d: %q is not a command of the load generator", block.Line, typed)
		}
		command, out := newRootCommand(), new(bytes.Buffer)
		command.SetArgs(strings.Fields(args))
		command.SetOut(out)
		if err := command.ExecuteContext(t.Context()); err != nil {
			t.Fatalf("docs/performance.md:%d: %v", block.Line, err)
		}
		printed := strings.Split(strings.TrimSpace(out.String()), "\n")
		expected := strings.Split(strings.TrimSpace(shown), "\n")
		if len(printed) != len(expected) {
			t.Fatalf("docs/performance.md:%d: %d lines of output, want %d:\n%s", block.Line, len(printed), len(expected), out)
		}
		for i, line := range expected {
			if !matches(line, printed[i]) {
				t.Errorf("docs/performance.md:%d: %q, want %q", block.Line+i+1, printed[i], line)
			}
		}
	}
}

// matches reports whether a line has the form of a line of the page. The width of columns does not matter.
func matches(shown, line string) bool {
	pattern := regexp.QuoteMeta(strings.Join(strings.Fields(shown), " "))
	pattern = "^" + strings.ReplaceAll(pattern, regexp.QuoteMeta("..."), ".*") + "$"
	return regexp.MustCompile(pattern).MatchString(strings.Join(strings.Fields(line), " "))
}
