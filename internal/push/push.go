package push

import (
	"context"
	"errors"
	"slices"
	"time"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/backoff"
	"makechain/internal/gitrepo"
	"makechain/message"
)

const (
	// maxPlans is how many plans in a row may fail because the chain has changed since, without any progress.
	maxPlans = 5
	// planPause is the time before another plan, in which timestamps move on by a second.
	replanDelay = time.Second
)

// Push is what does not change between plans: where from, where to, and in whose name.
type Push struct {
	Repo       *gitrepo.Repo
	Client     *client.Client
	Author     *message.Author
	Project    message.Hash
	Content    message.Content // where the content of the commits can be found; may be left zero
	Journal    *Journal
	MaxPending int // how many bytes are sent ahead of what has been committed; 0 means DefaultAhead
	// Patience is how long a message may wait for its block before the push gives up; 0 is for ever.
	Timeout time.Duration

	Now      func() uint32                // the time of messages, in Unix seconds
	Progress func(committed, commits int) // called as commits reach the chain
}

// Ref is a ref as it shall be on the chain.
type Ref struct {
	Name   string // in full, as in git: refs/heads/main
	Type   pb.RefType
	Commit message.Hash
}

// Request is what is wanted.
type Request struct {
	Refs       []Ref    // created or moved
	Delete     []string // names of refs that shall go
	Force      bool     // move branches backwards or sideways, and tags at all
	AllCommits bool     // look at every commit of the refs, also where refs of the chain reach them already
}

// Run carries out a request and says what it did. It goes on where an earlier one broke off, and plans again when the
// chain changed while it worked. A context that ends leaves the chain in order; the same request completes later.
func (p *Push) Run(ctx context.Context, request Request) (*Plan, error) {
	if err := p.Journal.drain(ctx, p.Client); err != nil {
		return nil, err
	}
	left := -1
	for plans := 1; ; plans++ {
		plan, err := p.Plan(ctx, request)
		if err != nil {
			return nil, err
		}
		if plan.Commits < left {
			plans = 1 // it gets on
		}
		left = plan.Commits
		err = p.execute(ctx, plan)
		if err == nil {
			return plan, p.Journal.clear()
		}
		if plans == maxPlans || !isOutdated(err) {
			return nil, err
		}
		// What the chain should have had, going by its refs, is missing: look at every commit from now on.
		request.AllCommits = request.AllCommits || errors.Is(err, errPruned) || hasCode(err, message.CodeUnknownCommit)
		if err := p.pause(ctx); err != nil {
			return nil, err
		}
	}
}

// pause lets messages under way come to their end, and a second pass.
func (p *Push) pause(ctx context.Context) error {
	if err := p.Journal.drain(ctx, p.Client); err != nil {
		return err
	}
	return backoff.Sleep(ctx, replanDelay)
}

// outdated says whether an error means that the chain is no longer as the plan has it.
func isOutdated(err error) bool {
	return errors.Is(err, client.ErrUnknownMessage) || errors.Is(err, errPruned) || errors.Is(err, errDuplicateUpdate) || hasCode(err,
		message.CodeUnknownCommit, message.CodeRefNonceMismatch, message.CodeRefHashMismatch, message.CodeNotFound,
		message.CodeNothingNew, message.CodeNotFastForward, message.CodeStaleWrite, client.CodeExpired)
}

func hasCode(err error, codes ...message.Code) bool {
	var refused *client.RefusedError
	return errors.As(err, &refused) && slices.Contains(codes, refused.Code)
}
