package comet

import (
	"bytes"

	"github.com/cometbft/cometbft/types"
)

// turns are the validators of the last block, of the current one and of the next, with whose turn it is to propose.
// Nobody signs that. What the light blocks say of it is taken when it fits together. Else it is worked out from genesis,
// which can be done for validators that never changed. If it is wrong in spite of that, this node refuses proposals, and
// follows what the others decide without it.
func (s *Checkpoint) validatorSets() [3]*types.ValidatorSet {
	told := [3]*types.ValidatorSet{s.last.ValidatorSet, s.current.ValidatorSet, nil}
	if s.next != nil {
		told[2] = s.next.ValidatorSet
	} else {
		told[2] = s.current.ValidatorSet.CopyIncrementProposerPriority(1)
	}
	if isNext(told[0], told[1]) && isNext(told[1], told[2]) {
		return told
	}
	for i, set := range told {
		if began := s.genesisValidators(); bytes.Equal(set.Hash(), began.Hash()) {
			told[i] = atHeight(began, s.last.Height+int64(i)-s.document.InitialHeight)
		}
	}
	return told
}

// began are the validators of genesis.
func (s *Checkpoint) genesisValidators() *types.ValidatorSet {
	var began []*types.Validator
	for _, validator := range s.document.Validators {
		began = append(began, types.NewValidator(validator.PubKey, validator.Power))
	}
	return types.NewValidatorSet(began)
}

// atHeight is a set so many heights later.
func atHeight(set *types.ValidatorSet, later int64) *types.ValidatorSet {
	if later <= 0 {
		return set
	}
	return set.CopyIncrementProposerPriority(int32(later))
}

// isNext says whether the turns of a set are those that come after the turns of another. Between different validators
// nobody can tell.
func isNext(before, after *types.ValidatorSet) bool {
	if !bytes.Equal(before.Hash(), after.Hash()) {
		return true
	}
	want := before.CopyIncrementProposerPriority(1)
	for i, validator := range after.Validators {
		if validator.ProposerPriority != want.Validators[i].ProposerPriority {
			return false
		}
	}
	return bytes.Equal(after.Proposer.Address, want.Proposer.Address)
}
