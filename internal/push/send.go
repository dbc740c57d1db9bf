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
const DefaultAhead = 3 << 20

// sending is the way of a plan to the chain.
type sending struct {
	*Push

	plan      *Plan
	underWay  []*sent
	size      int // of what is under way, in bytes
	committed int // commits
}

// sent is a message whose fate is not known yet.
type sent struct {
	*message.Envelope

	commits  int
	optional bool // its refusal changes nothing for the push
}

// carryOut sends what a plan says and waits until all of it is committed.
func (p *Push) carryOut(ctx context.Context, plan *Plan) error {
	s := &sending{Push: p, plan: plan}
	if err := s.sendCommits(ctx); err != nil {
		return err
	}
	for i := range plan.Moves {
		if err := s.send(ctx, plan.Moves[i].message(p.Project), false); err != nil {
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
	release := slices.Concat(plan.release, plan.hold.deletions())
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
var errEarlier = errors.New("the same move was made and undone within this second")

// check makes sure that refs have moved, and that every commit of the push is there, if any can have been pruned.
func (s *sending) check(ctx context.Context) error {
	now, err := s.state(ctx)
	if err != nil {
		return err
	}
	for i := range s.plan.Moves {
		if s.plan.Moves[i].isOpen(now.refs[s.plan.Moves[i].Name]) {
			return fmt.Errorf("%s: %w", s.plan.Moves[i].Name, errEarlier)
		}
	}
	if s.plan.hold == nil && now.project.GetCommitCount() < now.project.GetMaxCommits() {
		return nil
	}
	known, err := s.known(ctx, now, s.plan.order)
	if err != nil {
		return err
	}
	for _, commit := range s.plan.order {
		if !known[commit] {
			return fmt.Errorf("%w: %s", errPruned, short(commit))
		}
	}
	return nil
}

// sendCommits sends what is missing in bundles, each with the moves of lanes that hold it.
func (s *sending) sendCommits(ctx context.Context) error {
	if s.plan.Commits == 0 {
		return nil
	}
	if err := s.holdKnown(ctx); err != nil {
		return err
	}
	next := &bundle{}
	err := s.Repo.Read(ctx, s.plan.order, func(commit *gitrepo.Commit) error {
		if s.plan.known[commit.Hash] {
			return nil
		}
		if described := Describe(commit, s.Author.Owner()); !next.add(described) {
			if err := s.sendBundle(ctx, next); err != nil {
				return err
			}
			if err := s.sendLanes(ctx); err != nil {
				return err
			}
			next = &bundle{}
			next.add(described)
		}
		s.plan.hold.add(commit)
		return nil
	})
	if err != nil || len(next.commits) == 0 {
		return err
	}
	return s.sendBundle(ctx, next) // the moves of the plan hold it
}

// holdKnown gives lanes to commits that an earlier push brought, before a bundle comes that would prune them.
func (s *sending) holdKnown(ctx context.Context) error {
	var known []message.Hash
	for _, commit := range s.plan.order {
		if s.plan.known[commit] {
			known = append(known, commit)
		}
	}
	if s.plan.hold == nil || len(known) == 0 {
		return nil
	}
	err := s.Repo.Read(ctx, known, func(commit *gitrepo.Commit) error {
		s.plan.hold.add(commit)
		return nil
	})
	if err != nil {
		return err
	}
	return s.sendLanes(ctx)
}

func (s *sending) sendBundle(ctx context.Context, b *bundle) error {
	return s.send(ctx, message.CommitBundle(s.Project, s.Content, b.commits...), false)
}

func (s *sending) sendLanes(ctx context.Context) error {
	moves, err := s.plan.hold.moves()
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
func (s *sending) send(ctx context.Context, data *pb.MessageData, optional bool) error {
	envelope, err := s.Author.Sign(s.Now(), data)
	if err != nil {
		return err
	}
	ahead := s.Ahead
	if ahead == 0 {
		ahead = DefaultAhead
	}
	if err := s.await(ctx, max(0, ahead-len(envelope.Transaction()))); err != nil {
		return err
	}
	if err := s.Journal.note(envelope.Hash); err != nil {
		return err
	}
	m := &sent{Envelope: envelope, commits: len(data.GetCommitBundle().GetCommits()), optional: optional}
	if err := s.Chain.Submit(ctx, envelope); err != nil {
		return s.judge(m, err)
	}
	s.underWay, s.size = append(s.underWay, m), s.size+len(envelope.Transaction())
	return nil
}

// await waits until at most so many bytes are under way.
func (s *sending) await(ctx context.Context, most int) error {
	for len(s.underWay) > 0 && s.size > most {
		oldest := s.underWay[0]
		if err := s.judge(oldest, s.awaitOne(ctx, oldest.Hash)); err != nil {
			return err
		}
		s.underWay, s.size = s.underWay[1:], s.size-len(oldest.Transaction())
	}
	return nil
}

// errPatience says why a wait ended.
var errPatience = errors.New("the chain makes no block")

// awaitOne waits for one message, as long as patience lasts.
func (s *sending) awaitOne(ctx context.Context, hash message.Hash) error {
	if s.Patience > 0 {
		bounded, cancel := context.WithTimeoutCause(ctx, s.Patience, errPatience)
		defer cancel()
		ctx = bounded
	}
	_, err := s.Chain.AwaitCommitted(ctx, hash)
	return err
}

// judge says whether a message is there, or does not matter. A bundle that brings nothing new is there already (P9.4).
func (s *sending) judge(m *sent, err error) error {
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
func (s *sending) count(m *sent) {
	if m.commits > 0 && s.Progress != nil {
		s.committed += m.commits
		s.Progress(s.committed, s.plan.Commits)
	}
}
