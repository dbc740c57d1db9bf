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
func (p *Push) planUpdates(ctx context.Context, s *state, tips []message.Hash, request Request, plan *Plan) error {
	for _, ref := range request.Refs {
		if len(ref.Name) > message.MaxRefName {
			return &RefNameTooLongError{Name: ref.Name}
		}
		if err := p.planUpdate(ctx, s.refs[ref.Name], tips, ref, request.Force, plan); err != nil {
			return err
		}
	}
	for _, name := range request.Delete {
		there := s.refs[name]
		if there == nil {
			return &RefNotFoundError{Name: name}
		}
		plan.Updates = append(plan.Updates, deletion(there))
	}
	return checkRefQuota(s, plan)
}

// checkRoom makes sure that the project can have so many refs.
func checkRefQuota(s *state, plan *Plan) error {
	created := 0
	for _, move := range plan.Updates {
		if move.Action == Create {
			created++
		}
	}
	if room := int(s.project.GetMaxRefs()) - int(s.project.GetRefCount()); created > room {
		return &TooManyRefsError{New: created, Available: max(0, room)}
	}
	return nil
}

func deletion(there *pb.GetRefResponse) RefUpdate {
	return RefUpdate{
		Ref:    Ref{Name: string(there.GetRefName()), Type: there.GetRefType()},
		Action: Delete, Old: message.Hash(there.GetHash()), nonce: there.GetNonce() + 1,
	}
}

// isOpen says whether a ref, nil when there is none, is still as it was before the move.
func (m *RefUpdate) isPending(there *pb.GetRefResponse) bool {
	if m.Action == Create {
		return there == nil
	}
	return there != nil && there.GetNonce() == m.nonce-1 && message.Hash(there.GetHash()) == m.Old
}

func (p *Push) planUpdate(ctx context.Context, there *pb.GetRefResponse, tips []message.Hash, ref Ref, force bool, plan *Plan) error {
	if there == nil {
		plan.Updates = append(plan.Updates, RefUpdate{Ref: ref, Action: Create, nonce: 1})
		return nil
	}
	if there.GetRefType() != ref.Type {
		return &RefTypeError{Name: ref.Name, Type: there.GetRefType()}
	}
	old := message.Hash(there.GetHash())
	if old == ref.Commit {
		plan.Unchanged = append(plan.Unchanged, VersionedRef{ref, there.GetNonce()})
		return nil
	}
	move := RefUpdate{Ref: ref, Action: ForceUpdate, Old: old, nonce: there.GetNonce() + 1, force: true}
	here := slices.Contains(tips, old)
	if here && ref.Type == pb.RefType_REF_TYPE_BRANCH {
		forward, far, err := p.isFastForward(ctx, old, ref.Commit)
		if err != nil {
			return err
		}
		if forward {
			move.Action, move.force = FastForward, far
		}
	}
	if move.Action == ForceUpdate && !force {
		return &NonFastForwardError{Ref: ref, Remote: old, IsLocal: here, Shallow: p.Repo.IsShallow()}
	}
	plan.Updates = append(plan.Updates, move)
	return nil
}

// forward says whether a branch would move forward, and whether that is too far for the chain to see for itself.
func (p *Push) isFastForward(ctx context.Context, from, to message.Hash) (forward, far bool, err error) {
	if forward, err = p.Repo.IsAncestor(ctx, from, to); err != nil || !forward {
		return false, false, err
	}
	// The chain visits commits between the two and no others, so it finds its way when there are few enough of them.
	between, err := p.Repo.Count(ctx, gitrepo.Range{Include: []message.Hash{to}, Exclude: []message.Hash{from}})
	return true, between > ledger.MaxFastForward, err
}
