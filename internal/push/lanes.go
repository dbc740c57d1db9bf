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
const LanePrefix = "refs/makechain/push/"

// lanes hold what a push has sent: a commit that no ref reaches may be pruned when the next bundle comes (P8.7). The
// commits that were sent and have no child among them yet are the ends of lines; each gets a ref, which moves on as its
// line grows. Nil lanes hold nothing.
type lanes struct {
	prefix string
	room   int                  // how many more refs there may be
	ends   map[message.Hash]int // when each was added
	added  int
	lanes  []lane
}

// lane is one such ref.
type lane struct {
	name  string
	at    message.Hash
	nonce uint64
	free  bool // another end reaches its commit
}

// planLanes decides whether the push needs lanes, and which of those that are there have become superfluous.
func (p *Push) planLanes(ctx context.Context, s *state, tips []message.Hash, plan *Plan) error {
	last := message.Hash{}
	room := int(s.project.GetMaxRefs()) - int(s.project.GetRefCount())
	for _, move := range plan.Moves {
		switch move.Action {
		case Create:
			room--
			last = move.Commit
		case Forward, Replace:
			last = move.Commit
		case Delete:
		}
	}
	if int(s.project.GetCommitCount())+plan.Commits > int(s.project.GetMaxCommits()) && plan.Commits > 0 {
		owner := p.Author.Owner()
		plan.hold = newLanes(fmt.Sprintf("%s%s-%x/", LanePrefix, short(last), owner[:shortDigits/2]), room, s)
	}
	for _, name := range s.names {
		if !strings.HasPrefix(name, LanePrefix) || plan.hold != nil && strings.HasPrefix(name, plan.hold.prefix) {
			continue
		}
		superfluous, err := p.reached(ctx, s, tips, plan, message.Hash(s.refs[name].GetHash()))
		if err != nil {
			return err
		}
		if superfluous {
			plan.release = append(plan.release, deletion(s.refs[name]))
		}
	}
	return nil
}

// reached says whether a ref that stays, or one that the plan makes, reaches a commit.
func (p *Push) reached(ctx context.Context, s *state, tips []message.Hash, plan *Plan, commit message.Hash) (bool, error) {
	if !slices.Contains(tips, commit) {
		return false, nil
	}
	var holders []message.Hash
	moved := map[string]bool{}
	for _, move := range plan.Moves {
		moved[move.Name] = true
		if move.Action != Delete {
			holders = append(holders, move.Commit)
		}
	}
	for _, name := range s.names {
		at := message.Hash(s.refs[name].GetHash())
		if !strings.HasPrefix(name, LanePrefix) && !moved[name] && slices.Contains(tips, at) {
			holders = append(holders, at)
		}
	}
	if len(holders) == 0 {
		return false, nil
	}
	beyond, err := p.Repo.Count(ctx, gitrepo.Range{From: []message.Hash{commit}, Not: holders})
	return beyond == 0, err
}

// newLanes takes over the lanes that an earlier push of the same commit left.
func newLanes(prefix string, room int, s *state) *lanes {
	l := &lanes{prefix: prefix, room: room, ends: map[message.Hash]int{}}
	for _, name := range s.names {
		if strings.HasPrefix(name, prefix) {
			l.lanes = append(l.lanes, lane{name: name, at: message.Hash(s.refs[name].GetHash()), nonce: s.refs[name].GetNonce()})
		}
	}
	return l
}

// add notes a commit, whose parents were noted before it.
func (l *lanes) add(commit *gitrepo.Commit) {
	if l == nil {
		return
	}
	for _, parent := range commit.Parents {
		delete(l.ends, parent)
		for i := range l.lanes {
			if l.lanes[i].at == parent {
				l.lanes[i].free = true
			}
		}
	}
	l.ends[commit.Hash] = l.added
	l.added++
}

// moves brings a lane to every end that has none.
func (l *lanes) moves() ([]Move, error) {
	if l == nil {
		return nil, nil
	}
	var bare []message.Hash
	for end := range l.ends {
		if !slices.ContainsFunc(l.lanes, func(lane lane) bool { return lane.at == end }) {
			bare = append(bare, end)
		}
	}
	slices.SortFunc(bare, func(a, b message.Hash) int { return cmp.Compare(l.ends[a], l.ends[b]) })
	var moves []Move
	for _, end := range bare {
		lane, isNew := l.lane()
		move := Move{Ref: Ref{Name: lane.name, Type: pb.RefType_REF_TYPE_BRANCH, Commit: end}, Action: Replace, Old: lane.at, force: true}
		if isNew {
			if l.room == 0 {
				return nil, &NoRoomError{Lines: len(l.ends), Room: len(l.lanes) - 1}
			}
			l.room--
			move.Action, move.force = Create, false
		}
		lane.at, lane.free = end, false
		lane.nonce++
		move.nonce = lane.nonce
		moves = append(moves, move)
	}
	return moves, nil
}

// lane finds a lane that is free, or makes one.
func (l *lanes) lane() (found *lane, isNew bool) {
	for i := range l.lanes {
		if l.lanes[i].free {
			return &l.lanes[i], false
		}
	}
	number := 1
	for slices.ContainsFunc(l.lanes, func(lane lane) bool { return lane.name == l.prefix+strconv.Itoa(number) }) {
		number++
	}
	l.lanes = append(l.lanes, lane{name: fmt.Sprintf("%s%d", l.prefix, number)})
	return &l.lanes[len(l.lanes)-1], true
}

// deletions gives up all lanes.
func (l *lanes) deletions() []Move {
	if l == nil {
		return nil
	}
	var moves []Move
	for _, lane := range l.lanes {
		ref := Ref{Name: lane.name, Type: pb.RefType_REF_TYPE_BRANCH}
		moves = append(moves, Move{Ref: ref, Action: Delete, Old: lane.at, nonce: lane.nonce + 1})
	}
	return moves
}
