package comet

import (
	"bytes"
	"log/slog"
	"slices"
	"time"

	abci "github.com/cometbft/cometbft/abci/types"
	cmtcfg "github.com/cometbft/cometbft/config"
	cmtproto "github.com/cometbft/cometbft/proto/tendermint/types"
	"github.com/cometbft/cometbft/types"
)

const (
	// absentAfter is the number of turns in a row that a validator misses before it counts as absent. One is missed easily on a
	// machine or network that is overloaded.
	absentAfter = 2
	// retryInterval is the number of missed turns in a row after which an absent proposer is waited for as long as others again.
	retryInterval = 16
)

// absentProposers shortens the timeouts of rounds whose proposer is down. A validator is absent if it missed its last turns to
// propose and none of its votes is in a commit since. More than two thirds of the voting power sign each commit, so at most a
// third is absent at any time, and the timeouts of all other rounds are unchanged: a chain makes progress also if validators
// are absent by mistake. One that votes again, or proposes in time, is not absent any more. One whose votes always arrive too
// late for the commit, but which does propose, gets the whole timeout in some of its turns and is not absent after one of them.
//
// Timeouts are local settings. All that decides about them is in the blocks, so validators decide alike.
//
// CometBFT reads the timeouts in the goroutine that decides blocks. The same goroutine calls the application's FinalizeBlock
// and Commit, and SignVote, in which the methods here are called; during block sync and at the start it does not run yet.
type absentProposers struct {
	settings *cmtcfg.ConsensusConfig
	source   validatorSource
	own      types.Address
	log      *slog.Logger

	missed map[string]int      // turns in a row, by the address of an absent validator
	height int64               // that is decided next; 0 if unknown
	set    *types.ValidatorSet // of height in its first round
	last   int64               // executed height
}

// validatorSource reads validators with their proposer priorities.
type validatorSource interface {
	at(height int64) (*types.ValidatorSet, error)
	lastChanged(height int64) (int64, error)
}

func newAbsentProposers(
	settings *cmtcfg.ConsensusConfig, source validatorSource, own types.Address, log *slog.Logger,
) *absentProposers {
	return &absentProposers{settings: settings, source: source, own: own, log: log, missed: make(map[string]int)}
}

// executed records which validators signed the previous block and which of them missed their turns before a block was decided.
func (a *absentProposers) executed(block *abci.RequestFinalizeBlock) {
	for i := range block.DecidedLastCommit.Votes {
		if vote := &block.DecidedLastCommit.Votes[i]; vote.BlockIdFlag != cmtproto.BlockIDFlagAbsent {
			delete(a.missed, string(vote.Validator.Address))
		}
	}
	if a.height == block.Height {
		for _, address := range skipped(a.set, block.ProposerAddress) {
			a.missed[address]++
		}
		delete(a.missed, string(block.ProposerAddress))
	}
	a.last = block.Height
}

// skipped returns the proposers of the rounds before the one of the proposer of a block, each once.
func skipped(set *types.ValidatorSet, proposer types.Address) []string {
	var before []string
	turns := set.Copy()
	for range 2 * set.Size() {
		next := turns.GetProposer().Address
		if bytes.Equal(next, proposer) {
			return before
		}
		if !slices.Contains(before, string(next)) {
			before = append(before, string(next))
		}
		turns.IncrementProposerPriority(1)
	}
	return nil
}

// committed sets the timeouts of the first round after the executed block.
func (a *absentProposers) committed() {
	set, err := a.validators(a.last + 1)
	if err != nil {
		a.log.Debug("the next proposer is unknown", "height", a.last+1, "error", err)
		a.height, a.set = 0, nil
		setTimeouts(a.settings)
		return
	}
	a.height, a.set = a.last+1, set
	for address := range a.missed {
		if !set.HasAddress([]byte(address)) {
			delete(a.missed, address) // no validator any more
		}
	}
	a.expectProposal(0)
	a.expectPrecommits(0)
}

// validators returns the validators of a height, mostly by one increment of those of the height before.
func (a *absentProposers) validators(height int64) (*types.ValidatorSet, error) {
	changed, err := a.source.lastChanged(height)
	if err != nil {
		return nil, err
	}
	if a.height == height-1 && changed < height {
		return a.set.CopyIncrementProposerPriority(1), nil
	}
	return a.source.at(height)
}

// expectProposal sets the timeout of the proposal of a round. If CometBFT skips rounds, it grows with those skipped.
func (a *absentProposers) expectProposal(round int32) {
	a.settings.TimeoutPropose = proposeTimeout
	if a.isAbsentIn(round) {
		a.settings.TimeoutPropose = absentProposeTimeout - proposeDelta*time.Duration(round) // CometBFT adds it
	}
}

// expectPrecommits sets the timeout of the precommits of a round, likewise.
func (a *absentProposers) expectPrecommits(round int32) {
	a.settings.TimeoutPrecommit = voteTimeout
	if a.isAbsentIn(round) {
		a.settings.TimeoutPrecommit = absentVoteTimeout - voteDelta*time.Duration(round) // CometBFT adds it
	}
}

// isAbsentIn reports whether the proposer of a round of the next height is absent.
func (a *absentProposers) isAbsentIn(round int32) bool {
	turn := a.set
	if round > 0 {
		turn = turn.CopyIncrementProposerPriority(round)
	}
	return a.isAbsent(turn.GetProposer().Address)
}

func (a *absentProposers) isAbsent(address types.Address) bool {
	missed := a.missed[string(address)]
	return missed >= absentAfter && missed%retryInterval != 0 && !bytes.Equal(address, a.own)
}

// signed sets the timeouts that follow a vote of this validator: after a prevote that of the precommits of the round, and
// after a precommit for no block that of the next proposal.
func (a *absentProposers) signed(vote *cmtproto.Vote) {
	switch {
	case vote.Height != a.height:
	case vote.Type == cmtproto.PrevoteType:
		a.expectPrecommits(vote.Round)
	case vote.Type == cmtproto.PrecommitType && len(vote.BlockID.Hash) == 0:
		a.expectProposal(vote.Round + 1)
	}
}

// observedValidator is the key of a validator. It reports votes.
type observedValidator struct {
	types.PrivValidator

	absent *absentProposers
}

// SignVote signs a vote, in the goroutine that decides blocks.
func (v *observedValidator) SignVote(chainID string, vote *cmtproto.Vote) error {
	err := v.PrivValidator.SignVote(chainID, vote)
	if err == nil && v.absent != nil {
		v.absent.signed(vote)
	}
	return err
}
