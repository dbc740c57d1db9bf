package vectors

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/cometbft/cometbft/crypto/ed25519"
	cmtproto "github.com/cometbft/cometbft/proto/tendermint/types"
	cmtversion "github.com/cometbft/cometbft/proto/tendermint/version"
	"github.com/cometbft/cometbft/types"
	"github.com/cometbft/cometbft/version"

	"makechain/proof"
	"makechain/proof/finality"
)

// lightChain is the id of the chain of the light blocks.
const lightChain = "vectors-light-1"

// lightFile is the file of light blocks. Blocks are by number, from block 1 on.
type lightFile struct {
	ChainID  string        `json:"chain_id"`
	Now      int64         `json:"now"` // the time of verification, in seconds
	Blocks   []hexBytes    `json:"blocks"`
	Verified []lightVector `json:"verified"`
	Followed []lightFollow `json:"followed"`
}

// lightVector is a light block that is verified against the validators of a block.
type lightVector struct {
	Name       string   `json:"name"`
	Trusted    int      `json:"trusted"` // the number of the block whose validators are trusted
	Number     uint64   `json:"number"`  // the number that the block should have
	LightBlock hexBytes `json:"light_block"`
	Root       hexBytes `json:"root,omitempty"` // the root in it when it is valid
	Step       string   `json:"step,omitempty"` // the step that fails otherwise
}

// lightFollow is a block that is reached from a trusted one over changes of the validators.
type lightFollow struct {
	Name string `json:"name"`
	From uint64 `json:"from"`
	To   uint64 `json:"to"`
	// Replaced are blocks that the node returns instead of those of the chain, by number.
	Replaced map[string]hexBytes `json:"replaced,omitempty"`
	Step     string              `json:"step,omitempty"`
}

// lightMaker makes light blocks whose validators change.
type lightMaker struct {
	t      *testing.T
	blocks []*types.LightBlock
}

// lightSet returns validators by their numbers, each with a power of 10 times its position.
func lightSet(numbers ...int) *types.ValidatorSet {
	var set []*types.Validator
	for i, number := range numbers {
		set = append(set, types.NewValidator(lightKey(number).PubKey(), int64(10*(i+1))))
	}
	return types.NewValidatorSet(set)
}

func lightKey(number int) ed25519.PrivKey {
	return ed25519.GenPrivKeyFromSecret([]byte("light validator " + strconv.Itoa(number)))
}

func lightHash(of string) []byte {
	hash := sha256.Sum256([]byte(of))
	return hash[:]
}

// lightStart is the time of block 1. Blocks are one second apart.
var lightStart = time.Unix(1_700_000_000, 123_456_789).UTC()

// add adds the next block: the header that set signs and that names the validators after it.
func (m *lightMaker) add(set, next *types.ValidatorSet) {
	number := int64(len(m.blocks)) + 1
	header := &types.Header{
		Version: cmtversion.Consensus{Block: version.BlockProtocol, App: 1}, ChainID: lightChain, Height: number,
		Time: lightStart.Add(time.Duration(number) * time.Second), LastCommitHash: lightHash("last commit"), DataHash: lightHash("data"),
		ValidatorsHash: set.Hash(), NextValidatorsHash: next.Hash(), ConsensusHash: lightHash("consensus"),
		AppHash: lightHash("root " + strconv.FormatInt(number, 10)), LastResultsHash: lightHash("results"), EvidenceHash: lightHash("evidence"),
		ProposerAddress: set.Validators[0].Address,
	}
	if number > 1 {
		header.LastBlockID = m.blocks[number-2].Commit.BlockID
	}
	m.blocks = append(m.blocks, signLight(m.t, header, set, len(set.Validators)))
}

