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

// Why light blocks are not believed.
var (
	// ErrSeed says that they do not certify what they should.
	ErrCheckpoint = errors.New("headers do not certify the state")
	// ErrOtherValidators says that genesis does not tell who signed them.
	ErrOtherValidators = errors.New("signed by other validators than those of genesis")
)

// Seed is what an engine needs to go on after a block that it has not seen: the header of that block with the
// signatures on it, the next header, which has the root after it, and the one to follow when it has other validators.
type Checkpoint struct {
	document      *types.GenesisDoc
	last, current *types.LightBlock
	next          *types.LightBlock // nil when its validators are those of current
}

// ParseSeed reads the light blocks of a block and of the next one, and of the one after that if the validators changed
// there. They must be of the chain and build on one another, and be signed by the validators they name. Whether these
// are the validators of the chain is for VerifyGenesis and VerifyHash to say.
func ParseCheckpoint(lightBlocks [][]byte, of *genesis.Genesis) (seed *Checkpoint, err error) {
	defer recovered(&err)
	if len(lightBlocks) < 2 || len(lightBlocks) > 3 {
		return nil, fmt.Errorf("%w: there are %d of them", ErrCheckpoint, len(lightBlocks))
	}
	document, err := newDocument(of)
	if err != nil {
		return nil, err
	}
	chain := make([]*types.LightBlock, len(lightBlocks))
	for i, encoded := range lightBlocks {
		if chain[i], err = parseLight(encoded, of.ChainID); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrCheckpoint, err)
		}
		if i > 0 {
			err = checkFollows(chain[i-1], chain[i])
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrCheckpoint, err)
		}
	}
	seed = &Checkpoint{document: document, last: chain[0], current: chain[1]}
	if len(chain) > 2 {
		seed.next = chain[2]
	}
	if err := seed.check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	return seed, nil
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
	// The engine reads the signatures once more, all of them, and does not bear a wrong one.
	err = types.VerifyCommit(chainID, light.ValidatorSet, light.Commit.BlockID, light.Height, light.Commit)
	if err != nil {
		return nil, fmt.Errorf("block %d: %w", light.Height, err)
	}
	return light, nil
}

// checkFollows checks that a block builds on another, and has the validators that the other one says.
func checkFollows(before, after *types.LightBlock) error {
	switch {
	case after.Height != before.Height+1:
		return fmt.Errorf("block %d does not follow block %d", after.Height, before.Height)
	case !after.LastBlockID.Equals(before.Commit.BlockID):
		return fmt.Errorf("block %d builds on another block %d", after.Height, before.Height)
	case !bytes.Equal(after.ValidatorsHash, before.NextValidatorsHash):
		return fmt.Errorf("block %d has other validators than block %d says", after.Height, before.Height)
	default:
		return nil
	}
}

// check compares the headers with what the chain began with.
func (s *Checkpoint) check() error {
	switch {
	case s.next == nil && !bytes.Equal(s.current.ValidatorsHash, s.current.NextValidatorsHash):
		return fmt.Errorf("the validators of block %d are missing", s.current.Height+1)
	case !bytes.Equal(s.current.ConsensusHash, s.document.ConsensusParams.Hash()):
		return fmt.Errorf("block %d has other limits than genesis", s.current.Height)
	case len(s.current.AppHash) != ident.HashSize:
		return fmt.Errorf("block %d has a root of %d bytes", s.current.Height, len(s.current.AppHash))
	default:
		return nil
	}
}

// Height is that of the block after which an engine would go on.
func (s *Checkpoint) Height() uint64 { return uint64(s.last.Height) }

// Root is the root of the state after that block.
func (s *Checkpoint) Root() ident.Hash { return ident.Hash(s.current.AppHash) }

// Certifier is the block whose header has that root, and the hash of the header.
func (s *Checkpoint) CertifyingBlock() (number uint64, hash ident.Hash) {
	return uint64(s.current.Height), ident.Hash(s.current.Hash())
}

// VerifyGenesis checks that the validators who signed are those of genesis.
func (s *Checkpoint) VerifyGenesis() error {
	for _, light := range []*types.LightBlock{s.last, s.current} {
		if !bytes.Equal(light.ValidatorsHash, s.document.ValidatorHash()) {
			return fmt.Errorf("%w: block %d is %w", ErrCheckpoint, light.Height, ErrOtherValidators)
		}
	}
	return nil
}

// VerifyHash checks that the block of a number has a hash. All the others follow from it: those before it by its
// header, and the next one by the validators that it names.
func (s *Checkpoint) VerifyHash(number uint64, hash ident.Hash) error {
	for _, light := range []*types.LightBlock{s.last, s.current} {
		if uint64(light.Height) != number {
			continue
		}
		if ident.Hash(light.Hash()) != hash {
			return fmt.Errorf("%w: block %d has the hash %x, trusted is %x", ErrCheckpoint, number, []byte(light.Hash()), hash)
		}
		return nil
	}
	return fmt.Errorf("%w: there is none of block %d, only of %d and %d", ErrCheckpoint, number, s.last.Height, s.current.Height)
}
