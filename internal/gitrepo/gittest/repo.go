// Package gittest makes git repositories for tests, alike on every machine: no settings of the user or the system
// reach them, and what is made from a seed has the same ids everywhere.
package gittest

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Hermetic keeps the settings of the user and the system from every git that this process runs. It is for TestMain,
// before any test begins.
func Hermetic() error {
	for name, value := range environment() {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
}

// Environment is what Hermetic sets, as a program is given it.
func Environment() []string {
	var list []string
	for name, value := range environment() {
		list = append(list, name+"="+value)
	}
	return list
}

func environment() map[string]string {
	return map[string]string{
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CEILING_DIRECTORIES": os.TempDir(),
		"GIT_AUTHOR_NAME": "A U Thor", "GIT_AUTHOR_EMAIL": "author@example.com", "GIT_AUTHOR_DATE": "1700000000 +0000",
		"GIT_COMMITTER_NAME": "C O Mitter", "GIT_COMMITTER_EMAIL": "committer@example.com", "GIT_COMMITTER_DATE": "1700000000 +0000",
	}
}

// Repo is a repository in a directory of the test.
type Repo struct {
	Dir string
}

// Init makes an empty repository whose first branch is main. Options are those of git init.
func Init(tb testing.TB, options ...string) *Repo {
	tb.Helper()
	r := &Repo{Dir: tb.TempDir()}
	r.Git(tb, append([]string{"init", "--quiet", "--initial-branch=main"}, options...)...)
	return r
}

// Clone copies the repository. Options are those of git clone.
func (r *Repo) Clone(tb testing.TB, options ...string) *Repo {
	tb.Helper()
	clone := &Repo{Dir: tb.TempDir()}
	r.Git(tb, append(append([]string{"clone", "--quiet"}, options...), "file://"+r.Dir, clone.Dir)...)
	return clone
}

// Git runs git, which has to succeed, and gives what it prints without the last line break.
func (r *Repo) Git(tb testing.TB, args ...string) string {
	tb.Helper()
	return r.Feed(tb, nil, args...)
}

// Feed runs git with input.
func (r *Repo) Feed(tb testing.TB, input []byte, args ...string) string {
	tb.Helper()
	command := exec.CommandContext(tb.Context(), "git", args...) //nolint:gosec // the arguments are the test's own
	command.Dir, command.Stdin = r.Dir, bytes.NewReader(input)
	command.Env = append(os.Environ(), Environment()...)
	var said bytes.Buffer
	command.Stderr = &said
	printed, err := command.Output()
	if err != nil {
		tb.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, said.String())
	}
	return strings.TrimSuffix(string(printed), "\n")
}

// Commit makes an empty commit on the branch that is checked out and gives its id.
func (r *Repo) Commit(tb testing.TB, title string) string {
	tb.Helper()
	r.Git(tb, "commit", "--quiet", "--allow-empty", "--message", title)
	return r.Git(tb, "rev-parse", "HEAD")
}
