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

// LanePrefix begins the names of refs that hold the commits of a push under way. They are deleted when a push ends
// that makes them superfluous.
const TemporaryRefPrefix = "refs/makechain/push/"

// lanes hold what a push has sent: a commit that no ref reaches may be pruned when the next bundle comes (P8.7). The
// commits that were sent and have no child among them yet are the ends of lines; each gets a ref, which moves on as its
// line grows. Nil lanes hold nothing.
type temporaryRefs struct {
	prefix    string
	available int                  // how many more refs there may be
	heads     map[message.Hash]int // when each was added
	added     int
	refs      []temporaryRef
}

// lane is one such ref.
type temporaryRef struct {
	name   string
	commit message.Hash
	nonce  uint64
	free   bool // another end reaches its commit
}

// planLanes decides whether the push needs lanes, and which of those that are there have become superfluous.
func (p *Push) planTemporaryRefs(ctx context.Context, s *state, tips []message.Hash, plan *Plan) error {
	last := message.Hash{}
	room := int(s.project.GetMaxRefs()) - int(s.project.GetRefCount())
	for _, move := range plan.Updates {
		switch move.Action {
		case Create:
			room--
			last = move.Commit
		case FastForward, ForceUpdate:
			last = move.Commit
		case Delete:
		}
	}
	if int(s.project.GetCommitCount())+plan.Commits > int(s.project.GetMaxCommits()) && plan.Commits > 0 {
		owner := p.Author.Owner()
		plan.temporary = newTemporaryRefs(fmt.Sprintf("%s%s-%x/", TemporaryRefPrefix, short(last), owner[:shortDigits/2]), room, s)
	}
	for _, name := range s.names {
		if !strings.HasPrefix(name, TemporaryRefPrefix) || plan.temporary != nil && strings.HasPrefix(name, plan.temporary.prefix) {
			continue
		}
		superfluous, err := p.isReachable(ctx, s, tips, plan, message.Hash(s.refs[name].GetHash()))
		if err != nil {
			return err
		}
		if superfluous {
			plan.obsolete = append(plan.obsolete, deletion(s.refs[name]))
		}
	}
	return nil
}

// reached says whether a ref that stays, or one that the plan makes, reaches a commit.
func (p *Push) isReachable(ctx context.Context, s *state, tips []message.Hash, plan *Plan, commit message.Hash) (bool, error) {
	if !slices.Contains(tips, commit) {
		return false, nil
	}
	var holders []message.Hash
	moved := map[string]bool{}
	for _, move := range plan.Updates {
		moved[move.Name] = true
		if move.Action != Delete {
			holders = append(holders, move.Commit)
		}
	}
	for _, name := range s.names {
		at := message.Hash(s.refs[name].GetHash())
		if !strings.HasPrefix(name, TemporaryRefPrefix) && !moved[name] && slices.Contains(tips, at) {
			holders = append(holders, at)
		}
	}
	if len(holders) == 0 {
		return false, nil
	}
	beyond, err := p.Repo.Count(ctx, gitrepo.Range{Include: []message.Hash{commit}, Exclude: holders})
	return beyond == 0, err
}

// newLanes takes over the lanes that an earlier push of the same commit left.
func newTemporaryRefs(prefix string, room int, s *state) *temporaryRefs {
	l := &temporaryRefs{prefix: prefix, available: room, heads: map[message.Hash]int{}}
	for _, name := range s.names {
		if strings.HasPrefix(name, prefix) {
			l.refs = append(l.refs, temporaryRef{name: name, commit: message.Hash(s.refs[name].GetHash()), nonce: s.refs[name].GetNonce()})
		}
	}
	return l
}

// add notes a commit, whose parents were noted before it.
func (l *temporaryRefs) add(commit *gitrepo.Commit) {
	if l == nil {
		return
	}
	for _, parent := range commit.Parents {
		delete(l.heads, parent)
		for i := range l.refs {
			if l.refs[i].commit == parent {
				l.refs[i].free = true
			}
		}
	}
	l.heads[commit.Hash] = l.added
	l.added++
}

// moves brings a lane to every end that has none.
func (l *temporaryRefs) updates() ([]RefUpdate, error) {
	if l == nil {
		return nil, nil
	}
	var bare []message.Hash
	for end := range l.heads {
		if !slices.ContainsFunc(l.refs, func(lane temporaryRef) bool { return lane.commit == end }) {
			bare = append(bare, end)
		}
	}
	slices.SortFunc(bare, func(a, b message.Hash) int { return cmp.Compare(l.heads[a], l.heads[b]) })
	var moves []RefUpdate
	for _, end := range bare {
		lane, isNew := l.reuse()
		move := RefUpdate{Ref: Ref{Name: lane.name, Type: pb.RefType_REF_TYPE_BRANCH, Commit: end}, Action: ForceUpdate, Old: lane.commit, force: true}
		if isNew {
			if l.available == 0 {
				return nil, &TooManyTemporaryRefsError{Needed: len(l.heads), Available: len(l.refs) - 1}
			}
			l.available--
			move.Action, move.force = Create, false
		}
		lane.commit, lane.free = end, false
		lane.nonce++
		move.nonce = lane.nonce
		moves = append(moves, move)
	}
	return moves, nil
}

// lane finds a lane that is free, or makes one.
func (l *temporaryRefs) reuse() (found *temporaryRef, isNew bool) {
	for i := range l.refs {
		if l.refs[i].free {
			return &l.refs[i], false
		}
	}
	number := 1
	for slices.ContainsFunc(l.refs, func(lane temporaryRef) bool { return lane.name == l.prefix+strconv.Itoa(number) }) {
		number++
	}
	l.refs = append(l.refs, temporaryRef{name: fmt.Sprintf("%s%d", l.prefix, number)})
	return &l.refs[len(l.refs)-1], true
}

// deletions gives up all lanes.
func (l *temporaryRefs) deletions() []RefUpdate {
	if l == nil {
		return nil
	}
	var moves []RefUpdate
	for _, lane := range l.refs {
		ref := Ref{Name: lane.name, Type: pb.RefType_REF_TYPE_BRANCH}
		moves = append(moves, RefUpdate{Ref: ref, Action: Delete, Old: lane.commit, nonce: lane.nonce + 1})
	}
	return moves
}
