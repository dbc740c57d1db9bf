// Package gittest creates git repositories for tests. They do not depend on the configuration of the user or the system,
// and a history that is generated from a seed has the same ids on every machine.
package gittest

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Hermetic sets the environment of this process so that git ignores the configuration of the user and the system.
// TestMain calls it before any test runs.
func Hermetic() error {
	for name, value := range environment() {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
}

// Environment returns the variables that Hermetic sets, in the form of os.Environ.
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

// Repo is a repository in a temporary directory of a test.
type Repo struct {
	Dir string
}

// Init creates an empty repository with the initial branch main. Options are those of git init.
func Init(tb testing.TB, options ...string) *Repo {
	tb.Helper()
	r := &Repo{Dir: tb.TempDir()}
	r.Git(tb, append([]string{"init", "--quiet", "--initial-branch=main"}, options...)...)
	return r
}

// Clone clones the repository. Options are those of git clone.
func (r *Repo) Clone(tb testing.TB, options ...string) *Repo {
	tb.Helper()
	clone := &Repo{Dir: tb.TempDir()}
	r.Git(tb, append(append([]string{"clone", "--quiet"}, options...), "file://"+r.Dir, clone.Dir)...)
	return clone
}

// Git runs git, which must succeed, and returns its output without the final line break.
func (r *Repo) Git(tb testing.TB, args ...string) string {
	tb.Helper()
	return r.Feed(tb, nil, args...)
}

// Feed runs git like Git, with input on standard input.
func (r *Repo) Feed(tb testing.TB, input []byte, args ...string) string {
	tb.Helper()
	command := exec.CommandContext(tb.Context(), "git", args...) //nolint:gosec // the arguments are the test's own
	command.Dir, command.Stdin = r.Dir, bytes.NewReader(input)
	command.Env = append(os.Environ(), Environment()...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	printed, err := command.Output()
	if err != nil {
		tb.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSuffix(string(printed), "\n")
}

// Commit creates an empty commit on the branch that is checked out and returns its id.
func (r *Repo) Commit(tb testing.TB, title string) string {
	tb.Helper()
	r.Git(tb, "commit", "--quiet", "--allow-empty", "--message", title)
	return r.Git(tb, "rev-parse", "HEAD")
}
