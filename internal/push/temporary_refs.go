package push

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	pb "makechain/gen/makechain"
	"makechain/internal/gitrepo"
	"makechain/message"
)

// TemporaryRefPrefix is the prefix of the temporary refs of a push in progress. A push that completes deletes those that
// are no longer needed.
const TemporaryRefPrefix = "refs/makechain/push/"

// temporaryRefs keep the commits of a push from being pruned: a commit that is not reachable from a ref may be pruned
// with the next bundle (P8.7). Each commit that was sent and has no child among the sent commits is a head and gets a
// temporary ref, which is updated when a child is sent. A nil *temporaryRefs does nothing.
type temporaryRefs struct {
	prefix    string
	available int                  // how many more refs the quota allows
	heads     map[message.Hash]int // in the order in which they were added
	added     int
	refs      []temporaryRef
}

// temporaryRef is one temporary ref.
type temporaryRef struct {
	name   string
	commit message.Hash
	nonce  uint64
	floor  uint32 // 0 for a ref that this push creates
	free   bool   // its commit is reachable from another head
}

// planTemporaryRefs decides whether the push needs temporary refs, and which existing ones to delete.
func (p *Push) planTemporaryRefs(ctx context.Context, s *state, tips []message.Hash, plan *Plan) error {
	last := message.Hash{}
	available := int(s.project.GetMaxRefs()) - int(s.project.GetRefCount())
	for _, update := range plan.Updates {
		switch update.Action {
		case Create:
			available--
			last = update.Commit
		case FastForward, ForceUpdate:
			last = update.Commit
		case Delete:
		}
	}
	if int(s.project.GetCommitCount())+plan.Commits > int(s.project.GetMaxCommits()) && plan.Commits > 0 {
		owner := p.Author.Owner()
		plan.temporary = newTemporaryRefs(fmt.Sprintf("%s%s-%x/", TemporaryRefPrefix, short(last), owner[:shortDigits/2]), available, s)
	}
	for _, name := range s.names {
		if !strings.HasPrefix(name, TemporaryRefPrefix) || plan.temporary != nil && strings.HasPrefix(name, plan.temporary.prefix) {
			continue
		}
		reachable, err := p.isReachable(ctx, s, tips, plan, message.Hash(s.refs[name].GetHash()))
		if err != nil {
			return err
		}
		if reachable {
			plan.obsolete = append(plan.obsolete, deletion(s.refs[name]))
		}
	}
	return nil
}

// isReachable reports whether a commit is reachable from a ref that remains, or from one of the plan.
func (p *Push) isReachable(ctx context.Context, s *state, tips []message.Hash, plan *Plan, commit message.Hash) (bool, error) {
	if !slices.Contains(tips, commit) {
		return false, nil
	}
	var tipsAfter []message.Hash
	updated := map[string]bool{}
	for _, update := range plan.Updates {
		updated[update.Name] = true
		if update.Action != Delete {
			tipsAfter = append(tipsAfter, update.Commit)
		}
	}
	for _, name := range s.names {
		at := message.Hash(s.refs[name].GetHash())
		if !strings.HasPrefix(name, TemporaryRefPrefix) && !updated[name] && slices.Contains(tips, at) {
			tipsAfter = append(tipsAfter, at)
		}
	}
	if len(tipsAfter) == 0 {
		return false, nil
	}
	unreachable, err := p.Repo.Count(ctx, gitrepo.Range{Include: []message.Hash{commit}, Exclude: tipsAfter})
	return unreachable == 0, err
}

// newTemporaryRefs continues with the temporary refs of an interrupted push of the same commit.
func newTemporaryRefs(prefix string, available int, s *state) *temporaryRefs {
	t := &temporaryRefs{prefix: prefix, available: available, heads: map[message.Hash]int{}}
	for _, name := range s.names {
		if strings.HasPrefix(name, prefix) {
			current := s.refs[name]
			t.refs = append(t.refs, temporaryRef{
				name: name, commit: message.Hash(current.GetHash()), nonce: current.GetNonce(), floor: current.GetFloor(),
			})
		}
	}
	return t
}

// add adds a commit that is sent. Its parents must have been added before.
func (t *temporaryRefs) add(commit *gitrepo.Commit) {
	if t == nil {
		return
	}
	for _, parent := range commit.Parents {
		delete(t.heads, parent)
		for i := range t.refs {
			if t.refs[i].commit == parent {
				t.refs[i].free = true
			}
		}
	}
	t.heads[commit.Hash] = t.added
	t.added++
}

// updates returns the updates after which every head has a temporary ref.
func (t *temporaryRefs) updates() ([]RefUpdate, error) {
	if t == nil {
		return nil, nil
	}
	var uncovered []message.Hash
	for head := range t.heads {
		if !slices.ContainsFunc(t.refs, func(ref temporaryRef) bool { return ref.commit == head }) {
			uncovered = append(uncovered, head)
		}
	}
	slices.SortFunc(uncovered, func(a, b message.Hash) int { return cmp.Compare(t.heads[a], t.heads[b]) })
	var updates []RefUpdate
	for _, head := range uncovered {
		ref, isNew := t.reuse()
		update := RefUpdate{
			Ref:    Ref{Name: ref.name, Type: pb.RefType_REF_TYPE_BRANCH, Commit: head},
			Action: ForceUpdate, Old: ref.commit, floor: ref.floor, force: true,
		}
		if isNew {
			if t.available == 0 {
				return nil, &TooManyTemporaryRefsError{Needed: len(t.heads), Available: len(t.refs) - 1}
			}
			t.available--
			update.Action, update.force = Create, false
		}
		ref.commit, ref.free = head, false
		ref.nonce++
		update.nonce = ref.nonce
		updates = append(updates, update)
	}
	return updates, nil
}

// reuse returns a free temporary ref, or a new one.
func (t *temporaryRefs) reuse() (ref *temporaryRef, isNew bool) {
	for i := range t.refs {
		if t.refs[i].free {
			return &t.refs[i], false
		}
	}
	number := 1
	for slices.ContainsFunc(t.refs, func(ref temporaryRef) bool { return ref.name == t.prefix+strconv.Itoa(number) }) {
		number++
	}
	t.refs = append(t.refs, temporaryRef{name: fmt.Sprintf("%s%d", t.prefix, number)})
	return &t.refs[len(t.refs)-1], true
}

// deletions returns the deletions of all temporary refs.
func (t *temporaryRefs) deletions() []RefUpdate {
	if t == nil {
		return nil
	}
	var updates []RefUpdate
	for _, ref := range t.refs {
		updates = append(updates, RefUpdate{
			Ref:    Ref{Name: ref.name, Type: pb.RefType_REF_TYPE_BRANCH},
			Action: Delete, Old: ref.commit, nonce: ref.nonce + 1, floor: ref.floor,
		})
	}
	return updates
}
