package finality

import (
	"fmt"

	"github.com/cometbft/cometbft/types"

	"makechain/proof"
)

// firstBlock is signed by the validators of the genesis file.
const firstBlock = 1

// TrustGenesis returns the validator set of a genesis file, as nodes store it. It signs the first blocks; a light client
// can follow later changes from there.
func TrustGenesis(document []byte) (Trust, error) {
	genesis, err := types.GenesisDocFromJSON(document)
	if err != nil {
		return Trust{}, fmt.Errorf("genesis: %w", err)
	}
	if len(genesis.Validators) == 0 || len(genesis.Validators) > MaxValidators {
		return Trust{}, fmt.Errorf("genesis has %d validators, want 1 to %d", len(genesis.Validators), MaxValidators)
	}
	total, seen := int64(0), map[string]bool{}
	for i, v := range genesis.Validators {
		if v.Power <= 0 || v.Power > types.MaxTotalVotingPower-total {
			return Trust{}, fmt.Errorf("genesis: voting power %d of validator %d is out of bounds", v.Power, i)
		}
		key := string(v.PubKey.Bytes())
		if seen[key] {
			return Trust{}, fmt.Errorf("genesis: validator %d is duplicated", i)
		}
		seen[key] = true
		total += v.Power
	}
	return Trust{ChainID: genesis.ChainID, ValidatorsHash: genesis.ValidatorHash(), Number: firstBlock}, nil
}

// TrustLightBlock returns the validator set of a light block, which must have signed it. It is for clients that trust a
// chain on first use: the caller trusts whoever supplied the block.
func TrustLightBlock(lightBlock []byte) (Trust, error) {
	block, err := decode(lightBlock)
	if err != nil {
		return Trust{}, err
	}
	if err := block.ValidateBasic(block.ChainID); err != nil {
		return Trust{}, &proof.StepError{Step: StepHeader, Err: err}
	}
	if err := verifyCommit(block, block.ChainID); err != nil {
		return Trust{}, err
	}
	return Trust{ChainID: block.ChainID, ValidatorsHash: block.ValidatorsHash, Number: uint64(block.Height)}, nil
}
