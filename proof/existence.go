package proof

import (
	"bytes"
	"crypto/sha256"
	"errors"

	ics23 "github.com/cosmos/ics23/go"
)

// VerifyOperation verifies that the row (key, value) is in the tree of root (T3.1).
func VerifyOperation(root [32]byte, key, value, proof []byte) error {
	if err := checkKey(key); err != nil {
		return within(StepKey, err)
	}
	row, err := decodeExistence(proof)
	if err != nil {
		return err
	}
	return verifyRow(root, row, key, value)
}

// verifyRow verifies that row is a proof of this key and value under root.
func verifyRow(root [32]byte, row *ics23.ExistenceProof, key, value []byte) error {
	if !bytes.Equal(row.Key, key) {
		return failed(StepKey, "proof is for %x, not %x", row.Key, key)
	}
	if !bytes.Equal(row.Value, value) {
		return failed(StepValue, "proof is for another value than the given %d bytes", len(value))
	}
	return verifyPath(root, row)
}

// verifyPath verifies that row conforms to the spec and leads to root.
func verifyPath(root [32]byte, row *ics23.ExistenceProof) error {
	if err := checkShape(row); err != nil {
		return within(StepShape, err)
	}
	if reached := rootOf(row); reached != root {
		return failed(StepRoot, "proof leads to root %x, not %x", reached, root)
	}
	return nil
}

// rootOf returns the root that a row of the checked shape leads to. It hashes what the Calculate of ICS-23 does, without its
// three allocations per step.
func rootOf(row *ics23.ExistenceProof) [32]byte {
	l := leaf{key: row.Key, value: row.Value}
	hash := l.hash()
	var scratch [1 + 2*sha256.Size]byte
	for _, step := range row.Path {
		hashed := append(append(scratch[:0], step.Prefix...), hash[:]...)
		hash = sha256.Sum256(append(hashed, step.Suffix...))
	}
	return hash
}

// checkShape is stricter than the spec. ICS-23 allows bytes after the zero byte in the prefix of a leaf; an attacker who
// chooses a name could then embed the key of another row in its own key and prove that row with any value. Here a leaf
// and the two kinds of inner nodes have one form each.
func checkShape(row *ics23.ExistenceProof) error {
	if err := row.CheckAgainstSpec(Spec()); err != nil {
		return err
	}
	if len(row.Key) == 0 || len(row.Value) == 0 {
		return errors.New("row without a key or a value")
	}
	if len(row.Leaf.Prefix) != 1 {
		return errors.New("leaf prefix is longer than one byte")
	}
	for _, step := range row.Path {
		if !isLeftChild(step) && !isRightChild(step) {
			return errors.New("inner node does not have two children")
		}
	}
	return nil
}

// isLeftChild reports whether the path comes from the left child, with the sibling on its right.
func isLeftChild(step *ics23.InnerOp) bool { return len(step.Prefix) == 1 && len(step.Suffix) == 32 }

// isRightChild reports whether the path comes from the right child, with the sibling on its left.
func isRightChild(step *ics23.InnerOp) bool { return len(step.Prefix) == 33 && len(step.Suffix) == 0 }

// decodeExistence decodes an existence proof.
func decodeExistence(proof []byte) (*ics23.ExistenceProof, error) {
	decoded, err := decode(proof)
	if err != nil {
		return nil, err
	}
	row := decoded.GetExist()
	if row == nil {
		return nil, failed(StepEncoding, "not an existence proof")
	}
	return row, nil
}

// decode decodes a commitment proof. It accepts the canonical encoding only, so that a proof cannot be altered by adding
// fields that are not checked.
func decode(proof []byte) (*ics23.CommitmentProof, error) {
	if len(proof) > maxProofSize {
		return nil, failed(StepBounds, "proof has %d bytes, at most %d", len(proof), maxProofSize)
	}
	decoded := new(ics23.CommitmentProof)
	if err := decoded.Unmarshal(proof); err != nil {
		return nil, within(StepEncoding, err)
	}
	canonical, err := decoded.Marshal()
	if err != nil {
		return nil, within(StepEncoding, err)
	}
	if !bytes.Equal(canonical, proof) {
		return nil, failed(StepEncoding, "proof is not canonical")
	}
	absence := decoded.GetNonexist()
	if len(absence.GetKey()) > MaxKeySize || oversized(decoded.GetExist()) || oversized(absence.GetLeft()) || oversized(absence.GetRight()) {
		return nil, failed(StepBounds, "proof has a key or a value longer than any row's")
	}
	return decoded, nil
}

func oversized(row *ics23.ExistenceProof) bool {
	return len(row.GetKey()) > MaxKeySize || len(row.GetValue()) > MaxValueSize
}
