package proof_test

import (
	"crypto/sha256"
	"slices"
	"testing"

	ics23 "github.com/cosmos/ics23/go"

	"makechain/proof"
)

// TestWrongNeighbours checks that two rows are refused as neighbours unless they are adjacent and enclose the key.
//
// Rules: T3.2.
func TestWrongNeighbours(t *testing.T) {
	t.Parallel()
	var rows []modelRow
	for i := range byte(6) {
		rows = append(rows, modelRow{[]byte{0x0D, 2 * i}, []byte{i + 1}})
	}
	m := newModel(rows...)
	row := func(i int) *ics23.ExistenceProof {
		if i < 0 || i == len(rows) {
			return nil
		}
		return decodeProof(t, m.exists(t, i)).GetExist()
	}
	key := []byte{0x0D, 5} // between rows 2 and 3
	for left := -1; left < len(rows); left++ {
		for right := range len(rows) + 1 {
			claim := encodeProof(t, &ics23.CommitmentProof{Proof: &ics23.CommitmentProof_Nonexist{
				Nonexist: &ics23.NonExistenceProof{Key: key, Left: row(left), Right: row(right)},
			}})
			err := proof.VerifyExclusion(m.root, key, claim)
			if want := left == 2 && right == 3; (err == nil) != want {
				t.Errorf("rows %d and %d as neighbours: %v", left, right, err)
			}
		}
	}
}

// TestWrongSides checks two neighbours of a tree whose rows are in the wrong order: the order of neighbours follows from
// their positions in the tree, not from their keys alone.
//
// Rules: T3.2.
func TestWrongSides(t *testing.T) {
	t.Parallel()
	small, large := newModel(modelRow{[]byte{4, 1}, []byte("a")}), newModel(modelRow{[]byte{4, 3}, []byte("b")})
	root := sha256.Sum256(slices.Concat([]byte{1}, large.root[:], small.root[:]))
	left, right := decodeProof(t, small.exists(t, 0)).GetExist(), decodeProof(t, large.exists(t, 0)).GetExist()
	left.Path = []*ics23.InnerOp{{Hash: ics23.HashOp_SHA256, Prefix: append([]byte{1}, large.root[:]...)}}
	right.Path = []*ics23.InnerOp{{Hash: ics23.HashOp_SHA256, Prefix: []byte{1}, Suffix: small.root[:]}}
	claim := encodeProof(t, &ics23.CommitmentProof{Proof: &ics23.CommitmentProof_Nonexist{
		Nonexist: &ics23.NonExistenceProof{Key: []byte{4, 2}, Left: left, Right: right},
	}})
	wantSteps(t, proof.VerifyExclusion(root, []byte{4, 2}, claim), proof.StepAdjacency)
}
