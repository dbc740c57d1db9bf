package push

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/backoff"
	"makechain/internal/gitrepo"
	"makechain/message"
)

const (
	// maxPlans is how many plans in a row may fail because the chain has changed, without any progress.
	maxPlans = 5
	// replanDelay is the delay before a new plan. After it, messages have a later timestamp.
	replanDelay = time.Second
)

// Push is a push of one repository to one project.
type Push struct {
	Repo    *gitrepo.Repo
	Client  *client.Client
	Author  *message.Author
	Project message.Hash    // zero to plan a push to a project that does not exist yet
	Content message.Content // where the content of the commits is published; may be zero
	// Uploader stores the content of the commits before they are sent; nil to send commits without content.
	Uploader   Uploader
	MaxContent int64 // maximum size of a git bundle in bytes; 0 means DefaultMaxContent
	// OmitAuthorNames sends commits without the names of their authors, as to private projects.
	OmitAuthorNames bool
	Journal         *Journal
	MaxPending      int // maximum size of pending messages in bytes; 0 means DefaultMaxPending
	// Timeout is how long the push waits for the block of a message; 0 means no limit.
	Timeout time.Duration

	Now      func() uint32                // returns the timestamp of a message, in Unix seconds
	Progress func(committed, commits int) // called when commits have been committed to the chain; may be nil
}

// Ref is the requested value of a ref.
type Ref struct {
	Name   string // the full name: refs/heads/main
	Type   pb.RefType
	Commit message.Hash
	// TagObject is the tag object that peels to the commit, zero for none. Only tags have one.
	TagObject message.Hash
	Force     bool // like Request.Force, for this ref
}

// RefType returns the type of a ref by its full name. A ref that is not a tag is a branch.
func RefType(name string) pb.RefType {
	if strings.HasPrefix(name, gitrepo.TagPrefix) {
		return pb.RefType_REF_TYPE_TAG
	}
	return pb.RefType_REF_TYPE_BRANCH
}

// object returns the object that the ref points at in git.
func (r *Ref) object() message.Hash {
	if r.TagObject != (message.Hash{}) {
		return r.TagObject
	}
	return r.Commit
}

// Request lists the refs to update and to delete.
type Request struct {
	Refs       []Ref    // refs to create or update
	Delete     []string // full names of refs to delete
	Force      bool     // allow updates of tags and branch updates that are not fast-forwards
	AllCommits bool     // check every commit of the refs, also those that are reachable from refs of the chain
	// Expected has the objects that refs must point at before the push, zero for refs that must not exist. A ref without an
	// entry may point at any.
	Expected map[string]message.Hash
}

// Run executes a request and returns the plan that it executed last. It resumes an interrupted push, and makes a new plan
// when the chain changes during the push. After the context has ended the refs on the chain are valid, and the same
// request completes the push.
func (p *Push) Run(ctx context.Context, request Request) (*Plan, error) {
	if err := p.Journal.drain(ctx, p.Client); err != nil {
		return nil, err
	}
	remaining := -1
	for plans := 1; ; plans++ {
		plan, err := p.Plan(ctx, request)
		if err != nil {
			return nil, err
		}
		if plan.Commits < remaining {
			plans = 1 // there was progress
		}
		remaining = plan.Commits
		err = p.execute(ctx, plan)
		if err == nil {
			return plan, p.Journal.clear()
		}
		if plans == maxPlans || !isOutdated(err) {
			return nil, err
		}
		// A commit that is reachable from refs of the chain is missing there: check every commit from now on.
		request.AllCommits = request.AllCommits || errors.Is(err, errPruned) || hasCode(err, message.CodeUnknownCommit)
		if err := p.Journal.drain(ctx, p.Client); err != nil {
			return nil, err
		}
		if err := backoff.Sleep(ctx, replanDelay); err != nil {
			return nil, err
		}
	}
}

// isOutdated reports whether an error means that the chain has changed since the plan was made.
func isOutdated(err error) bool {
	return errors.Is(err, client.ErrUnknownMessage) || errors.Is(err, errPruned) || errors.Is(err, errDuplicateUpdate) || hasCode(err,
		message.CodeUnknownCommit, message.CodeRefNonceMismatch, message.CodeRefHashMismatch, message.CodeNotFound,
		message.CodeNothingNew, message.CodeNotFastForward, message.CodeStaleWrite, client.CodeExpired)
}

func hasCode(err error, codes ...message.Code) bool {
	var refused *client.RefusedError
	return errors.As(err, &refused) && slices.Contains(codes, refused.Code)
}
