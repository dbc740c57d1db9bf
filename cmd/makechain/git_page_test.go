package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"makechain/internal/lint"
)

// TestGitPage runs the commands of docs/git.md and compares their output with the page.
func TestGitPage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("pushes a repository")
	}
	page, err := os.ReadFile("../../docs/git.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := lint.Transcripts(string(page))
	if len(commands) < 15 {
		t.Fatalf("the page has %d commands", len(commands))
	}
	m, dir := newMachine(t), t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	programs := t.TempDir()
	for _, name := range []string{"makechain", "git-remote-makechain"} {
		if err := os.Symlink(self, filepath.Join(programs, name)); err != nil {
			t.Fatal(err)
		}
	}
	environment := slices.Concat(m.environment, []string{"PATH=" + programs + string(os.PathListSeparator) + os.Getenv("PATH")})
	for _, typed := range commands {
		if name, isChange := strings.CutPrefix(typed.Line, "cd "); isChange {
			dir = filepath.Join(dir, name)
			continue
		}
		command := exec.CommandContext(t.Context(), "sh", "-c", typed.Line)
		command.Dir, command.Env = dir, environment
		printed, _ := command.CombinedOutput() // some examples show failures
		if !shows(typed.Output, string(printed)) {
			t.Errorf("$ %s\n%s\nwant\n%s", typed.Line, printed, typed.Output)
		}
	}
}

// shows reports whether an output is the one of a page, where dots match any text. The width of columns and the order of
// lines may differ.
func shows(page, printed string) bool {
	var want, got []string
	for _, text := range []struct {
		lines *[]string
		from  string
	}{{&want, page}, {&got, printed}} {
		for line := range strings.Lines(text.from) {
			*text.lines = append(*text.lines, strings.Join(strings.Fields(line), " "))
		}
	}
	if len(want) != len(got) {
		return false
	}
	for _, line := range want {
		pattern := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(line), `\.\.\.`, ".+") + "$")
		found := false
		for i := range got {
			if pattern.MatchString(got[i]) {
				got, found = append(got[:i:i], got[i+1:]...), true
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// TestShows checks the comparison with equal and with different outputs.
func TestShows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		page, printed string
		want          bool
	}{
		{"a  ...  c\n", "a b c\n", true},
		{"a\nb\n", "b\na\n", true},
		{"a b\n", "a c\n", false},
		{"a\n", "a\nb\n", false},
		{"a\n...\n", "b\nc\n", false},
		{"a ...\n", "a\n", false},
		{"", "a\n", false},
	} {
		if got := shows(c.page, c.printed); got != c.want {
			t.Errorf("%q shows %q: %v", c.page, c.printed, got)
		}
	}
}
