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

// Error is a git command that failed, with what git said about it.
type Error struct {
	Command string
	Stderr  string
	cause   error
}

func (e *Error) Error() string {
	if e.Stderr == "" {
		return fmt.Sprintf("git %s: %v", e.Command, e.cause)
	}
	return fmt.Sprintf("git %s: %s", e.Command, e.Stderr)
}

func (e *Error) Unwrap() error { return e.cause }

// errNoGit is told apart because the remedy is not in the repository.
var errNoGit = errors.New("git is not installed, or not on the PATH")

// environment is what git runs with: its messages in English, its objects as they are, and no questions asked.
func environment() []string {
	return append(os.Environ(),
		"LC_ALL=C", "GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE="+os.DevNull, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0")
}

// stream runs git and hands what it prints to read, which must read to the end.
func (r *Repo) stream(ctx context.Context, input io.Reader, read func(*bufio.Reader) error, args ...string) error {
	running, stop := context.WithCancel(ctx) // ends git when read gives up
	defer stop()
	command := exec.CommandContext(running, "git", args...) //nolint:gosec // names cannot become options, see the package
	command.Dir, command.Env, command.Stdin = r.dir, environment(), input
	var said bytes.Buffer
	command.Stderr = &said
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
	case waitErr != nil: // the reason why there was not enough to read, too
		return &Error{Command: args[0], Stderr: sentence(said.String()), cause: waitErr}
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

// sentence is the first line of what git said, without the word that git begins it with.
func sentence(said string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	return strings.TrimPrefix(strings.TrimPrefix(line, "fatal: "), "error: ")
}

// output runs git and gives all it prints, without the last line break.
func (r *Repo) output(ctx context.Context, input io.Reader, args ...string) (string, error) {
	var printed []byte
	err := r.stream(ctx, input, func(out *bufio.Reader) (err error) {
		printed, err = io.ReadAll(out)
		return err
	}, args...)
	return strings.TrimSuffix(string(printed), "\n"), err
}

// eachLine runs git and hands over its lines, without their breaks.
func (r *Repo) eachLine(ctx context.Context, input io.Reader, take func(line string) error, args ...string) error {
	return r.stream(ctx, input, func(out *bufio.Reader) error {
		for {
			line, err := out.ReadString('\n')
			if errors.Is(err, io.EOF) && line == "" {
				return nil
			}
			if err != nil && !errors.Is(err, io.EOF) {
				return err
			}
			if err := take(strings.TrimSuffix(line, "\n")); err != nil {
				return err
			}
		}
	}, args...)
}

// exitCode is how git ended, when it ran at all.
func exitCode(err error) (code int, ran bool) {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return 0, false
	}
	return exit.ExitCode(), true
}
