package finality

import (
	"time"

	"github.com/cometbft/cometbft/types"
	cmttime "github.com/cometbft/cometbft/types/time"

	"makechain/proof"
)

// VoteTime returns when the validators voted for a light block that Verify has accepted: the median of the times that they signed,
// weighted by their power. If validators with less than a third of the power are faulty, it is between two times of correct ones,
// whichever votes the node that returned the block has left out. It verifies all signatures, also those that Verify does not need.
func VoteTime(lightBlock []byte) (time.Time, error) {
	block, err := decode(lightBlock)
	if err != nil {
		return time.Time{}, err
	}
	if err := block.ValidateBasic(block.ChainID); err != nil {
		return time.Time{}, &proof.StepError{Step: StepHeader, Err: err}
	}
	err = types.VerifyCommitLightAllSignatures(block.ChainID, block.ValidatorSet, block.Commit.BlockID, block.Height, block.Commit)
	if err != nil {
		return time.Time{}, &proof.StepError{Step: StepSignatures, Err: err}
	}
	var times []*cmttime.WeightedTime
	total := int64(0)
	for i, vote := range block.Commit.Signatures {
		if vote.BlockIDFlag == types.BlockIDFlagCommit {
			power := block.ValidatorSet.Validators[i].VotingPower // signatures are in the order of the validators
			times, total = append(times, cmttime.NewWeightedTime(vote.Timestamp, power)), total+power
		}
	}
	return cmttime.WeightedMedian(times, total), nil
}
