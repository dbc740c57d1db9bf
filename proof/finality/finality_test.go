package finality_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/cometbft/cometbft/types"

	"makechain/internal/ident"
	"makechain/internal/merkle"
	"makechain/internal/merkle/merkletest"
	"makechain/internal/schema"
	"makechain/proof"
	"makechain/proof/finality"
)

const number = 41 // of the block whose root is certified

func rootOf(name string) [32]byte { return sha256.Sum256([]byte(name)) }

// TestVerify checks light blocks of one and of several validators, signed by all and by just enough.
//
// Rules: P11.2, T3.8.
func TestVerify(t *testing.T) {
	t.Parallel()
	root := rootOf("state")
	for name, test := range map[string]struct {
		powers  []int64
		signers int
	}{
		"one validator":        {[]int64{10}, 1},
		"all of four":          {[]int64{10, 10, 10, 10}, 4},
		"three of four":        {[]int64{10, 10, 10, 10}, 3},
		"more than two thirds": {[]int64{67, 33}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newChain("validators", test.powers...)
			block := encode(t, c.sign(t, c.header(number, root[:]), test.signers))
			got, err := finality.Verify(block, number, c.trust())
			if err != nil || got != root {
				t.Errorf("root %x, want %x: %v", got, root, err)
			}
		})
	}
}

// TestRefused checks that a good light block is refused after one change to it or to the trusted validators.
//
// Rules: P11.2, T3.8.
func TestRefused(t *testing.T) {
	t.Parallel()
	root, other := rootOf("state"), rootOf("other state")
	four := newChain("validators", 10, 10, 10, 10)
	strangers := newChain("strangers", 10, 10, 10, 10)
	richer := newChain("validators", 10, 10, 10, 11)
	elsewhere := newChain("validators", 10, 10, 10, 10)
	elsewhere.id = "another-chain"
	good := func() *types.LightBlock { return four.sign(t, four.header(number, root[:]), 4) }
	change := func(with func(*types.LightBlock)) *types.LightBlock {
		block := good()
		with(block)
		return block
	}
	tests := map[string]struct {
		block *types.LightBlock
		step  string
	}{
		"another chain": {elsewhere.sign(t, elsewhere.header(number, root[:]), 4), finality.StepChain},
		"signed for another chain": {change(func(b *types.LightBlock) {
			header := *b.Header
			header.ChainID = elsewhere.id
			b.Commit.Signatures = elsewhere.sign(t, &header, 4).Commit.Signatures
		}), finality.StepSignatures},
		"header of the block itself": {four.sign(t, four.header(number-1, root[:]), 4), finality.StepHeight},
		"header two blocks on":       {four.sign(t, four.header(number+1, root[:]), 4), finality.StepHeight},
		"root of another block":      {change(func(b *types.LightBlock) { b.AppHash = other[:] }), finality.StepHeader},
		"commit of another header": {change(func(b *types.LightBlock) {
			b.Commit = four.sign(t, four.header(number, other[:]), 4).Commit
		}), finality.StepHeader},
		"commit of another height": {change(func(b *types.LightBlock) { b.Commit.Height++ }), finality.StepHeader},
		"strangers":                {strangers.sign(t, strangers.header(number, root[:]), 4), finality.StepValidators},
		"set swapped":              {change(func(b *types.LightBlock) { b.ValidatorSet = strangers.validators }), finality.StepHeader},
		"set and hash swapped": {change(func(b *types.LightBlock) {
			b.ValidatorSet, b.ValidatorsHash = strangers.validators, strangers.validators.Hash()
			b.Commit.BlockID.Hash = b.Hash()
		}), finality.StepValidators},
		"other powers":         {richer.sign(t, richer.header(number, root[:]), 4), finality.StepValidators},
		"half of the power":    {four.sign(t, four.header(number, root[:]), 2), finality.StepPower},
		"no signatures at all": {four.sign(t, four.header(number, root[:]), 0), finality.StepPower},
		"signatures for none": {change(func(b *types.LightBlock) {
			b.Commit.Signatures[0].BlockIDFlag, b.Commit.Signatures[1].BlockIDFlag = types.BlockIDFlagNil, types.BlockIDFlagNil
		}), finality.StepPower},
		"forged signature": {change(func(b *types.LightBlock) { b.Commit.Signatures[1].Signature[5] ^= 1 }), finality.StepSignatures},
		"signature twice": {
			change(func(b *types.LightBlock) { b.Commit.Signatures[1].Signature = b.Commit.Signatures[0].Signature }),
			finality.StepSignatures,
		},
		"signer twice":   {change(func(b *types.LightBlock) { b.Commit.Signatures[1] = b.Commit.Signatures[0] }), finality.StepSignatures},
		"another round":  {change(func(b *types.LightBlock) { b.Commit.Round++ }), finality.StepSignatures},
		"short root":     {four.sign(t, four.header(number, root[:20]), 4), proof.StepRoot},
		"no header":      {change(func(b *types.LightBlock) { b.Header = nil }), proof.StepEncoding},
		"no commit":      {change(func(b *types.LightBlock) { b.Commit = nil }), proof.StepEncoding},
		"no validators":  {change(func(b *types.LightBlock) { b.ValidatorSet = nil }), proof.StepEncoding},
		"no signatures":  {change(func(b *types.LightBlock) { b.Commit.Signatures = nil }), proof.StepEncoding},
		"one signature":  {change(func(b *types.LightBlock) { b.Commit.Signatures = b.Commit.Signatures[:1] }), finality.StepSignatures},
		"too many votes": {change(func(b *types.LightBlock) { b.Commit.Signatures = slices.Repeat(b.Commit.Signatures[:1], 1001) }), proof.StepBounds},
		"too large":      {change(func(b *types.LightBlock) { b.Commit.Signatures = slices.Repeat(b.Commit.Signatures, 1000) }), proof.StepBounds},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := finality.Verify(encode(t, test.block), number, four.trust())
			var failed *proof.StepError
			if !errors.As(err, &failed) || failed.Step != test.step {
				t.Errorf("%v, want step %s", err, test.step)
			}
		})
	}
}

