package proof_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/cometbft/cometbft/crypto/merkle"
	cmtcrypto "github.com/cometbft/cometbft/proto/tendermint/crypto"
	"github.com/cometbft/cometbft/types"

	"makechain/proof"
)

func someTransactions(count int) types.Txs {
	transactions := make(types.Txs, count)
	for i := range transactions {
		transactions[i] = fmt.Appendf(nil, "transaction %d", i)
	}
	return transactions
}

// include returns CometBFT's own proof.
func include(t testing.TB, transactions types.Txs, i int) (root [32]byte, encoded []byte) {
	t.Helper()
	included := transactions.Proof(i)
	encoded, err := included.Proof.ToProto().Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return [32]byte(included.RootHash), encoded
}

// TestInclusion checks every transaction of blocks of every small size, and some of a full block.
//
// Rules: P11.1.
func TestInclusion(t *testing.T) {
	t.Parallel()
	for count := 1; count <= 40; count++ {
		transactions := someTransactions(count)
		for i := range transactions {
			root, encoded := include(t, transactions, i)
			if err := proof.VerifyInclusion(root, uint32(i), transactions[i], encoded); err != nil {
				t.Errorf("transaction %d of %d: %v", i, count, err)
			}
		}
	}
	full := someTransactions(10_000)
	for _, i := range []int{0, 1, 4095, 8191, 8192, 9999} {
		root, encoded := include(t, full, i)
		if err := proof.VerifyInclusion(root, uint32(i), full[i], encoded); err != nil {
			t.Errorf("transaction %d of a full block: %v", i, err)
		}
	}
}

// TestInclusionFlipped checks that a flipped bit in a proof, its root, position or transaction makes it invalid. Only
// the number of transactions may change, where another number has the same path.
//
// Rules: P11.1.
func TestInclusionFlipped(t *testing.T) {
	t.Parallel()
	transactions := someTransactions(13)
	const position = 5
	root, encoded := include(t, transactions, position)
	flipped := func(b []byte, bit int) []byte {
		changed := bytes.Clone(b)
		changed[bit/8] ^= 1 << (bit % 8)
		return changed
	}
	const number = 1 // the byte of the proof with the number of transactions
	for bit := range 8 * len(encoded) {
		if bit/8 != number && proof.VerifyInclusion(root, position, transactions[position], flipped(encoded, bit)) == nil {
			t.Errorf("the proof is valid with bit %d flipped", bit)
		}
	}
	for bit := range 8 * len(root) {
		if proof.VerifyInclusion([32]byte(flipped(root[:], bit)), position, transactions[position], encoded) == nil {
			t.Errorf("the proof is valid with bit %d of the root flipped", bit)
		}
	}
	for bit := range 8 * len(transactions[position]) {
		if proof.VerifyInclusion(root, position, flipped(transactions[position], bit), encoded) == nil {
			t.Errorf("the proof is valid with bit %d of the transaction flipped", bit)
		}
	}
	for other := range uint32(len(transactions)) {
		if other != position && proof.VerifyInclusion(root, other, transactions[position], encoded) == nil {
			t.Errorf("position %d is accepted for %d", other, position)
		}
	}
}

// TestInclusionRefused checks the step at which an invalid proof fails.
//
// Rules: P11.1.
func TestInclusionRefused(t *testing.T) {
	t.Parallel()
	transactions := someTransactions(6)
	const position = 4
	root, good := include(t, transactions, position)
	change := func(with func(*cmtcrypto.Proof)) []byte {
		decoded := new(cmtcrypto.Proof)
		if err := decoded.Unmarshal(good); err != nil {
			t.Fatal(err)
		}
		with(decoded)
		encoded, err := decoded.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		return encoded
	}
	for name, test := range map[string]struct {
		encoded []byte
		step    string
	}{
		"nothing":          {nil, proof.StepEncoding},
		"not a proof":      {[]byte("proof"), proof.StepEncoding},
		"cut":              {good[:len(good)-1], proof.StepEncoding},
		"unknown field":    {append(bytes.Clone(good), 0x28, 1), proof.StepEncoding},
		"field twice":      {append(bytes.Clone(good), good[:2]...), proof.StepEncoding},
		"long varint":      {slices.Concat([]byte{0x08, 0x86, 0x00}, good[2:]), proof.StepEncoding},
		"too long":         {bytes.Repeat(good, 100), proof.StepBounds},
		"no total":         {change(func(p *cmtcrypto.Proof) { p.Total = 0 }), proof.StepBounds},
		"huge total":       {change(func(p *cmtcrypto.Proof) { p.Total = math.MaxInt64 }), proof.StepBounds},
		"negative total":   {change(func(p *cmtcrypto.Proof) { p.Total = -1 }), proof.StepBounds},
		"index past total": {change(func(p *cmtcrypto.Proof) { p.Index = 6 }), proof.StepBounds},
		"negative index":   {change(func(p *cmtcrypto.Proof) { p.Index = -1 }), proof.StepBounds},
		"another index":    {change(func(p *cmtcrypto.Proof) { p.Index = 3 }), proof.StepPosition},
		"another leaf":     {change(func(p *cmtcrypto.Proof) { p.LeafHash[0]++ }), proof.StepValue},
		"short leaf":       {change(func(p *cmtcrypto.Proof) { p.LeafHash = p.LeafHash[1:] }), proof.StepShape},
		"no leaf":          {change(func(p *cmtcrypto.Proof) { p.LeafHash = nil }), proof.StepEncoding},
		"short aunt":       {change(func(p *cmtcrypto.Proof) { p.Aunts[0] = p.Aunts[0][1:] }), proof.StepShape},
		"aunt missing":     {change(func(p *cmtcrypto.Proof) { p.Aunts = p.Aunts[1:] }), proof.StepShape},
		"aunt too many":    {change(func(p *cmtcrypto.Proof) { p.Aunts = append(p.Aunts, p.Aunts[0]) }), proof.StepShape},
		"another aunt":     {change(func(p *cmtcrypto.Proof) { p.Aunts[1][0]++ }), proof.StepRoot},
		"another total":    {change(func(p *cmtcrypto.Proof) { p.Total = 5 }), proof.StepShape},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := proof.VerifyInclusion(root, position, transactions[position], test.encoded)
			step := new(proof.StepError)
			if !errors.As(err, &step) || step.Step != test.step {
				t.Errorf("got %v, want step %s to fail", err, test.step)
			}
		})
	}
}

// FuzzInclusion checks that every accepted proof is accepted by CometBFT's own check.
//
// Rules: P11.1, I10.
func FuzzInclusion(f *testing.F) {
	transactions := someTransactions(9)
	for i := range transactions {
		_, encoded := include(f, transactions, i)
		f.Add(encoded, uint32(i))
	}
	root := [32]byte(transactions.Hash())
	f.Fuzz(func(t *testing.T, encoded []byte, position uint32) {
		transaction := transactions[int(position)%len(transactions)]
		if proof.VerifyInclusion(root, position, transaction, encoded) != nil {
			return
		}
		decoded := new(cmtcrypto.Proof)
		if err := decoded.Unmarshal(encoded); err != nil {
			t.Fatal(err)
		}
		theirs, err := merkle.ProofFromProto(decoded)
		if err != nil {
			t.Fatal(err)
		}
		if err := theirs.Verify(root[:], transaction.Hash()); err != nil {
			t.Errorf("accepted a proof that CometBFT refuses: %v", err)
		}
	})
}