// signLight returns the light block of a header that the first signers of a set sign.
func signLight(t *testing.T, header *types.Header, set *types.ValidatorSet, signers int) *types.LightBlock {
	t.Helper()
	id := types.BlockID{Hash: header.Hash(), PartSetHeader: types.PartSetHeader{Total: 1, Hash: lightHash("parts")}}
	commit := &types.Commit{Height: header.Height, Round: 1, BlockID: id}
	for i, validator := range set.Validators {
		if i >= signers {
			commit.Signatures = append(commit.Signatures, types.NewCommitSigAbsent())
			continue
		}
		vote := &cmtproto.Vote{
			Type: cmtproto.PrecommitType, Height: header.Height, Round: commit.Round, BlockID: id.ToProto(),
			Timestamp: header.Time.Add(time.Duration(i) * time.Millisecond), ValidatorAddress: validator.Address, ValidatorIndex: int32(i),
		}
		signature, err := keyOf(validator).Sign(types.VoteSignBytes(header.ChainID, vote))
		if err != nil {
			t.Fatal(err)
		}
		commit.Signatures = append(commit.Signatures, types.CommitSig{
			BlockIDFlag: types.BlockIDFlagCommit, ValidatorAddress: validator.Address, Timestamp: vote.Timestamp, Signature: signature,
		})
	}
	return &types.LightBlock{SignedHeader: &types.SignedHeader{Header: header, Commit: commit}, ValidatorSet: set.Copy()}
}

// lightKeys is the number of validators that occur in the chain.
const lightKeys = 20

func keyOf(validator *types.Validator) ed25519.PrivKey {
	for number := range lightKeys {
		if key := lightKey(number); bytes.Equal(key.PubKey().Address(), validator.Address) {
			return key
		}
	}
	return nil
}

