package comet

import (
	"log/slog"
	"slices"
	"testing"
	"time"

	abci "github.com/cometbft/cometbft/abci/types"
	cmtproto "github.com/cometbft/cometbft/proto/tendermint/types"
	"github.com/cometbft/cometbft/types"
)

// rotation has the validators of a chain whose validators do not change.
type rotation struct{ first *types.ValidatorSet }

func (r rotation) lastChanged(int64) (int64, error) { return 1, nil }

func (r rotation) at(height int64) (*types.ValidatorSet, error) {
	if height == 1 {
		return r.first.Copy(), nil
	}
	return r.first.CopyIncrementProposerPriority(int32(height - 1)), nil
}

// rounds decides blocks as validators do that see a proposal a given time after the start of a round.
type rounds struct {
	rotation rotation
	absent   *absentProposers
	// delay is the time until the proposal of a validator has arrived, and votes reports whether its votes are in commits.
	delay func(validator int, height int64) time.Duration
	votes func(validator int) bool

	height   int64
	lost     map[int]int // rounds, by the validator that should have proposed
	waited   time.Duration
	position map[string]int
}

// never is the delay of a proposer that is down.
const never = 1000 * time.Hour

func newRounds(validators int) *rounds {
	set := make([]*types.Validator, validators)
	r := &rounds{lost: map[int]int{}, position: map[string]int{}, votes: func(int) bool { return true }}
	for i := range set {
		set[i] = validator(i+1, 10)
		r.position[string(set[i].Address)] = i
	}
	r.rotation = rotation{types.NewValidatorSet(set)}
	r.absent = newAbsentProposers(Config{}.settings().Consensus, r.rotation, nil, slog.New(slog.DiscardHandler))
	r.delay = func(int, int64) time.Duration { return 10 * time.Millisecond }
	return r
}

// decide decides a number of blocks.
func (r *rounds) decide(blocks int) {
	for range blocks {
		r.height++
		turn, _ := r.rotation.at(r.height)
		for round := int32(0); ; round++ {
			proposer := r.position[string(turn.GetProposer().Address)]
			timeout := r.absent.settings.Propose(round)
			if delay := r.delay(proposer, r.height); delay < timeout {
				r.waited += delay
				break
			}
			r.lost[proposer]++
			r.absent.signed(&cmtproto.Vote{Type: cmtproto.PrevoteType, Height: r.height, Round: round})
			r.waited += timeout + r.absent.settings.Precommit(round)
			r.absent.signed(&cmtproto.Vote{Type: cmtproto.PrecommitType, Height: r.height, Round: round})
			turn.IncrementProposerPriority(1)
		}
		block := &abci.RequestFinalizeBlock{Height: r.height, ProposerAddress: turn.GetProposer().Address}
		for _, v := range r.rotation.first.Validators {
			flag := cmtproto.BlockIDFlagAbsent
			if r.votes(r.position[string(v.Address)]) {
				flag = cmtproto.BlockIDFlagCommit
			}
			block.DecidedLastCommit.Votes = append(block.DecidedLastCommit.Votes,
				abci.VoteInfo{Validator: abci.Validator{Address: v.Address}, BlockIdFlag: flag})
		}
		r.absent.executed(block)
		r.absent.committed()
	}
}

// TestAbsentProposers checks that rounds of validators that are down are short after two turns, whichever are down,
// except for the retries, and that the timeouts of others are unchanged.
//
// Rules: P11.1.
func TestAbsentProposers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		validators int
		down       []int
	}{{4, []int{0}}, {4, []int{3}}, {7, []int{2, 3}}, {7, []int{0, 6}}, {10, []int{1, 2, 3}}} {
		r := newRounds(test.validators)
		isDown := func(v int) bool { return slices.Contains(test.down, v) }
		r.delay = func(v int, _ int64) time.Duration {
			if isDown(v) {
				return never
			}
			return proposeTimeout - 1
		}
		r.votes = func(v int) bool { return !isDown(v) }
		const turns = 160
		r.decide(turns * test.validators)
		var rounds int
		for v, lost := range r.lost {
			rounds += lost
			if !isDown(v) {
				t.Errorf("%d validators, %v down: validator %d lost %d rounds", test.validators, test.down, v, lost)
			}
		}
		if rounds < turns*len(test.down) {
			t.Errorf("%d validators, %v down: %d rounds lost, want at least %d", test.validators, test.down, rounds, turns*len(test.down))
		}
		proposals := time.Duration(turns*test.validators) * (proposeTimeout - 1)
		perRound := (r.waited - proposals) / time.Duration(rounds)
		if limit := absentProposeTimeout + absentVoteTimeout + 250*time.Millisecond; perRound > limit {
			t.Errorf("%d validators, %v down: a lost round takes %v, want at most %v", test.validators, test.down, perRound, limit)
		}
	}
}

// TestAbsentProposerReturns checks that a validator that was down loses no turn after its first vote.
//
// Rules: P11.1.
func TestAbsentProposerReturns(t *testing.T) {
	t.Parallel()
	r := newRounds(4)
	down := true
	r.delay = func(v int, _ int64) time.Duration {
		if v == 1 && down {
			return never
		}
		return proposeTimeout - 1
	}
	r.votes = func(v int) bool { return v != 1 || !down }
	r.decide(200)
	if len(r.lost) != 1 || r.lost[1] != 50 {
		t.Fatalf("rounds lost %v, want 50 of validator 1", r.lost)
	}
	r.votes = func(int) bool { return true }
	r.decide(1)
	down = false
	r.decide(200)
	if r.lost[1] > 51 {
		t.Errorf("%d rounds lost after it returned", r.lost[1]-50)
	}
}

// TestSlowProposers checks that no rounds are lost to validators that are merely slow: their proposals take almost the
// whole timeout, and the votes of a slow one are in no commit. After a turn that one of these missed, it misses a few more
// at most.
//
// Rules: P11.1.
func TestSlowProposers(t *testing.T) {
	t.Parallel()
	r := newRounds(4)
	r.delay = func(int, int64) time.Duration { return proposeTimeout * 9 / 10 }
	r.votes = func(v int) bool { return v != 2 }
	r.decide(1000)
	if len(r.lost) > 0 {
		t.Errorf("rounds lost %v, want none", r.lost)
	}
	late := r.height + 3
	r.delay = func(_ int, height int64) time.Duration {
		if height > late && height < late+5 {
			return 2 * proposeTimeout // every validator misses a turn
		}
		return proposeTimeout * 9 / 10
	}
	r.decide(1000)
	total := 0
	for _, lost := range r.lost {
		total += lost
	}
	t.Logf("rounds lost %v", r.lost)
	if total == 0 || r.lost[2] > retryInterval+absentAfter || total-r.lost[2] > 12 {
		t.Errorf("rounds lost %v: want some, and at most %d of validator 2", r.lost, retryInterval+absentAfter)
	}
	before := total
	r.decide(1000)
	for _, lost := range r.lost {
		before -= lost
	}
	if before != 0 {
		t.Errorf("%d more rounds lost later", -before)
	}
}