// TestTwoThirdsExactly checks that exactly two thirds of the power are not enough.
//
// Rules: P11.2.
func TestTwoThirdsExactly(t *testing.T) {
	t.Parallel()
	root := rootOf("state")
	c := newChain("validators", 10, 10, 10)
	_, err := finality.Verify(encode(t, c.sign(t, c.header(number, root[:]), 2)), number, c.trust())
	var failed *proof.StepError
	if !errors.As(err, &failed) || failed.Step != finality.StepPower {
		t.Errorf("%v", err)
	}
}

// TestBlockNumbers checks block numbers whose certifying height does not exist.
//
// Rules: P11.2.
func TestBlockNumbers(t *testing.T) {
	t.Parallel()
	root := rootOf("state")
	c := newChain("validators", 10)
	first := encode(t, c.sign(t, c.header(0, root[:]), 1))
	if got, err := finality.Verify(first, 0, c.trust()); err != nil || got != root {
		t.Errorf("genesis: %x, %v", got, err)
	}
	for _, far := range []uint64{1, math.MaxInt64 - 1, math.MaxInt64, math.MaxUint64} {
		if _, err := finality.Verify(first, far, c.trust()); err == nil {
			t.Errorf("block %d has a root", far)
		}
	}
}

// TestFlippedBytes flips every bit of a light block. Some bits outside of the header are not covered, such as proposer
// priorities, so the block may still verify, but never with another root.
//
// Rules: P11.2.
func TestFlippedBytes(t *testing.T) {
	t.Parallel()
	root := rootOf("state")
	c := newChain("validators", 10)
	block := c.sign(t, c.header(number, root[:]), 1)
	good := encode(t, block)
	header, err := block.Header.ToProto().Marshal()
	if err != nil {
		t.Fatal(err)
	}
	from := bytes.Index(good, header)
	if from < 0 {
		t.Fatal("no header in the light block")
	}
	for i := range 8 * len(good) {
		flipped := bytes.Clone(good)
		flipped[i/8] ^= 1 << (i % 8)
		got, err := finality.Verify(flipped, number, c.trust())
		inHeader := i/8 >= from && i/8 < from+len(header)
		if err == nil && (inHeader || got != root) {
			t.Fatalf("bit %d flipped, in the header %v: root %x", i, inHeader, got)
		}
	}
}

