package push

import (
	"context"
	"fmt"
	"slices"

	pb "makechain/gen/makechain"
	"makechain/internal/gitrepo"
	"makechain/message"
)

// Action is the kind of a ref update.
type Action int

// The actions.
const (
	Create Action = iota
	FastForward
	ForceUpdate // a branch update that is not a fast-forward, or any update of a tag
	Delete
)

// RefUpdate is a change of one ref.
type RefUpdate struct {
	Ref

	Action Action
	Old    message.Hash // zero when the ref is created

	nonce uint64
	floor uint32 // the floor of the ref; 0 before the message that creates it is signed
	force bool

	content message.Hash // the digest of content that no commit bundle names
}

// Plan is the list of changes that a push makes, based on the state of the project when it was made.
type Plan struct {
	Project   message.Hash
	Updates   []RefUpdate
	Unchanged []VersionedRef // refs that have the requested value already
	Commits   int            // number of commits to send

	commits   []message.Hash        // commits of the updates that are not reachable from refs of the chain, parents first
	stored    map[message.Hash]bool // the commits, possibly also others, that the chain has
	known     []message.Hash        // commits of the repository whose content the stores should have
	temporary *temporaryRefs        // nil when nothing can be pruned
	obsolete  []RefUpdate           // deletions of temporary refs of earlier pushes
	private   bool                  // the project is private
	contents  int                   // number of git bundles that the chain named before the push
	uploaded  int                   // number of git bundles of the push

	openRequests uint32 // number of open merge requests of the project
}

// VersionedRef is a ref with its nonce and floor.
type VersionedRef struct {
	Ref

	Nonce uint64
	Floor uint32 // 0 for a ref that is not created yet
}

// Refs returns the requested refs as they are after the push, without deleted ones.
func (p *Plan) Refs() []VersionedRef {
	refs := slices.Clone(p.Unchanged)
	for _, update := range p.Updates {
		if update.Action != Delete {
			refs = append(refs, VersionedRef{update.Ref, update.nonce, update.floor})
		}
	}
	return refs
}

// Plan returns the changes that Run would make. It sends nothing.
func (p *Push) Plan(ctx context.Context, request Request) (*Plan, error) {
	s, err := p.state(ctx)
	if err != nil {
		return nil, err
	}
	tips, err := p.localCommits(ctx, s.tips())
	if err != nil {
		return nil, err
	}
	plan := &Plan{
		Project: p.Project, private: s.project.GetVisibility() == pb.Visibility_VISIBILITY_PRIVATE,
		openRequests: s.project.GetMergeRequestCount(),
	}
	if plan.known, err = p.localCommits(ctx, s.permanentTips()); err != nil {
		return nil, err
	}
	if err := p.planUpdates(ctx, s, tips, request, plan); err != nil {
		return nil, err
	}
	if err := p.planCommits(ctx, s, tips, request, plan); err != nil {
		return nil, err
	}
	return plan, p.planTemporaryRefs(ctx, s, tips, plan)
}

// localCommits returns those of the commits that the repository has.
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

// checkCommits checks, before anything is sent, that the chain can store the commits.
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

// checkParents checks that the chain has the parents that are missing in a shallow clone.
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

// message returns the message of the update.
func (u *RefUpdate) message(project message.Hash) *pb.MessageData {
	if u.Action == Delete {
		return message.RefDelete(project, u.Name, u.Old, u.nonce)
	}
	return message.RefUpdate(project, u.Name, message.RefMove{
		Type: u.Type, Old: u.Old, New: u.Commit, Force: u.force, Nonce: u.nonce, TagObject: u.TagObject, ContentDigest: u.content,
	})
}

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
