package push

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/gitrepo"
	"makechain/message"
)

// DefaultMaxPending is the size of two full blocks (P6.5), so that one can be decided while the next is sent. More would
// cost the node time: it rechecks all pending messages of a sender after every block.
const DefaultMaxPending = 3 << 20

// sender sends the messages of a plan.
type sender struct {
	*Push

	plan      *Plan
	pending   []*pendingMessage
	size      int    // of pending messages, in bytes
	committed int    // number of commits
	latest    uint32 // timestamp of the last message

	contents []content   // uploaded, and not yet named on the chain
	holders  []RefUpdate // deletions of temporary refs that only name content
}

// pendingMessage is a submitted message that is not known to be committed.
type pendingMessage struct {
	*message.Envelope

	commits  int
	optional bool // the push succeeds even if the message is refused
}

// execute sends the messages of a plan and waits until they are committed.
func (p *Push) execute(ctx context.Context, plan *Plan) error {
	s := &sender{Push: p, plan: plan}
	if err := s.uploadContent(ctx); err != nil {
		return err
	}
	if plan.uploaded = len(s.contents); plan.uploaded > 0 {
		plan.contents, _ = p.contentCount(ctx) // without it the content is consolidated later
	}
	if err := s.sendCommits(ctx); err != nil {
		return err
	}
	if err := s.nameContents(ctx); err != nil {
		return err
	}
	for i := range plan.Updates {
		if err := s.sendUpdate(ctx, &plan.Updates[i], false); err != nil {
			return err
		}
	}
	// Temporary refs are deleted only after the refs that replace them are committed.
	if err := s.await(ctx, 0); err != nil {
		return err
	}
	if err := s.check(ctx); err != nil {
		return err
	}
	deletions := slices.Concat(plan.obsolete, plan.temporary.deletions(), s.holders)
	for i := range deletions {
		if err := s.sendUpdate(ctx, &deletions[i], true); err != nil {
			return err
		}
	}
	return s.await(ctx, 0)
}

// errPruned is returned when commits were pruned because a bundle of another author was committed before a ref pointed
// at them.
var errPruned = errors.New("commits were pruned by the chain during the push; push again to restore them")

// errDuplicateUpdate is returned when a ref has the value from before its update although the message is committed. An
// update that equals one of the same second is the same message, which the chain applies once.
var errDuplicateUpdate = errors.New("the same update was made and undone within this second; push again")

// check checks that the refs are updated and, if commits can have been pruned, that the chain has all commits of the push.
func (s *sender) check(ctx context.Context) error {
	current, err := s.state(ctx)
	if err != nil {
		return err
	}
	for i := range s.plan.Updates {
		if s.plan.Updates[i].isPending(current.refs[s.plan.Updates[i].Name]) {
			return fmt.Errorf("%s: %w", s.plan.Updates[i].Name, errDuplicateUpdate)
		}
	}
	if s.plan.temporary == nil && current.project.GetCommitCount() < current.project.GetMaxCommits() {
		return nil
	}
	stored, err := s.storedCommits(ctx, current, s.plan.commits)
	if err != nil {
		return err
	}
	for _, commit := range s.plan.commits {
		if !stored[commit] {
			return fmt.Errorf("%w: %s", errPruned, short(commit))
		}
	}
	return nil
}

// sendCommits sends the missing commits in bundles, each followed by the updates of temporary refs.
func (s *sender) sendCommits(ctx context.Context) error {
	if s.plan.Commits == 0 {
		return nil
	}
	if err := s.holdStored(ctx); err != nil {
		return err
	}
	next := &bundle{}
	err := s.Repo.ReadCommits(ctx, s.plan.commits, func(commit *gitrepo.Commit) error {
		if s.plan.stored[commit.Hash] {
			return nil
		}
		described := CommitMetadata(commit, s.Author.Owner())
		if s.OmitAuthorNames || s.plan.private {
			described.AuthorName = ""
		}
		if !next.add(described) {
			if err := s.sendBundle(ctx, next); err != nil {
				return err
			}
			if err := s.sendTemporaryRefs(ctx); err != nil {
				return err
			}
			next = &bundle{}
			next.add(described)
		}
		s.plan.temporary.add(commit)
		if !s.isLastOfContent(commit.Hash) {
			return nil
		}
		// The message with the last commit of a git bundle names it.
		err := s.sendBundle(ctx, next)
		next = &bundle{}
		if err != nil || commit.Hash == s.plan.commits[len(s.plan.commits)-1] {
			return err
		}
		return s.sendTemporaryRefs(ctx)
	})
	if err != nil || len(next.commits) == 0 {
		return err
	}
	return s.sendBundle(ctx, next) // the updates of the plan point at its commits
}

