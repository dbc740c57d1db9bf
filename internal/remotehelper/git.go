package remotehelper

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"strings"
)

// innerVariable marks a git that the helper runs. In a partial clone, such a git may start another helper for a missing object,
// which must not run git in turn.
const innerVariable = "GIT_REMOTE_MAKECHAIN_INNER"

// gitOutput runs git in the repository that it was started for, and returns its output without the final line break.
func gitOutput(ctx context.Context, input io.Reader, args ...string) (string, error) {
	command := exec.CommandContext(ctx, "git", args...) //nolint:gosec // the arguments are ids and fixed words
	command.Stdin, command.Env = input, append(os.Environ(), innerVariable+"=1")
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
