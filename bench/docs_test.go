package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"makechain/internal/lint"
)

// TestDocs runs the commands of docs/performance.md and docs/scale.md and compares their output with the page, where "..."
// stands for any text.
func TestDocs(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts nodes")
	}
	for _, name := range []string{"docs/performance.md", "docs/scale.md"} {
		page, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range lint.Blocks(string(page)) {
			if block.Language == "console" {
				compare(t, fmt.Sprintf("%s:%d", name, block.Line), block.Text)
			}
		}
	}
}

// compare runs the command of a block of a page and compares its output.
func compare(t *testing.T, place, text string) {
	t.Helper()
	typed, shown, _ := strings.Cut(text, "\n")
	args, isBench := strings.CutPrefix(typed, "$ go run -C bench . ")
	if !isBench {
		t.Fatalf("%s: %q is not a command of the load generator", place, typed)
	}
	command, out := newRootCommand(), new(bytes.Buffer)
	command.SetArgs(strings.Fields(args))
	command.SetOut(out)
	if err := command.ExecuteContext(t.Context()); err != nil {
		t.Fatalf("%s: %v", place, err)
	}
	printed := strings.Split(strings.TrimSpace(out.String()), "\n")
	expected := strings.Split(strings.TrimSpace(shown), "\n")
	if len(printed) != len(expected) {
		t.Fatalf("%s: %d lines of output, want %d:\n%s", place, len(printed), len(expected), out)
	}
	for i, line := range expected {
		if !matches(line, printed[i]) {
			t.Errorf("%s: line %d is %q, want %q", place, i+1, printed[i], line)
		}
	}
}

// matches reports whether a line has the form of a line of the page. The width of columns does not matter.
func matches(shown, line string) bool {
	pattern := regexp.QuoteMeta(strings.Join(strings.Fields(shown), " "))
	pattern = "^" + strings.ReplaceAll(pattern, regexp.QuoteMeta("..."), ".*") + "$"
	return regexp.MustCompile(pattern).MatchString(strings.Join(strings.Fields(line), " "))
}
