package finality_test

import (
	"crypto/sha256"
	"slices"
	"testing"
	"time"

	"github.com/cometbft/cometbft/crypto/ed25519"
	cmtproto "github.com/cometbft/cometbft/proto/tendermint/types"
	cmtversion "github.com/cometbft/cometbft/proto/tendermint/version"
	"github.com/cometbft/cometbft/types"
	"github.com/cometbft/cometbft/version"

	"makechain/proof/finality"
)

const chainID = "makechain-test"

// chain makes light blocks of a chain whose validator keys the test has.
type chain struct {
	id         string
	validators *types.ValidatorSet
	keys       map[string]ed25519.PrivKey // by address
}

// newChain returns a chain with one validator for each power. The seed determines their keys.
func newChain(seed string, powers ...int64) *chain {
	c := &chain{id: chainID, keys: make(map[string]ed25519.PrivKey)}
	var validators []*types.Validator
	for i, power := range powers {
		key := ed25519.GenPrivKeyFromSecret([]byte{byte(i), byte(len(seed)), seed[0]})
		validators = append(validators, types.NewValidator(key.PubKey(), power))
		c.keys[string(key.PubKey().Address())] = key
	}
	c.validators = types.NewValidatorSet(validators)
	return c
}

func (c *chain) trust() finality.Trust {
	return finality.Trust{ChainID: c.id, ValidatorsHash: c.validators.Hash()}
}

// header returns the header of the block after number, with root as the app hash of number.
func (c *chain) header(number uint64, root []byte) *types.Header {
	digest := func(of string) []byte {
		hash := sha256.Sum256([]byte(of))
		return hash[:]
	}
	return &types.Header{
		Version:            cmtversion.Consensus{Block: version.BlockProtocol},
		ChainID:            c.id,
		Height:             int64(number) + 1,
		Time:               time.Unix(1_700_000_000, 0).UTC(),
		LastBlockID:        blockID(digest("last block")),
		LastCommitHash:     digest("last commit"),
		DataHash:           digest("data"),
		ValidatorsHash:     c.validators.Hash(),
		NextValidatorsHash: c.validators.Hash(),
		ConsensusHash:      digest("consensus"),
		AppHash:            root,
		LastResultsHash:    digest("results"),
		EvidenceHash:       digest("evidence"),
		ProposerAddress:    c.validators.Validators[0].Address,
	}
}

func blockID(hash []byte) types.BlockID {
	parts := sha256.Sum256([]byte("parts"))
	return types.BlockID{Hash: hash, PartSetHeader: types.PartSetHeader{Total: 1, Hash: parts[:]}}
}

// sign returns the light block of a header, signed by the first signers validators.
func (c *chain) sign(t testing.TB, header *types.Header, signers int) *types.LightBlock {
	t.Helper()
	return c.signAt(t, header, slices.Repeat([]time.Time{header.Time}, signers)...)
}

// signAt returns the light block of a header, signed by as many of the first validators as there are times, at these times.
func (c *chain) signAt(t testing.TB, header *types.Header, times ...time.Time) *types.LightBlock {
	t.Helper()
	commit := &types.Commit{Height: header.Height, BlockID: blockID(header.Hash())}
	for i, validator := range c.validators.Validators {
		if i >= len(times) {
			commit.Signatures = append(commit.Signatures, types.NewCommitSigAbsent())
			continue
		}
		vote := &cmtproto.Vote{
			Type: cmtproto.PrecommitType, Height: header.Height, BlockID: commit.BlockID.ToProto(), Timestamp: times[i],
			ValidatorAddress: validator.Address, ValidatorIndex: int32(i),
		}
		signature, err := c.keys[string(validator.Address)].Sign(types.VoteSignBytes(header.ChainID, vote))
		if err != nil {
			t.Fatal(err)
		}
		commit.Signatures = append(commit.Signatures, types.CommitSig{
			BlockIDFlag: types.BlockIDFlagCommit, ValidatorAddress: validator.Address, Timestamp: times[i], Signature: signature,
		})
	}
	return &types.LightBlock{SignedHeader: &types.SignedHeader{Header: header, Commit: commit}, ValidatorSet: c.validators.Copy()}
}

func encode(t testing.TB, block *types.LightBlock) []byte {
	t.Helper()
	message, err := block.ToProto()
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := message.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}
