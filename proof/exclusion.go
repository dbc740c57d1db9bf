package proof

import (
	"bytes"
	"fmt"

	ics23 "github.com/cosmos/ics23/go"
)

// VerifyExclusion verifies that the tree of root has no row with the key (T3.2).
//
// The empty tree has no neighbours, which ICS-23 cannot express; its exclusion proof has the key only and is valid for
// the empty root only.
func VerifyExclusion(root [32]byte, key, proof []byte) error {
	if err := checkKey(key); err != nil {
		return within(StepKey, err)
	}
	decoded, err := decode(proof)
	if err != nil {
		return err
	}
	absence := decoded.GetNonexist()
	if absence == nil {
		return failed(StepEncoding, "not a non-existence proof")
	}
	return verifyAbsence(root, absence, key)
}

// verifyAbsence verifies that the neighbours are on either side of key and adjacent in the tree.
func verifyAbsence(root [32]byte, absence *ics23.NonExistenceProof, key []byte) error {
	if !bytes.Equal(absence.Key, key) {
		return failed(StepKey, "proof is for %x, not %x", absence.Key, key)
	}
	gap := run{lower: absence.Left, upper: absence.Right, closed: true}
	if gap.lower != nil && bytes.Compare(gap.lower.Key, key) >= 0 {
		return failed(StepOrder, "left neighbour %x is not before %x", gap.lower.Key, key)
	}
	if gap.upper != nil && bytes.Compare(gap.upper.Key, key) <= 0 {
		return failed(StepOrder, "right neighbour %x is not after %x", gap.upper.Key, key)
	}
	return gap.verify(root)
}

// verifyPresence verifies an existence proof of key and returns its value, or a non-existence proof and returns nil.
func verifyPresence(root [32]byte, key, proof []byte) (value []byte, err error) {
	if err := checkKey(key); err != nil {
		return nil, within(StepKey, err)
	}
	decoded, err := decode(proof)
	if err != nil {
		return nil, err
	}
	if absence := decoded.GetNonexist(); absence != nil {
		return nil, verifyAbsence(root, absence, key)
	}
	row := decoded.GetExist()
	if row == nil {
		return nil, failed(StepEncoding, "neither an existence proof nor a non-existence proof")
	}
	return row.Value, verifyRow(root, row, key, row.Value)
}

// run is a list of rows that are claimed to be adjacent in the tree.
type run struct {
	lower *ics23.ExistenceProof // the row before; nil when the run starts at the first row of the tree
	rows  []*ics23.ExistenceProof
	upper *ics23.ExistenceProof // the row after
	// closed means that the run is complete: without upper it ends at the last row of the tree.
	closed bool
}

// verify checks that every path leads to root, that the rows are in order, and that no other row of the tree is between
// them.
func (r *run) verify(root [32]byte) error {
	all := make([]*ics23.ExistenceProof, 0, len(r.rows)+2)
	if r.lower != nil {
		all = append(all, r.lower)
	}
	all = append(all, r.rows...)
	if r.upper != nil {
		all = append(all, r.upper)
	}
	if len(all) == 0 {
		if root != EmptyRoot() {
			return failed(StepAdjacency, "no rows, but the tree is not empty")
		}
		return nil
	}
	for _, row := range all {
		if err := verifyPath(root, row); err != nil {
			return within(fmt.Sprintf("row %x", row.Key), err)
		}
	}
	first, last := all[0], all[len(all)-1]
	if r.lower == nil && !every(first.Path, isLeftChild) {
		return failed(StepAdjacency, "rows may exist before %x", first.Key)
	}
	if r.upper == nil && r.closed && !every(last.Path, isRightChild) {
		return failed(StepAdjacency, "rows may exist after %x", last.Key)
	}
	for i, right := range all[1:] {
		left := all[i]
		if bytes.Compare(left.Key, right.Key) >= 0 {
			return failed(StepOrder, "%x comes before %x", left.Key, right.Key)
		}
		if !adjacent(left.Path, right.Path) {
			return failed(StepAdjacency, "rows may exist between %x and %x", left.Key, right.Key)
		}
	}
	return nil
}

// adjacent reports whether two paths to one root belong to adjacent leaves. Paths go from the leaf up. Above the lowest
// common ancestor they are equal; at it one comes from the left and the other from the right child; below it the left
// path follows the right edge and the right path the left edge.
func adjacent(left, right []*ics23.InnerOp) bool {
	for len(left) > 0 && len(right) > 0 {
		a, b := left[len(left)-1], right[len(right)-1]
		left, right = left[:len(left)-1], right[:len(right)-1]
		if !bytes.Equal(a.Prefix, b.Prefix) || !bytes.Equal(a.Suffix, b.Suffix) {
			return isLeftChild(a) && isRightChild(b) && every(left, isRightChild) && every(right, isLeftChild)
		}
	}
	return false
}

func every(path []*ics23.InnerOp, is func(*ics23.InnerOp) bool) bool {
	for _, step := range path {
		if !is(step) {
			return false
		}
	}
	return true
}
