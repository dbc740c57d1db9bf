// Package finality verifies that the validators of a chain signed a state root: the last step of a proof (P11.2).
//
// The root after block N is in the header of block N+1, which the validators sign. Verify checks that header and its
// signatures against a validator set that the caller trusts, and returns the root, against which package proof verifies
// rows. A client therefore does not have to trust the node it queries.
//
// The trusted set must be that of block N+1. LightClient follows changes of the set from a trusted block, with the
// verification of CometBFT's light client, over light blocks from untrusted providers. Verify does not check the age of
// a header; LightClient does. This package is separate from proof because CometBFT's types import gRPC; it does no I/O.
//
// Invariants: a root is returned only if more than two thirds of the trusted voting power signed its header;
// sizes and counts are bounded before signatures are checked; no input makes Verify panic.
package finality

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	cmtproto "github.com/cometbft/cometbft/proto/tendermint/types"
	"github.com/cometbft/cometbft/types"

	"makechain/proof"
)

const (
	// MaxValidators is the maximum number of validators in a light block.
	MaxValidators = 1000
	// MaxLightBlockSize is the maximum size of a light block, in bytes: enough for MaxValidators.
	MaxLightBlockSize = 256 << 10
)

// Steps of Verify, besides proof.StepBounds, StepEncoding and StepRoot.
const (
	StepChain      = "chain"      // header of another chain
	StepHeight     = "height"     // header of another block
	StepHeader     = "header"     // header, commit and validator set do not match
	StepValidators = "validators" // not the trusted validator set
	StepPower      = "power"      // the signatures have too little voting power
	StepSignatures = "signatures" // a signature is invalid or not of a validator
)

// Trust is a validator set that a client trusts.
type Trust struct {
	ChainID string
	// ValidatorsHash is CometBFT's hash of the validator set, over public keys and voting powers.
	ValidatorsHash []byte
	// Number is the number of a block that this set signs, where a light client can start; 0 when unknown.
	Number uint64
}

// Verify verifies that lightBlock, a CometBFT light block as GetFinalizedRoot returns it, certifies the state after block
// number, and returns the root of that state.
func Verify(lightBlock []byte, number uint64, trust Trust) (root [32]byte, err error) {
	block, err := decode(lightBlock)
	if err != nil {
		return root, err
	}
	if block.ChainID != trust.ChainID {
		return root, failed(StepChain, "header is of chain %q, not %q", block.ChainID, trust.ChainID)
	}
	if number >= math.MaxInt64 || uint64(block.Height) != number+1 { // a valid header's height is positive
		return root, failed(StepHeight, "root after block %d is certified by the next header, not by %d", number, block.Height)
	}
	if err := block.ValidateBasic(trust.ChainID); err != nil {
		return root, &proof.StepError{Step: StepHeader, Err: err}
	}
	if !bytes.Equal(block.ValidatorsHash, trust.ValidatorsHash) {
		return root, failed(StepValidators, "header names validators %X, trusted are %X", block.ValidatorsHash, trust.ValidatorsHash)
	}
	if err := verifyCommit(block, trust.ChainID); err != nil {
		return root, err
	}
	if len(block.AppHash) != len(root) {
		return root, failed(proof.StepRoot, "header has a root of %d bytes", len(block.AppHash))
	}
	copy(root[:], block.AppHash)
	return root, nil
}

// decode decodes a light block and checks that it is complete.
func decode(encoded []byte) (*types.LightBlock, error) {
	if len(encoded) > MaxLightBlockSize {
		return nil, failed(proof.StepBounds, "light block has %d bytes, at most %d", len(encoded), MaxLightBlockSize)
	}
	message := new(cmtproto.LightBlock)
	if err := message.Unmarshal(encoded); err != nil {
		return nil, &proof.StepError{Step: proof.StepEncoding, Err: err}
	}
	if message.SignedHeader == nil || message.SignedHeader.Header == nil || message.SignedHeader.Commit == nil || message.ValidatorSet == nil {
		return nil, failed(proof.StepEncoding, "light block lacks its header, commit or validators")
	}
	signatures, validators := len(message.SignedHeader.Commit.Signatures), len(message.ValidatorSet.Validators)
	if signatures > MaxValidators || validators > MaxValidators {
		return nil, failed(proof.StepBounds, "%d signatures and %d validators, at most %d", signatures, validators, MaxValidators)
	}
	block, err := types.LightBlockFromProto(message)
	if err != nil {
		return nil, &proof.StepError{Step: proof.StepEncoding, Err: err}
	}
	return block, nil
}

func verifyCommit(block *types.LightBlock, chainID string) error {
	err := types.VerifyCommitLight(chainID, block.ValidatorSet, block.Commit.BlockID, block.Height, block.Commit)
	if err == nil {
		return nil
	}
	step := StepSignatures
	if short := (types.ErrNotEnoughVotingPowerSigned{}); errors.As(err, &short) {
		step = StepPower
	}
	return &proof.StepError{Step: step, Err: err}
}

func failed(step, format string, args ...any) error {
	return &proof.StepError{Step: step, Err: fmt.Errorf(format, args...)}
}