// treeSource reads rows and their state tree, as a node does.
type treeSource struct {
	*merkle.Version
	*merkletest.Rows
}

func (s treeSource) Path(key []byte) ([]proof.Sibling, error) { return s.Version.Path(key, s.Rows) }

// TestFromKeyToSignatures verifies a row, a range and an absent row of the state tree up to the validators' signatures.
//
// Rules: P11.2, T3.1, T3.2, T3.4, T3.8.
func TestFromKeyToSignatures(t *testing.T) {
	t.Parallel()
	project := ident.Hash{1}
	main := schema.RefKey(project, []byte("main"))
	rows := merkletest.NewRows(
		merkletest.Row{Key: main, Value: []byte("commit a")},
		merkletest.Row{Key: schema.RefKey(project, []byte("next")), Value: []byte("commit b")},
		merkletest.Row{Key: schema.ProjectKey(project), Value: []byte("project")},
	)
	tree, err := merkle.New(1).Build(rows.All)
	if err != nil {
		t.Fatal(err)
	}
	src := treeSource{tree, rows}
	stateRoot := src.Root()
	c := newChain("validators", 10, 10, 10, 10)
	root, err := finality.Verify(encode(t, c.sign(t, c.header(number, stateRoot[:]), 4)), number, c.trust())
	if err != nil {
		t.Fatal(err)
	}
	present, err := proof.Exists(src, main)
	if err != nil {
		t.Fatal(err)
	}
	if err := proof.VerifyOperation(root, main, []byte("commit a"), present.GetProof()); err != nil {
		t.Error(err)
	}
	other := schema.RefKey(project, []byte("other"))
	absent, err := proof.Absent(src, other)
	if err != nil {
		t.Fatal(err)
	}
	if err := proof.VerifyExclusion(root, other, absent.GetProof()); err != nil {
		t.Error(err)
	}
	refs := schema.RefKey(project, nil)
	page, err := proof.Range(src, refs, 0, nil)
	if err != nil || len(page.GetEntries()) != 2 || !page.GetComplete() {
		t.Fatalf("%v: %v", page, err)
	}
	if err := proof.VerifyRange(root, refs, nil, page); err != nil {
		t.Error(err)
	}
}

// FuzzLightBlock checks that only a block that the trusted validators signed has a root.
//
// Rules: P11.2, I10.
func FuzzLightBlock(f *testing.F) {
	root := rootOf("state")
	one, four := newChain("validators", 10), newChain("validators", 10, 10, 10, 10)
	f.Add(encode(f, one.sign(f, one.header(number, root[:]), 1)))
	f.Add(encode(f, four.sign(f, four.header(number, root[:]), 3)))
	f.Add(encode(f, four.sign(f, four.header(number, root[:]), 2)))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, block []byte) {
		for _, trust := range []finality.Trust{one.trust(), four.trust()} {
			if got, err := finality.Verify(block, number, trust); err == nil && got != root {
				t.Fatalf("root %x", got)
			}
		}
	})
}

func BenchmarkVerify(b *testing.B) {
	root := rootOf("state")
	for name, powers := range map[string][]int64{
		"1 validator": {10}, "4 validators": {10, 10, 10, 10}, "100 validators": slices.Repeat([]int64{10}, 100),
	} {
		c := newChain("validators", powers...)
		block := encode(b, c.sign(b, c.header(number, root[:]), len(powers)))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := finality.Verify(block, number, c.trust()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
