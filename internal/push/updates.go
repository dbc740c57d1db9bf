package push

import (
	"context"
	"slices"

	pb "makechain/gen/makechain"
	"makechain/internal/gitrepo"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/message"
)

// planUpdates compares the requested refs with those on the chain. It returns an error when one of them cannot be
// updated, so that nothing is sent for a push that fails.
func (p *Push) planUpdates(ctx context.Context, s *state, tips []message.Hash, request Request, plan *Plan) error {
	for _, ref := range request.Refs {
		if len(ref.Name) > message.MaxRefName {
			return &RefNameTooLongError{Name: ref.Name}
		}
		ref.Force = ref.Force || request.Force
		if err := request.checkExpected(s.refs[ref.Name], &ref); err != nil {
			return err
		}
		if err := p.planUpdate(ctx, s.refs[ref.Name], tips, ref, plan); err != nil {
			return err
		}
	}
	for _, name := range request.Delete {
		current := s.refs[name]
		if current == nil {
			return &RefNotFoundError{Name: name}
		}
		if err := request.checkExpected(current, &Ref{Name: name}); err != nil {
			return err
		}
		plan.Updates = append(plan.Updates, deletion(current))
	}
	return checkRefQuota(s, plan)
}

// checkExpected returns a ChangedError for a ref that points at something else than expected, unless it has its new value.
func (r *Request) checkExpected(current *pb.GetRefResponse, ref *Ref) error {
	want, isExpected := r.Expected[ref.Name]
	var now Ref
	if current != nil {
		now = Ref{Commit: message.Hash(current.GetHash()), TagObject: tagObject(current)}
	}
	if !isExpected || now.object() == want || now.object() == ref.object() {
		return nil
	}
	return &ChangedError{Name: ref.Name, Remote: now.object()}
}

// tagObject returns the tag object of a ref, zero for none.
func tagObject(current *pb.GetRefResponse) message.Hash {
	object, _ := ident.HashFrom(current.GetTagObject())
	return object
}

// checkRefQuota checks the number of new refs against the quota of the project.
func checkRefQuota(s *state, plan *Plan) error {
	created := 0
	for _, update := range plan.Updates {
		if update.Action == Create {
			created++
		}
	}
	if available := int(s.project.GetMaxRefs()) - int(s.project.GetRefCount()); created > available {
		return &TooManyRefsError{New: created, Available: max(0, available)}
	}
	return nil
}

func deletion(current *pb.GetRefResponse) RefUpdate {
	return RefUpdate{
		Ref:    Ref{Name: string(current.GetRefName()), Type: current.GetRefType()},
		Action: Delete, Old: message.Hash(current.GetHash()), nonce: current.GetNonce() + 1, floor: current.GetFloor(),
	}
}

// isPending reports whether a ref, nil when there is none, still has the value from before the update.
func (u *RefUpdate) isPending(current *pb.GetRefResponse) bool {
	if u.Action == Create {
		return current == nil
	}
	return current != nil && current.GetNonce() == u.nonce-1 && message.Hash(current.GetHash()) == u.Old
}

func (p *Push) planUpdate(ctx context.Context, current *pb.GetRefResponse, tips []message.Hash, ref Ref, plan *Plan) error {
	if current == nil {
		plan.Updates = append(plan.Updates, RefUpdate{Ref: ref, Action: Create, nonce: 1})
		return nil
	}
	if current.GetRefType() != ref.Type {
		return &RefTypeError{Name: ref.Name, Type: current.GetRefType()}
	}
	old := message.Hash(current.GetHash())
	// A tag without its tag object, as earlier versions pushed it, is not replaced without force.
	if stored := tagObject(current); old == ref.Commit && (stored == ref.TagObject || stored == (message.Hash{}) && !ref.Force) {
		ref.TagObject = stored
		plan.Unchanged = append(plan.Unchanged, VersionedRef{ref, current.GetNonce(), current.GetFloor()})
		return nil
	}
	update := RefUpdate{Ref: ref, Action: ForceUpdate, Old: old, nonce: current.GetNonce() + 1, floor: current.GetFloor(), force: true}
	isLocal := slices.Contains(tips, old)
	if isLocal && ref.Type == pb.RefType_REF_TYPE_BRANCH {
		forward, far, err := p.isFastForward(ctx, old, ref.Commit)
		if err != nil {
			return err
		}
		if forward {
			update.Action, update.force = FastForward, far
		}
	}
	if update.Action == ForceUpdate && !ref.Force {
		return &NonFastForwardError{Ref: ref, Remote: old, IsLocal: isLocal, Shallow: p.Repo.IsShallow()}
	}
	plan.Updates = append(plan.Updates, update)
	return nil
}

// isFastForward reports whether a branch update is a fast-forward, and whether it spans more commits than the chain
// checks (P9.3), so that it must be forced.
func (p *Push) isFastForward(ctx context.Context, from, to message.Hash) (forward, far bool, err error) {
	if forward, err = p.Repo.IsAncestor(ctx, from, to); err != nil || !forward {
		return false, false, err
	}
	// The chain visits only commits between the two, so their number decides.
	between, err := p.Repo.Count(ctx, gitrepo.Range{Include: []message.Hash{to}, Exclude: []message.Hash{from}})
	return true, between > ledger.MaxFastForward, err
}