func encodeLight(t *testing.T, block *types.LightBlock) []byte {
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

// newLightChain returns a chain of 12 blocks: one validator of four changes at block 4, three of four at block 7, all at block 10.
func newLightChain(t *testing.T) *lightMaker {
	t.Helper()
	m := &lightMaker{t: t}
	sets := []*types.ValidatorSet{lightSet(0, 1, 2, 3), lightSet(0, 1, 2, 4), lightSet(4, 5, 6, 7), lightSet(8, 9, 10, 11)}
	of := func(number int) *types.ValidatorSet { return sets[min((number-1)/3, len(sets)-1)] }
	for number := 1; number <= 12; number++ {
		m.add(of(number), of(number+1))
	}
	return m
}

// altered returns a light block after a change, signed again by as many of its validators as given; -1 keeps its signatures.
func (m *lightMaker) altered(number, signers int, change func(*types.LightBlock)) []byte {
	m.t.Helper()
	original := m.blocks[number-1]
	header := *original.Header
	commit := *original.Commit
	commit.Signatures = slices.Clone(commit.Signatures)
	block := &types.LightBlock{SignedHeader: &types.SignedHeader{Header: &header, Commit: &commit}, ValidatorSet: original.ValidatorSet.Copy()}
	change(block)
	if signers >= 0 {
		block = signLight(m.t, block.Header, block.ValidatorSet, signers)
	}
	return encodeLight(m.t, block)
}

// lightProvider returns the blocks of a chain, some of them replaced.
type lightProvider struct {
	blocks   [][]byte
	replaced map[string]hexBytes
}

func (p lightProvider) LightBlock(_ context.Context, number uint64) ([]byte, error) {
	if replaced, ok := p.replaced[strconv.FormatUint(number, 10)]; ok {
		return replaced, nil
	}
	if number == 0 || number > uint64(len(p.blocks)) {
		return nil, finality.ErrNotFound
	}
	return p.blocks[number-1], nil
}

// TestLightBlocks generates lightclient.json.
//
// Rules: P11.2.
func TestLightBlocks(t *testing.T) {
	t.Parallel()
	m := newLightChain(t)
	file := lightFile{ChainID: lightChain, Now: lightStart.Unix() + 3600}
	for _, block := range m.blocks {
		file.Blocks = append(file.Blocks, encodeLight(t, block))
	}
	file.Verified = m.verified()
	for i := range file.Verified {
		m.checkVerified(&file.Verified[i])
	}
	file.Followed = m.followed()
	for _, vector := range file.Followed {
		checkFollowed(t, &file, vector)
	}
	golden(t, "lightclient.json", file)
}

// verified returns light blocks of block 2 that are valid or have one fault each, with the step that should fail.
func (m *lightMaker) verified() []lightVector {
	const number = 2
	all := len(m.blocks[number-1].ValidatorSet.Validators)
	valid := encodeLight(m.t, m.blocks[number-1])
	with := func(name, step string, signers int, change func(*types.LightBlock)) lightVector {
		return lightVector{Name: name, Trusted: 1, Number: number, LightBlock: m.altered(number, signers, change), Step: step}
	}
	header := func(name string, change func(*types.Header)) lightVector {
		return with(name, finality.StepHeader, -1, func(b *types.LightBlock) { change(b.Header) })
	}
	flip := func(b []byte) []byte { return append([]byte{b[0] ^ 1}, b[1:]...) }
	keep := func(*types.LightBlock) {}
	list := []lightVector{
		{Name: "valid", Trusted: 1, Number: number, LightBlock: valid},
		{Name: "three of four sign", Trusted: 1, Number: number, LightBlock: m.altered(number, all-1, keep)},
		{Name: "another number", Trusted: 1, Number: number + 1, LightBlock: valid, Step: finality.StepHeight},
		{Name: "other validators", Trusted: 4, Number: number, LightBlock: valid, Step: finality.StepValidators},
		{Name: "no bytes", Trusted: 1, Number: number, Step: proof.StepEncoding},
		{Name: "truncated", Trusted: 1, Number: number, LightBlock: valid[:len(valid)-1], Step: proof.StepEncoding},
		with("too little power", finality.StepPower, 1, keep),
		with("another chain", finality.StepChain, all, func(b *types.LightBlock) { b.ChainID = "vectors-light-2" }),
		with("short root", proof.StepRoot, all, func(b *types.LightBlock) { b.AppHash = b.AppHash[:31] }),
		with("wrong signature", finality.StepSignatures, -1, func(b *types.LightBlock) { b.Commit.Signatures[0].Signature = flip(b.Commit.Signatures[0].Signature) }),
		with("another vote time", finality.StepSignatures, -1, func(b *types.LightBlock) {
			b.Commit.Signatures[0].Timestamp = b.Commit.Signatures[0].Timestamp.Add(1)
		}),
		with("another round", finality.StepSignatures, -1, func(b *types.LightBlock) { b.Commit.Round = 2 }),
		with("other parts", finality.StepSignatures, -1, func(b *types.LightBlock) { b.Commit.BlockID.PartSetHeader.Hash = lightHash("others") }),
		with("signatures in another order", finality.StepSignatures, -1, func(b *types.LightBlock) {
			b.Commit.Signatures[0], b.Commit.Signatures[1] = b.Commit.Signatures[1], b.Commit.Signatures[0]
		}),
		with("a signature too few", finality.StepSignatures, -1, func(b *types.LightBlock) { b.Commit.Signatures = b.Commit.Signatures[:3] }),
		with("a vote for no block", finality.StepPower, -1, func(b *types.LightBlock) {
			for i := range 3 {
				b.Commit.Signatures[i].BlockIDFlag = types.BlockIDFlagNil
			}
		}),
		with("no block protocol", proof.StepEncoding, -1, func(b *types.LightBlock) { b.Version.Block = 10 }),
		with("short hash", proof.StepEncoding, -1, func(b *types.LightBlock) { b.DataHash = b.DataHash[:20] }),
		with("a validator too few", finality.StepHeader, -1, func(b *types.LightBlock) { b.ValidatorSet.Validators = b.ValidatorSet.Validators[:3] }),
		with("more power for one", finality.StepHeader, -1, func(b *types.LightBlock) { b.ValidatorSet.Validators[0].VotingPower++ }),
		with("negative power", proof.StepEncoding, -1, func(b *types.LightBlock) { b.ValidatorSet.Validators[0].VotingPower = -1 }),
		with("address of another key", proof.StepEncoding, -1, func(b *types.LightBlock) {
			b.ValidatorSet.Validators[0].Address = flip(b.ValidatorSet.Validators[0].Address)
		}),
		with("commit of another block", finality.StepHeader, -1, func(b *types.LightBlock) { b.Commit.Height++ }),
		header("another app version", func(h *types.Header) { h.Version.App++ }),
		header("another time", func(h *types.Header) { h.Time = h.Time.Add(1) }),
		header("another block before", func(h *types.Header) { h.LastBlockID.Hash = flip(h.LastBlockID.Hash) }),
		header("other parts of the block before", func(h *types.Header) { h.LastBlockID.PartSetHeader.Total++ }),
		header("another commit before", func(h *types.Header) { h.LastCommitHash = flip(h.LastCommitHash) }),
		header("other transactions", func(h *types.Header) { h.DataHash = flip(h.DataHash) }),
		header("other next validators", func(h *types.Header) { h.NextValidatorsHash = flip(h.NextValidatorsHash) }),
		header("other parameters", func(h *types.Header) { h.ConsensusHash = flip(h.ConsensusHash) }),
		header("another root", func(h *types.Header) { h.AppHash = flip(h.AppHash) }),
		header("other results", func(h *types.Header) { h.LastResultsHash = flip(h.LastResultsHash) }),
		header("other evidence", func(h *types.Header) { h.EvidenceHash = flip(h.EvidenceHash) }),
		header("another proposer", func(h *types.Header) { h.ProposerAddress = flip(h.ProposerAddress) }),
	}
	return list
}

// checkVerified compares a vector with the code and adds the root.
func (m *lightMaker) checkVerified(v *lightVector) {
	m.t.Helper()
	trust := finality.Trust{ChainID: lightChain, ValidatorsHash: m.blocks[v.Trusted-1].ValidatorsHash}
	root, err := finality.Verify(v.LightBlock, v.Number-1, trust)
	if step := failedStep(err); step != v.Step {
		m.t.Errorf("%s: step %q, want %q: %v", v.Name, step, v.Step, err)
	}
	if err == nil {
		v.Root = root[:]
	}
}

func failedStep(err error) string {
	if step := (*proof.StepError)(nil); errors.As(err, &step) {
		return step.Step
	}
	return ""
}

// followed returns blocks that a light client reaches or not.
func (m *lightMaker) followed() []lightFollow {
	forged := func(number int, set *types.ValidatorSet) map[string]hexBytes {
		return map[string]hexBytes{strconv.Itoa(number): m.altered(number, len(set.Validators), func(b *types.LightBlock) {
			b.ValidatorSet, b.ValidatorsHash, b.ProposerAddress = set, set.Hash(), set.Validators[0].Address
		})}
	}
	strangers := lightSet(16, 17, 18, 19)
	return []lightFollow{
		{Name: "the next block", From: 1, To: 2},
		{Name: "one validator changed", From: 1, To: 6},
		{Name: "most validators changed, by bisection", From: 1, To: 9},
		{Name: "all validators changed, by bisection", From: 1, To: 12},
		{Name: "all validators change with the next block", From: 9, To: 10},
		{Name: "backwards", From: 12, To: 1},
		{Name: "strangers sign the target", From: 1, To: 12, Replaced: forged(12, strangers), Step: finality.StepFollow},
		{Name: "strangers sign the next block", From: 1, To: 2, Replaced: forged(2, strangers), Step: finality.StepFollow},
		{Name: "a block in between is another one", From: 1, To: 12, Replaced: map[string]hexBytes{"6": encodeLight(m.t, m.blocks[6])}, Step: finality.StepHeight},
		{Name: "another block before", From: 12, To: 9, Replaced: map[string]hexBytes{
			"11": m.altered(11, 4, func(b *types.LightBlock) { b.AppHash = lightHash("another root") }),
		}, Step: finality.StepFollow},
		{Name: "the trusted block has other validators", From: 1, To: 12, Replaced: forged(1, strangers), Step: finality.StepValidators},
	}
}

// checkFollowed compares a vector with the code.
func checkFollowed(t *testing.T, file *lightFile, vector lightFollow) {
	t.Helper()
	source := lightProvider{replaced: vector.Replaced}
	for _, block := range file.Blocks {
		source.blocks = append(source.blocks, block)
	}
	start, err := finality.TrustLightBlock(source.blocks[vector.From-1])
	if err != nil {
		t.Fatal(err)
	}
	client, err := finality.NewLightClientFromTrust(t.Context(), start, source, finality.Options{
		Now: func() time.Time { return time.Unix(file.Now, 0) },
	})
	if err == nil {
		_, err = client.LightBlock(t.Context(), vector.To)
	}
	if step := failedStep(err); step != vector.Step {
		t.Errorf("%s: step %q, want %q: %v", vector.Name, step, vector.Step, err)
	}
}
