package comet

import (
	"bytes"
	"errors"
	"fmt"

	cmtproto "github.com/cometbft/cometbft/proto/tendermint/types"
	"github.com/cometbft/cometbft/types"

	"makechain/internal/genesis"
	"makechain/internal/ident"
)

// Reasons for which light blocks are refused.
var (
	// ErrCheckpoint is returned for light blocks that do not certify a state.
	ErrCheckpoint = errors.New("light blocks do not certify the state")
	// ErrOtherValidators is returned by VerifyGenesis when the validators changed since genesis.
	ErrOtherValidators = errors.New("signed by validators other than those of genesis")
)

// Checkpoint is what an engine needs to continue after a block that it has not executed: the light block of that block, the
// light block of the next one, whose header contains the root, and the one after it if its validators are different.
type Checkpoint struct {
	document      *types.GenesisDoc
	last, current *types.LightBlock
	next          *types.LightBlock // nil when its validators are those of current
}

// ParseCheckpoint decodes the light blocks of a block and of the next one, and of the one after that if the validators
// changed there. They must belong to the chain, follow each other, and be signed by the validators they contain.
// VerifyGenesis or VerifyHash checks that these are the validators of the chain.
func ParseCheckpoint(lightBlocks [][]byte, g *genesis.Genesis) (checkpoint *Checkpoint, err error) {
	defer recovered(&err)
	if len(lightBlocks) < 2 || len(lightBlocks) > 3 {
		return nil, fmt.Errorf("%w: there are %d, want 2 or 3", ErrCheckpoint, len(lightBlocks))
	}
	document, err := newDocument(g)
	if err != nil {
		return nil, err
	}
	chain := make([]*types.LightBlock, len(lightBlocks))
	for i, encoded := range lightBlocks {
		if chain[i], err = parseLight(encoded, g.ChainID); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrCheckpoint, err)
		}
		if i > 0 {
			err = checkFollows(chain[i-1], chain[i])
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrCheckpoint, err)
		}
	}
	c := &Checkpoint{document: document, last: chain[0], current: chain[1]}
	if len(chain) > 2 {
		c.next = chain[2]
	}
	switch {
	case c.next == nil && !bytes.Equal(c.current.ValidatorsHash, c.current.NextValidatorsHash):
		return nil, fmt.Errorf("%w: the validators of block %d are missing", ErrCheckpoint, c.current.Height+1)
	case !bytes.Equal(c.current.ConsensusHash, document.ConsensusParams.Hash()):
		return nil, fmt.Errorf("%w: block %d has consensus parameters other than those of genesis", ErrCheckpoint, c.current.Height)
	case len(c.current.AppHash) != ident.HashSize:
		return nil, fmt.Errorf("%w: block %d has an app hash of %d bytes", ErrCheckpoint, c.current.Height, len(c.current.AppHash))
	}
	return c, nil
}

func parseLight(encoded []byte, chainID string) (*types.LightBlock, error) {
	message := new(cmtproto.LightBlock)
	if err := message.Unmarshal(encoded); err != nil {
		return nil, err
	}
	light, err := types.LightBlockFromProto(message)
	if err != nil {
		return nil, err
	}
	if err := light.ValidateBasic(chainID); err != nil {
		return nil, err
	}
	// The engine verifies all signatures again when it starts, and panics at an invalid one.
	err = types.VerifyCommit(chainID, light.ValidatorSet, light.Commit.BlockID, light.Height, light.Commit)
	if err != nil {
		return nil, fmt.Errorf("block %d: %w", light.Height, err)
	}
	return light, nil
}

// checkFollows checks that a block follows another, and has the validators that the other one announces.
func checkFollows(before, after *types.LightBlock) error {
	switch {
	case after.Height != before.Height+1:
		return fmt.Errorf("block %d does not follow block %d", after.Height, before.Height)
	case !after.LastBlockID.Equals(before.Commit.BlockID):
		return fmt.Errorf("block %d follows a different block %d", after.Height, before.Height)
	case !bytes.Equal(after.ValidatorsHash, before.NextValidatorsHash):
		return fmt.Errorf("block %d has validators other than those that block %d announces", after.Height, before.Height)
	default:
		return nil
	}
}

// Height returns the height of the block after which the engine continues.
func (c *Checkpoint) Height() uint64 { return uint64(c.last.Height) }

// Root returns the root of the state after that block.
func (c *Checkpoint) Root() ident.Hash { return ident.Hash(c.current.AppHash) }

// CertifyingBlock returns the block whose header contains the root, and the hash of that header.
func (c *Checkpoint) CertifyingBlock() (number uint64, hash ident.Hash) {
	return uint64(c.current.Height), ident.Hash(c.current.Hash())
}

// VerifyGenesis checks that the validators of genesis signed the light blocks.
func (c *Checkpoint) VerifyGenesis() error {
	for _, light := range []*types.LightBlock{c.last, c.current} {
		if !bytes.Equal(light.ValidatorsHash, c.document.ValidatorHash()) {
			return fmt.Errorf("%w: block %d is %w", ErrCheckpoint, light.Height, ErrOtherValidators)
		}
	}
	return nil
}

// VerifyHash checks that the block of a number has a hash. This verifies the other light blocks as well: earlier ones by
// the hash in the header, and the next one by the validators that the header announces.
func (c *Checkpoint) VerifyHash(number uint64, hash ident.Hash) error {
	for _, light := range []*types.LightBlock{c.last, c.current} {
		if uint64(light.Height) != number {
			continue
		}
		if ident.Hash(light.Hash()) != hash {
			return fmt.Errorf("%w: block %d has hash %x, but %x is trusted", ErrCheckpoint, number, []byte(light.Hash()), hash)
		}
		return nil
	}
	return fmt.Errorf("%w: block %d is not one of them, only %d and %d", ErrCheckpoint, number, c.last.Height, c.current.Height)
}

// validatorSets returns the validators of the last, the current and the next block with their proposer priorities.
//
// Proposer priorities are not signed. Those in the light blocks are used if they are consistent. Otherwise they are computed
// from genesis, which is possible for validators that never changed. If they are wrong all the same, this node refuses
// proposals and follows the blocks that the others decide.
func (c *Checkpoint) validatorSets() [3]*types.ValidatorSet {
	sets := [3]*types.ValidatorSet{c.last.ValidatorSet, c.current.ValidatorSet, nil}
	if c.next != nil {
		sets[2] = c.next.ValidatorSet
	} else {
		sets[2] = c.current.ValidatorSet.CopyIncrementProposerPriority(1)
	}
	if areConsecutive(sets[0], sets[1]) && areConsecutive(sets[1], sets[2]) {
		return sets
	}
	var validators []*types.Validator
	for _, validator := range c.document.Validators {
		validators = append(validators, types.NewValidator(validator.PubKey, validator.Power))
	}
	first := types.NewValidatorSet(validators)
	for i, set := range sets {
		if !bytes.Equal(set.Hash(), first.Hash()) {
			continue
		}
		sets[i] = first.Copy()
		if rounds := c.last.Height + int64(i) - c.document.InitialHeight; rounds > 0 {
			sets[i] = first.CopyIncrementProposerPriority(int32(rounds))
		}
	}
	return sets
}

// areConsecutive reports whether the proposer priorities of two sets are those of consecutive heights. Between different
// validators they cannot be compared, and it returns true.
func areConsecutive(before, after *types.ValidatorSet) bool {
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
