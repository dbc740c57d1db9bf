package push

import (
	"context"
	"fmt"
	"slices"

	pb "makechain/gen/makechain"
	"makechain/internal/gitrepo"
	"makechain/message"
)

// Action is what happens to a ref.
type Action int

// The actions.
const (
	Create Action = iota
	FastForward
	ForceUpdate // backwards, sideways, or a tag at all
	Delete
)

// Move is a ref that changes.
type RefUpdate struct {
	Ref

	Action Action
	Old    message.Hash // zero when the ref is created

	nonce uint64
	force bool
}

// Plan is what a push would do, going by what the chain had when it was made.
type Plan struct {
	Project   message.Hash
	Updates   []RefUpdate
	Unchanged []VersionedRef // refs that are right already
	Commits   int            // how many will be sent

	commits   []message.Hash        // the commits of the moves that no ref of the chain reaches, parents first
	stored    map[message.Hash]bool // those of them, and maybe others, that the chain has
	temporary *temporaryRefs        // nil where nothing can be pruned
	obsolete  []RefUpdate           // refs of earlier pushes that are of no more use
}

// Placed is a ref at its place.
type VersionedRef struct {
	Ref

	Nonce uint64
}

// Refs are the refs that were asked for as they are when the plan is carried out, without those deleted.
func (p *Plan) Refs() []VersionedRef {
	refs := slices.Clone(p.Unchanged)
	for _, move := range p.Updates {
		if move.Action != Delete {
			refs = append(refs, VersionedRef{move.Ref, move.nonce})
		}
	}
	return refs
}

// Plan says what Run would do, and sends nothing.
func (p *Push) Plan(ctx context.Context, request Request) (*Plan, error) {
	s, err := p.state(ctx)
	if err != nil {
		return nil, err
	}
	tips, err := p.localCommits(ctx, s.tips())
	if err != nil {
		return nil, err
	}
	plan := &Plan{Project: p.Project}
	if err := p.planUpdates(ctx, s, tips, request, plan); err != nil {
		return nil, err
	}
	if err := p.planCommits(ctx, s, tips, request, plan); err != nil {
		return nil, err
	}
	return plan, p.planTemporaryRefs(ctx, s, tips, plan)
}

// here keeps the commits that this repository has.
func (p *Push) localCommits(ctx context.Context, commits []message.Hash) ([]message.Hash, error) {
	have, err := p.Repo.Has(ctx, commits)
	if err != nil {
		return nil, err
	}
	var kept []message.Hash
	for _, commit := range commits {
		if have[commit] {
			kept = append(kept, commit)
		}
	}
	return kept, nil
}

func (p *Push) planCommits(ctx context.Context, s *state, tips []message.Hash, request Request, plan *Plan) error {
	var wanted gitrepo.Range
	for _, ref := range request.Refs {
		wanted.Include = append(wanted.Include, ref.Commit)
	}
	if !request.AllCommits {
		origin, err := p.origin(ctx, s)
		if err != nil {
			return err
		}
		if origin, err = p.localCommits(ctx, origin); err != nil {
			return err
		}
		wanted.Exclude = slices.Concat(origin, tips)
	}
	var err error
	if plan.commits, err = p.Repo.List(ctx, wanted); err != nil {
		return err
	}
	if plan.stored, err = p.storedCommits(ctx, s, plan.commits); err != nil {
		return err
	}
	for _, commit := range plan.commits {
		if !plan.stored[commit] {
			plan.Commits++
		}
	}
	return p.checkCommits(ctx, wanted, plan)
}

// checkCommits finds, before anything is sent, what the chain could not take.
func (p *Push) checkCommits(ctx context.Context, wanted gitrepo.Range, plan *Plan) error {
	wanted.MinParents = message.MaxParents + 1
	wide, err := p.Repo.List(ctx, wanted)
	if err != nil {
		return err
	}
	for _, commit := range wide {
		if !plan.stored[commit] {
			return &TooManyParentsError{Commit: commit}
		}
	}
	if p.Repo.IsShallow() {
		return p.checkParents(ctx, plan)
	}
	return nil
}

// checkParents makes sure that the chain has the parents which a shallow clone has not.
func (p *Push) checkParents(ctx context.Context, plan *Plan) error {
	listed := make(map[message.Hash]bool, len(plan.commits))
	for _, commit := range plan.commits {
		listed[commit] = true
	}
	return p.Repo.ReadCommits(ctx, plan.commits, func(commit *gitrepo.Commit) error {
		for _, parent := range commit.Parents {
			if listed[parent] || plan.stored[parent] {
				continue
			}
			has, err := p.hasCommit(ctx, parent)
			if err != nil {
				return err
			}
			if !has {
				return &ShallowError{Commit: commit.Hash, Parent: parent}
			}
			plan.stored[parent] = true
		}
		return nil
	})
}

// message is the move as it is sent.
func (m *RefUpdate) message(project message.Hash) *pb.MessageData {
	if m.Action == Delete {
		return message.RefDelete(project, m.Name, m.Old, m.nonce)
	}
	return message.RefUpdate(project, m.Name, message.RefMove{Type: m.Type, Old: m.Old, New: m.Commit, Force: m.force, Nonce: m.nonce})
}

// String is the action in a word.
func (a Action) String() string {
	switch a {
	case Create:
		return "create"
	case FastForward:
		return "update"
	case ForceUpdate:
		return "force"
	case Delete:
		return "delete"
	default:
		return fmt.Sprintf("Action(%d)", int(a))
	}
}
