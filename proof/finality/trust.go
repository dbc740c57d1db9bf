package finality

import (
	"fmt"

	"github.com/cometbft/cometbft/types"

	"makechain/proof"
)

// firstBlock is the one that the validators of genesis sign.
const firstBlock = 1

// TrustGenesis takes the trust of a chain from its genesis file, as nodes keep it. Its validators sign the first
// blocks; later ones can be followed from there.
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
			return Trust{}, fmt.Errorf("genesis: validator %d is there twice", i)
		}
		seen[key] = true
		total += v.Power
	}
	return Trust{ChainID: genesis.ChainID, ValidatorsHash: genesis.ValidatorHash(), Number: firstBlock}, nil
}

// TrustLightBlock takes the trust of a chain from a light block: that of whoever hands it over. It is for a
// client that meets a chain for the first time and keeps what it gets. The validators it names must have signed it.
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