// holdStored creates temporary refs for commits of an interrupted push, before the next bundle would prune them.
func (s *sender) holdStored(ctx context.Context) error {
	var stored []message.Hash
	for _, commit := range s.plan.commits {
		if s.plan.stored[commit] {
			stored = append(stored, commit)
		}
	}
	if s.plan.temporary == nil || len(stored) == 0 {
		return nil
	}
	err := s.Repo.ReadCommits(ctx, stored, func(commit *gitrepo.Commit) error {
		s.plan.temporary.add(commit)
		return nil
	})
	if err != nil {
		return err
	}
	return s.sendTemporaryRefs(ctx)
}

func (s *sender) sendBundle(ctx context.Context, b *bundle) error {
	return s.send(ctx, message.CommitBundle(s.Project, s.contentOf(b), b.commits...), 0, false)
}

func (s *sender) sendTemporaryRefs(ctx context.Context) error {
	updates, err := s.plan.temporary.updates()
	if err != nil {
		return err
	}
	for i := range updates {
		if err := s.sendUpdate(ctx, &updates[i], false); err != nil {
			return err
		}
	}
	return nil
}

// sendUpdate sends the message of an update. The timestamp of a creation is the floor of the ref.
func (s *sender) sendUpdate(ctx context.Context, update *RefUpdate, optional bool) error {
	if err := s.send(ctx, update.message(s.Project), update.floor, optional); err != nil {
		return err
	}
	if update.Action == Create {
		update.floor = s.latest
	}
	return nil
}

// envelopeSize is more than the bytes that signing adds to the data of a message.
const envelopeSize = 256

// maxCreationWait is how old, in seconds, the oldest pending message may be when a ref is created. A creation is refused
// when it is not committed within 300 s (P6.4), so it is not added to a queue that moves slowly.
const maxCreationWait = 60

// send signs a message, adds it to the journal and submits it, after waiting until enough pending messages are
// committed. The message is signed after that, so that its timestamp is the time at which it is sent, and never earlier than
// that of a message before it, in case the clock is set back, nor than floor: messages of a ref must not be earlier than its
// creation (P9.3).
func (s *sender) send(ctx context.Context, data *pb.MessageData, floor uint32, optional bool) error {
	maxPending := s.MaxPending
	if maxPending == 0 {
		maxPending = DefaultMaxPending
	}
	if data.GetRefUpdate().GetNonce() == 1 && len(s.pending) > 0 && s.Now() > s.pending[0].Data.GetTimestamp()+maxCreationWait {
		maxPending = 0
	}
	if err := s.await(ctx, max(0, maxPending-proto.Size(data)-envelopeSize)); err != nil {
		return err
	}
	s.latest = max(s.latest, s.Now())
	envelope, err := s.Author.Sign(max(s.latest, floor), data)
	if err != nil {
		return err
	}
	if err := s.Journal.add(envelope.Hash); err != nil {
		return err
	}
	m := &pendingMessage{Envelope: envelope, commits: len(data.GetCommitBundle().GetCommits()), optional: optional}
	if err := s.Client.Submit(ctx, envelope); err != nil {
		return s.result(m, err)
	}
	s.pending, s.size = append(s.pending, m), s.size+len(envelope.Transaction())
	return nil
}

// await waits until at most maximum bytes are pending.
func (s *sender) await(ctx context.Context, maximum int) error {
	for len(s.pending) > 0 && s.size > maximum {
		oldest := s.pending[0]
		if err := s.result(oldest, s.awaitOne(ctx, oldest.Hash)); err != nil {
			return err
		}
		s.pending, s.size = s.pending[1:], s.size-len(oldest.Transaction())
	}
	return nil
}

// errTimeout is the cause when Push.Timeout has passed.
var errTimeout = errors.New("the chain does not produce blocks")

// awaitOne waits until one message is committed, at most for the timeout.
func (s *sender) awaitOne(ctx context.Context, hash message.Hash) error {
	if s.Timeout > 0 {
		bounded, cancel := context.WithTimeoutCause(ctx, s.Timeout, errTimeout)
		defer cancel()
		ctx = bounded
	}
	_, err := s.Client.AwaitCommitted(ctx, hash)
	return err
}

// result returns nil when a message is committed, when its refusal does not matter, or when it is a bundle whose commits
// are all on the chain already (P9.4). Otherwise it returns err.
func (s *sender) result(m *pendingMessage, err error) error {
	var refused *client.RefusedError
	switch {
	case err == nil, m.commits > 0 && hasCode(err, message.CodeNothingNew):
		if m.commits > 0 && s.Progress != nil {
			s.committed += m.commits
			s.Progress(s.committed, s.plan.Commits)
		}
		return nil
	case m.optional && errors.As(err, &refused):
		return nil
	default:
		return err
	}
}
