package gitrepo

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// Error is returned when a git command fails.
type Error struct {
	Command string
	Stderr  string // the first line of what git printed
	cause   error
}

func (e *Error) Error() string {
	if e.Stderr == "" {
		return fmt.Sprintf("git %s: %v", e.Command, e.cause)
	}
	return fmt.Sprintf("git %s: %s", e.Command, e.Stderr)
}

func (e *Error) Unwrap() error { return e.cause }

// errNoGit is returned when git cannot be run.
var errNoGit = errors.New("git is not installed, or not on the PATH")

// userEnvironment returns the environment of git commands that read or write configuration: messages in English, no prompts.
func userEnvironment() []string {
	return append(os.Environ(), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0")
}

// stream runs git and calls read with its output. read must read to the end unless it fails.
func (r *Repo) stream(ctx context.Context, input io.Reader, read func(*bufio.Reader) error, args ...string) error {
	running, stop := context.WithCancel(ctx) // stops git when read fails
	defer stop()
	command := exec.CommandContext(running, "git", args...) //nolint:gosec // names cannot become options, see the package comment
	command.Dir, command.Env, command.Stdin = r.dir, r.environment, input
	var stderr bytes.Buffer
	command.Stderr = &stderr
	printed, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return startError(args[0], err)
	}
	readErr := read(bufio.NewReader(printed))
	if readErr != nil {
		stop()
	}
	waitErr := command.Wait()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case readErr != nil && !errors.Is(readErr, io.EOF) && !errors.Is(readErr, io.ErrUnexpectedEOF):
		return readErr
	case waitErr != nil: // also the reason for incomplete output
		return &Error{Command: args[0], Stderr: firstLine(stderr.String()), cause: waitErr}
	default:
		return readErr
	}
}

func startError(command string, err error) error {
	if errors.Is(err, exec.ErrNotFound) {
		return errNoGit
	}
	return &Error{Command: command, cause: err}
}

// firstLine returns the first line of what git printed, without the prefix "fatal: " or "error: ".
func firstLine(stderr string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(stderr), "\n")
	return strings.TrimPrefix(strings.TrimPrefix(line, "fatal: "), "error: ")
}

// output runs git and returns its output, without the final line break.
func (r *Repo) output(ctx context.Context, input io.Reader, args ...string) (string, error) {
	var printed []byte
	err := r.stream(ctx, input, func(out *bufio.Reader) (err error) {
		printed, err = io.ReadAll(out)
		return err
	}, args...)
	return strings.TrimSuffix(string(printed), "\n"), err
}

// eachLine runs git and calls visit with each line of its output, without line breaks.
func (r *Repo) eachLine(ctx context.Context, input io.Reader, visit func(line string) error, args ...string) error {
	return r.stream(ctx, input, func(out *bufio.Reader) error {
		for {
			line, err := out.ReadString('\n')
			if errors.Is(err, io.EOF) && line == "" {
				return nil
			}
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			if err := visit(strings.TrimSuffix(line, "\n")); err != nil {
				return err
			}
		}
	}, args...)
}

// exitCode returns the exit code of git, and false when git did not run.
func exitCode(err error) (code int, ran bool) {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return 0, false
	}
	return exit.ExitCode(), true
}
