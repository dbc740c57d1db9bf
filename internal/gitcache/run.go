package gitcache

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// Error is returned when a git command fails.
type Error struct {
	Command string
	Stderr  string // the reason that git printed
	cause   error
}

func (e *Error) Error() string {
	if e.Stderr == "" {
		return fmt.Sprintf("git %s: %v", e.Command, e.cause)
	}
	return fmt.Sprintf("git %s: %s", e.Command, e.Stderr)
}

func (e *Error) Unwrap() error { return e.cause }

// exited reports whether git ended by itself, and was not killed.
func (e *Error) exited() bool {
	var exit *exec.ExitError
	return errors.As(e.cause, &exit) && exit.Exited()
}

const (
	niceness = 10
	// maxStderr is how much of what git prints to standard error is kept.
	maxStderr = 4096
	// waitDelay is how long pipes to a process may stay open after it was killed.
	waitDelay = 5 * time.Second
)

// settings returns the configuration of every git process.
func settings() []string {
	return []string{
		"safe.directory=*", "core.hooksPath=" + os.DevNull, "core.fsmonitor=false",
		"core.packedGitWindowSize=64m", "core.packedGitLimit=512m", "core.deltaBaseCacheLimit=64m", "core.bigFileThreshold=64m",
		"pack.windowMemory=128m", "gc.auto=0", "maintenance.auto=false", "protocol.allow=never",
		"uploadpack.allowFilter=true", "uploadpack.allowAnySHA1InWant=true", "uploadpackfilter.allow=false",
		"uploadpackfilter.blob:none.allow=true", "uploadpackfilter.blob:limit.allow=true",
		"uploadpackfilter.tree.allow=true", "uploadpackfilter.tree.maxDepth=0",
	}
}

// environment returns the environment of every git process. Nothing else of this process's environment is passed on, so
// variables such as GIT_DIR or GIT_ALTERNATE_OBJECT_DIRECTORIES have no effect.
func (c *Cache) environment() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + c.temporary(), "TMPDIR=" + c.temporary(), "LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1", "GIT_NO_REPLACE_OBJECTS=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0",
	}
}

// command prepares a git process in a repository. It is killed with its children when the context ends.
func (c *Cache) command(ctx context.Context, repository string, args ...string) *exec.Cmd {
	full := []string{"--git-dir=" + repository}
	for _, setting := range settings() {
		full = append(full, "-c", setting)
	}
	command := exec.CommandContext(ctx, c.program, append(full, args...)...) //nolint:gosec // no argument is chosen by a client
	command.Dir, command.Env, command.WaitDelay = c.temporary(), c.environment(), waitDelay
	inGroup(command)
	return command
}

// start starts a process with limits. fileBytes bounds the size of each file that it writes. The process reads nothing of
// its input before the limits are in force.
func (c *Cache) start(command *exec.Cmd, lasting time.Duration, fileBytes int64) error {
	limited := make(chan struct{})
	if command.Stdin != nil {
		command.Stdin = &laterReader{limited, command.Stdin}
	}
	if err := command.Start(); err != nil {
		return fmt.Errorf("git: %w", err)
	}
	err := restrict(command.Process.Pid, c.limits.ChildBytes, int64(lasting/time.Second+1)*int64(runtime.NumCPU()), fileBytes)
	close(limited)
	if err != nil {
		_ = command.Cancel()
		_ = command.Wait()
		return fmt.Errorf("limit the resources of git: %w", err)
	}
	return nil
}

// laterReader reads nothing until a channel is closed.
type laterReader struct {
	start  <-chan struct{}
	reader io.Reader
}

func (r *laterReader) Read(p []byte) (int, error) {
	<-r.start
	return r.reader.Read(p)
}

// run runs git until it ends and calls read with its output. read must read to the end unless it fails.
func (c *Cache) run(ctx context.Context, repository string, input io.Reader, read func(*bufio.Reader) error, args ...string) error {
	// Git appends the bases of deltas to a pack that lacks them.
	return c.runWithin(ctx, 4*c.limits.BundleBytes, repository, input, read, args...)
}

func (c *Cache) runWithin(
	ctx context.Context, fileBytes int64, repository string, input io.Reader, read func(*bufio.Reader) error, args ...string,
) error {
	ctx, stop := context.WithTimeout(ctx, c.limits.VerifyTime)
	defer stop()
	running, kill := context.WithCancel(ctx) // ends git when read fails
	defer kill()
	command := c.command(running, repository, args...)
	command.Stdin = input
	var stderr tail
	command.Stderr = &stderr
	output, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.start(command, c.limits.VerifyTime, fileBytes); err != nil {
		return err
	}
	readErr := read(bufio.NewReader(output))
	isEnd := errors.Is(readErr, io.EOF) || errors.Is(readErr, io.ErrUnexpectedEOF)
	if readErr != nil && !isEnd {
		kill()
	}
	waitErr := command.Wait()
	switch {
	case readErr == nil && waitErr == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("git %s: %w", args[0], ctx.Err())
	case readErr == nil || isEnd: // git failed
		return &Error{Command: args[0], Stderr: stderr.reason(), cause: cmp.Or(waitErr, readErr)}
	default:
		return readErr
	}
}

// output runs git and returns what it prints, at most limit bytes.
func (c *Cache) output(ctx context.Context, repository string, input io.Reader, limit int64, args ...string) ([]byte, error) {
	var printed []byte
	err := c.run(ctx, repository, input, func(out *bufio.Reader) (err error) {
		printed, err = io.ReadAll(io.LimitReader(out, limit+1))
		if err == nil && int64(len(printed)) > limit {
			err = fmt.Errorf("git %s printed more than %d bytes", args[0], limit)
		}
		return err
	}, args...)
	return printed, err
}

// tail keeps the last bytes that were written.
type tail struct{ bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	t.Buffer.Write(p)
	if t.Len() > maxStderr {
		t.Next(t.Len() - maxStderr)
	}
	return len(p), nil
}

// reason returns the first line that begins with "error: " or "fatal: ", without that prefix, else the last line. Git
// reports an error before the failure that it leads to.
func (t *tail) reason() string {
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(t.String(), "?")), "\n")
	for _, line := range lines {
		for _, prefix := range []string{"error: ", "fatal: "} {
			if text, found := strings.CutPrefix(line, prefix); found {
				return text
			}
		}
	}
	return lines[len(lines)-1]
}
