package gitcache

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"makechain/internal/gitbundle"
	"makechain/internal/ident"
	"makechain/internal/limit"
)

// historyTime is how long git may search for commits of one request.
const historyTime = 5 * time.Second

// History returns commits that changed a path, newest first, and whether there may be more: also when the time was not enough
// for all. A *RequestError is returned when git runs too often already, or finds nothing in time; the error wraps
// gitbundle.ErrMissing when the repository does not have the commit.
//
// The history begins at a commit. The path is literal and relative to the root, "" for all commits. skip is the number of commits
// that earlier pages had.
func (c *Cache) History(
	ctx context.Context, project ident.Hash, commit, path string, skip, maxCommits int, client netip.Addr,
) (commits []string, more bool, err error) {
	format, err := c.format(project)
	switch {
	case err != nil:
		return nil, false, err
	case format == "" || gitbundle.FormatOf(commit) != format:
		return nil, false, gitbundle.ErrMissing
	}
	waiting, stopWaiting := context.WithTimeout(ctx, c.limits.WaitTime)
	defer stopWaiting()
	if !c.serving.enter(waiting, client) {
		return nil, false, refuseRequest(http.StatusTooManyRequests, "too many git requests at the same time; try again", nil)
	}
	defer c.serving.leave(client)
	if missing, err := c.missing(ctx, c.path(project), format, []string{commit}, "commit"); err != nil {
		return nil, false, err
	} else if len(missing) > 0 {
		return nil, false, gitbundle.ErrMissing
	}
	commits, err = c.revList(ctx, c.path(project), commit, path, skip, maxCommits+1)
	if timedOut := errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil; timedOut && len(commits) == 0 {
		return nil, false, refuseRequest(http.StatusServiceUnavailable, "the history is too long to search for this path", nil)
	} else if timedOut {
		return commits[:min(len(commits), maxCommits)], true, nil
	}
	more = len(commits) > maxCommits
	return commits[:min(len(commits), maxCommits)], more, err
}

// revList returns the ids that git rev-list prints. When the time is over it returns those found until then, and
// context.DeadlineExceeded.
func (c *Cache) revList(ctx context.Context, repository, commit, path string, skip, maxCommits int) (commits []string, err error) {
	running, stop := context.WithTimeout(ctx, historyTime)
	defer stop()
	args := []string{
		"--literal-pathspecs", "rev-list", "--max-count=" + strconv.Itoa(maxCommits), "--skip=" + strconv.Itoa(skip), commit, "--",
	}
	if path != "" {
		args = append(args, path)
	}
	command := c.command(running, repository, args...)
	var stderr tail
	command.Stderr = &stderr
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.start(command, historyTime, 0); err != nil {
		return nil, err
	}
	var readErr error
	for out := bufio.NewReader(output); readErr == nil; {
		var line string
		if line, readErr = out.ReadString('\n'); readErr == nil {
			commits = append(commits, strings.TrimSuffix(line, "\n"))
		}
	}
	waitErr := command.Wait()
	if command.ProcessState != nil {
		limit.Charge(ctx, command.ProcessState.UserTime()+command.ProcessState.SystemTime())
	}
	switch {
	case running.Err() != nil:
		return commits, running.Err()
	case waitErr != nil:
		return nil, &Error{Command: "rev-list", Stderr: stderr.reason(), cause: waitErr}
	case !errors.Is(readErr, io.EOF):
		return nil, readErr
	}
	return commits, nil
}
