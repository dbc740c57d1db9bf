package push

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/gitrepo"
	"makechain/message"
)

// DefaultAhead is two blocks full (P6.5), so that one can be made while the other is sent. A node judges anew, after
// every block, all that a sender has under way.
const DefaultMaxPending = 3 << 20

// sending is the way of a plan to the chain.
type sender struct {
	*Push

	plan      *Plan
	pending   []*pendingMessage
	size      int // of what is under way, in bytes
	committed int // commits
}

// sent is a message whose fate is not known yet.
type pendingMessage struct {
	*message.Envelope

	commits  int
	optional bool // its refusal changes nothing for the push
}

// carryOut sends what a plan says and waits until all of it is committed.
func (p *Push) execute(ctx context.Context, plan *Plan) error {
	s := &sender{Push: p, plan: plan}
	if err := s.sendCommits(ctx); err != nil {
		return err
	}
	for i := range plan.Updates {
		if err := s.send(ctx, plan.Updates[i].message(p.Project), false); err != nil {
			return err
		}
	}
	// What holds the commits is given up when the refs that replace it are there for certain.
	if err := s.await(ctx, 0); err != nil {
		return err
	}
	if err := s.check(ctx); err != nil {
		return err
	}
	release := slices.Concat(plan.obsolete, plan.temporary.deletions())
	for i := range release {
		if err := s.send(ctx, release[i].message(p.Project), true); err != nil {
			return err
		}
	}
	return s.await(ctx, 0)
}

// errPruned says that commits went which the push counted on: somebody else's bundle came before a ref held them.
var errPruned = errors.New("commits of the push were pruned by the chain while it went on; the same push again brings them back")

// errEarlier says that a ref is as if its move had not been sent. A move that equals one of the same second is the same
// message to the chain, which has carried it out once and will not do so again.
var errDuplicateUpdate = errors.New("the same move was made and undone within this second")

// check makes sure that refs have moved, and that every commit of the push is there, if any can have been pruned.
func (s *sender) check(ctx context.Context) error {
	now, err := s.state(ctx)
	if err != nil {
		return err
	}
	for i := range s.plan.Updates {
		if s.plan.Updates[i].isPending(now.refs[s.plan.Updates[i].Name]) {
			return fmt.Errorf("%s: %w", s.plan.Updates[i].Name, errDuplicateUpdate)
		}
	}
	if s.plan.temporary == nil && now.project.GetCommitCount() < now.project.GetMaxCommits() {
		return nil
	}
	known, err := s.storedCommits(ctx, now, s.plan.commits)
	if err != nil {
		return err
	}
	for _, commit := range s.plan.commits {
		if !known[commit] {
			return fmt.Errorf("%w: %s", errPruned, short(commit))
		}
	}
	return nil
}

// sendCommits sends what is missing in bundles, each with the moves of lanes that hold it.
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
		if described := CommitMetadata(commit, s.Author.Owner()); !next.add(described) {
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
		return nil
	})
	if err != nil || len(next.commits) == 0 {
		return err
	}
	return s.sendBundle(ctx, next) // the moves of the plan hold it
}

// holdKnown gives lanes to commits that an earlier push brought, before a bundle comes that would prune them.
func (s *sender) holdStored(ctx context.Context) error {
	var known []message.Hash
	for _, commit := range s.plan.commits {
		if s.plan.stored[commit] {
			known = append(known, commit)
		}
	}
	if s.plan.temporary == nil || len(known) == 0 {
		return nil
	}
	err := s.Repo.ReadCommits(ctx, known, func(commit *gitrepo.Commit) error {
		s.plan.temporary.add(commit)
		return nil
	})
	if err != nil {
		return err
	}
	return s.sendTemporaryRefs(ctx)
}

func (s *sender) sendBundle(ctx context.Context, b *bundle) error {
	return s.send(ctx, message.CommitBundle(s.Project, s.Content, b.commits...), false)
}

func (s *sender) sendTemporaryRefs(ctx context.Context) error {
	moves, err := s.plan.temporary.updates()
	if err != nil {
		return err
	}
	for i := range moves {
		if err := s.send(ctx, moves[i].message(s.Project), false); err != nil {
			return err
		}
	}
	return nil
}

// send signs a message, notes it in the journal and submits it, when there is not too much under way.
func (s *sender) send(ctx context.Context, data *pb.MessageData, optional bool) error {
	envelope, err := s.Author.Sign(s.Now(), data)
	if err != nil {
		return err
	}
	ahead := s.MaxPending
	if ahead == 0 {
		ahead = DefaultMaxPending
	}
	if err := s.await(ctx, max(0, ahead-len(envelope.Transaction()))); err != nil {
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

// await waits until at most so many bytes are under way.
func (s *sender) await(ctx context.Context, most int) error {
	for len(s.pending) > 0 && s.size > most {
		oldest := s.pending[0]
		if err := s.result(oldest, s.awaitOne(ctx, oldest.Hash)); err != nil {
			return err
		}
		s.pending, s.size = s.pending[1:], s.size-len(oldest.Transaction())
	}
	return nil
}

// errPatience says why a wait ended.
var errTimeout = errors.New("the chain makes no block")

// awaitOne waits for one message, as long as patience lasts.
func (s *sender) awaitOne(ctx context.Context, hash message.Hash) error {
	if s.Timeout > 0 {
		bounded, cancel := context.WithTimeoutCause(ctx, s.Timeout, errTimeout)
		defer cancel()
		ctx = bounded
	}
	_, err := s.Client.AwaitCommitted(ctx, hash)
	return err
}

// judge says whether a message is there, or does not matter. A bundle that brings nothing new is there already (P9.4).
func (s *sender) result(m *pendingMessage, err error) error {
	var refused *client.RefusedError
	switch {
	case err == nil, m.commits > 0 && hasCode(err, message.CodeNothingNew):
		s.count(m)
		return nil
	case m.optional && errors.As(err, &refused):
		return nil
	default:
		return err
	}
}

// count reports the commits of a message.
func (s *sender) count(m *pendingMessage) {
	if m.commits > 0 && s.Progress != nil {
		s.committed += m.commits
		s.Progress(s.committed, s.plan.Commits)
	}
}
