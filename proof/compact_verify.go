package proof

import (
	"bytes"
	"crypto/sha256"
	"fmt"

	pb "makechain/gen/makechain"
)

// VerifyCompactRange verifies that a proof contains every row with the prefix, from the first or the first after a key, nil for
// none, up to its last row, and when it is complete that no row with the prefix follows (T3.9). An incomplete proof has at least
// one row; the next page follows the key of its last row. Only pages of the same root form one consistent list.
func VerifyCompactRange(root [32]byte, prefix, after []byte, complete bool, p *pb.CompactRangeProof) error {
	if err := checkKey(prefix); err != nil {
		return within(StepKey, err)
	}
	if after != nil && (len(after) > MaxKeySize || !bytes.HasPrefix(after, prefix)) {
		return within(StepKey, ErrCursor)
	}
	if err := checkCompactBounds(p); err != nil {
		return err
	}
	if !complete && (len(p.GetRows()) == 0 || len(p.GetUpperKey()) > 0) {
		return failed(StepClaim, "proof is not complete and has no row or an upper bound")
	}
	if err := checkCompactKeys(interval{prefix: prefix, after: after}, p); err != nil {
		return err
	}
	leaves := leavesOf(p)
	if len(leaves) == 0 && len(p.GetHashes())+len(p.GetOperations()) == 0 {
		if root != EmptyRoot() {
			return failed(StepAdjacency, "no rows, but the tree is not empty")
		}
		return nil
	}
	reached, err := evaluate(p, leaves, complete)
	if err != nil {
		return err
	}
	if reached != root {
		return failed(StepRoot, "proof leads to root %x, not %x", reached, root)
	}
	return nil
}

// checkCompactBounds bounds a proof before its hashes are computed.
func checkCompactBounds(p *pb.CompactRangeProof) error {
	if len(p.GetRows()) > MaxCompactRows {
		return failed(StepBounds, "proof has %d rows, at most %d", len(p.GetRows()), MaxCompactRows)
	}
	size := len(p.GetLowerKey()) + len(p.GetUpperKey()) + len(p.GetHashes()) + len(p.GetOperations())
	for _, row := range p.GetRows() {
		size += len(row.GetKey()) + len(row.GetValue())
		if len(row.GetKey()) > MaxKeySize || len(row.GetValue()) > MaxValueSize {
			return failed(StepBounds, "proof has a key or a value longer than any row's")
		}
	}
	switch {
	case size > MaxAnswerSize:
		return failed(StepBounds, "proof has %d bytes, at most %d", size, MaxAnswerSize)
	case len(p.GetLowerKey()) > MaxKeySize || len(p.GetUpperKey()) > MaxKeySize:
		return failed(StepBounds, "proof has a key longer than any row's")
	case len(p.GetHashes()) > maxCompactHashes*sha256.Size:
		return failed(StepBounds, "proof has %d bytes of hashes, at most %d", len(p.GetHashes()), maxCompactHashes*sha256.Size)
	case len(p.GetHashes())%sha256.Size != 0:
		return failed(StepEncoding, "proof has %d bytes of hashes", len(p.GetHashes()))
	}
	return nil
}

// checkCompactKeys checks that the rows are in the interval, in order, and that the bounds are outside of it on their sides.
func checkCompactKeys(iv interval, p *pb.CompactRangeProof) error {
	if err := checkCompactBound("lower bound", p.GetLowerKey(), p.GetLowerValueHash(), iv.before); err != nil {
		return err
	}
	if err := checkCompactBound("upper bound", p.GetUpperKey(), p.GetUpperValueHash(), iv.beyond); err != nil {
		return err
	}
	var last []byte
	for i, row := range p.GetRows() {
		key := row.GetKey()
		switch {
		case !iv.contains(key):
			return within(fmt.Sprintf("row %d", i), failed(StepOrder, "%x is not in the range", key))
		case bytes.Compare(last, key) >= 0:
			return within(fmt.Sprintf("row %d", i), failed(StepOrder, "%x comes before %x", last, key))
		}
		last = key
	}
	return nil
}

// checkCompactBound checks the key and the hash of the value of the row next to the range, which may be missing.
func checkCompactBound(name string, key, valueHash []byte, outside func(key []byte) bool) error {
	switch {
	case len(key) == 0 && len(valueHash) == 0:
		return nil
	case len(key) == 0 || len(valueHash) != sha256.Size:
		return within(name, failed(StepEncoding, "key of %d bytes and hash of %d bytes", len(key), len(valueHash)))
	case !outside(key):
		return within(name, failed(StepOrder, "%x is on the wrong side", key))
	}
	return nil
}

// evaluate executes the operations of a proof with at least one leaf or operation and returns the root. There is one sequence of operations for given
// leaves of a tree: every subtree without any of them is one hash. A hash between two leaves would hide rows, so it is refused, as
// is one before the first leaf when that claims to be the first of the tree, and the same at the end.
func evaluate(p *pb.CompactRangeProof, leaves []leaf, complete bool) (root [32]byte, err error) {
	hashes := p.GetHashes()
	if pushes := len(leaves) + len(hashes)/sha256.Size; len(p.GetOperations()) != 2*pushes-1 {
		return root, failed(StepShape, "%d operations for %d rows and hashes", len(p.GetOperations()), pushes)
	}
	type node struct {
		hash    [32]byte
		hasRows bool
	}
	var stack []node
	pushed := 0
	for i, operation := range p.GetOperations() {
		switch {
		case operation == opRow && pushed < len(leaves):
			stack, pushed = append(stack, node{leaves[pushed].hash(), true}), pushed+1
		case operation == opHash && len(hashes) > 0:
			switch {
			case pushed > 0 && pushed < len(leaves):
				return root, failed(StepAdjacency, "rows may exist between %x and %x", leaves[pushed-1].key, leaves[pushed].key)
			case pushed == 0 && len(p.GetLowerKey()) == 0:
				return root, failed(StepAdjacency, "rows may exist before the first")
			case pushed > 0 && complete && len(p.GetUpperKey()) == 0:
				return root, failed(StepAdjacency, "rows may exist after the last")
			}
			stack, hashes = append(stack, node{hash: [32]byte(hashes)}), hashes[sha256.Size:]
		case operation == opJoin && len(stack) >= 2:
			left, right := &stack[len(stack)-2], &stack[len(stack)-1]
			if !left.hasRows && !right.hasRows {
				return root, failed(StepShape, "operation %d joins two hashes", i)
			}
			left.hash, left.hasRows = hashTogether(innerPrefix, left.hash[:], right.hash[:]), true
			stack = stack[:len(stack)-1]
		default:
			return root, failed(StepShape, "operation %d cannot be %d", i, operation)
		}
	}
	if len(stack) != 1 || !stack[0].hasRows {
		return root, failed(StepShape, "operations leave %d hashes", len(stack))
	}
	return stack[0].hash, nil
}
