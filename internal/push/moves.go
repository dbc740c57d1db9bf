package push

import (
	"context"
	"slices"

	pb "makechain/gen/makechain"
	"makechain/internal/gitrepo"
	"makechain/internal/ledger"
	"makechain/message"
)

// planMoves compares the refs that are wanted with those that are there. It refuses the request as a whole when one of
// them cannot be, so that nothing is sent for a push that fails.
func (p *Push) planMoves(ctx context.Context, s *state, tips []message.Hash, request Request, plan *Plan) error {
	for _, ref := range request.Refs {
		if len(ref.Name) > message.MaxRefName {
			return &LongNameError{Name: ref.Name}
		}
		if err := p.planMove(ctx, s.refs[ref.Name], tips, ref, request.Force, plan); err != nil {
			return err
		}
	}
	for _, name := range request.Delete {
		there := s.refs[name]
		if there == nil {
			return &NoRefError{Name: name}
		}
		plan.Moves = append(plan.Moves, deletion(there))
	}
	return checkRoom(s, plan)
}

// checkRoom makes sure that the project can have so many refs.
func checkRoom(s *state, plan *Plan) error {
	created := 0
	for _, move := range plan.Moves {
		if move.Action == Create {
			created++
		}
	}
	if room := int(s.project.GetMaxRefs()) - int(s.project.GetRefCount()); created > room {
		return &TooManyRefsError{New: created, Room: max(0, room)}
	}
	return nil
}

func deletion(there *pb.GetRefResponse) Move {
	return Move{
		Ref:    Ref{Name: string(there.GetRefName()), Type: there.GetRefType()},
		Action: Delete, Old: message.Hash(there.GetHash()), nonce: there.GetNonce() + 1,
	}
}

// isOpen says whether a ref, nil when there is none, is still as it was before the move.
func (m *Move) isOpen(there *pb.GetRefResponse) bool {
	if m.Action == Create {
		return there == nil
	}
	return there != nil && there.GetNonce() == m.nonce-1 && message.Hash(there.GetHash()) == m.Old
}

func (p *Push) planMove(ctx context.Context, there *pb.GetRefResponse, tips []message.Hash, ref Ref, force bool, plan *Plan) error {
	if there == nil {
		plan.Moves = append(plan.Moves, Move{Ref: ref, Action: Create, nonce: 1})
		return nil
	}
	if there.GetRefType() != ref.Type {
		return &TypeError{Name: ref.Name, There: there.GetRefType()}
	}
	old := message.Hash(there.GetHash())
	if old == ref.Commit {
		plan.Same = append(plan.Same, Placed{ref, there.GetNonce()})
		return nil
	}
	move := Move{Ref: ref, Action: Replace, Old: old, nonce: there.GetNonce() + 1, force: true}
	here := slices.Contains(tips, old)
	if here && ref.Type == pb.RefType_REF_TYPE_BRANCH {
		forward, far, err := p.forward(ctx, old, ref.Commit)
		if err != nil {
			return err
		}
		if forward {
			move.Action, move.force = Forward, far
		}
	}
	if move.Action == Replace && !force {
		return &NotForwardError{Ref: ref, There: old, Here: here, Shallow: p.Repo.Shallow()}
	}
	plan.Moves = append(plan.Moves, move)
	return nil
}

// forward says whether a branch would move forward, and whether that is too far for the chain to see for itself.
func (p *Push) forward(ctx context.Context, from, to message.Hash) (forward, far bool, err error) {
	if forward, err = p.Repo.IsAncestor(ctx, from, to); err != nil || !forward {
		return false, false, err
	}
	// The chain visits commits between the two and no others, so it finds its way when there are few enough of them.
	between, err := p.Repo.Count(ctx, gitrepo.Range{From: []message.Hash{to}, Not: []message.Hash{from}})
	return true, between > ledger.MaxFastForward, err
}
