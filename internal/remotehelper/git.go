package remotehelper

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/url"
	"os/exec"
	"slices"
	"strings"
)

// innerVariable marks a git that the helper runs. In a partial clone, such a git may start another helper for a missing object,
// which must not run git in turn.
const innerVariable = "GIT_REMOTE_MAKECHAIN_INNER"

// inner runs git in a repository, without the configuration of the user (package gitenv).
type inner struct {
	dir         string
	environment []string
}

// command returns a git command.
func (g inner) command(ctx context.Context, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, "git", args...) //nolint:gosec // the arguments are ids, fixed words and the URL that git was called with
	command.Dir, command.Env = g.dir, append(slices.Clone(g.environment), innerVariable+"=1")
	return command
}

// git runs git and returns its output without the final line break.
func (g inner) git(ctx context.Context, input io.Reader, args ...string) (string, error) {
	command := g.command(ctx, args...)
	command.Stdin = input
	var stderr bytes.Buffer
	command.Stderr = &stderr
	printed, err := command.Output()
	if err != nil {
		line, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimPrefix(line, "fatal: "))
	}
	return strings.TrimSuffix(string(printed), "\n"), nil
}

// isHTTP reports whether a text is an http or https URL.
func isHTTP(text string) bool {
	parsed, err := url.Parse(text)
	return err == nil && (parsed.Scheme == "http" || parsed.Scheme == "https") && parsed.Host != ""
}
