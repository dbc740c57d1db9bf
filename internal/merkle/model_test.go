package merkle_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"makechain/internal/merkle"
	"makechain/proof"
)

// The model computes the tree from strings of bits. It shares no code with the tree.

// modelRoot returns the root of rows in any order.
func modelRoot(rows []Row) merkle.Hash {
	if len(rows) == 0 {
		return sha256.Sum256(nil)
	}
	sorted := slices.Clone(rows)
	slices.SortFunc(sorted, func(a, b Row) int { return bytes.Compare(a.Key, b.Key) })
	return modelNode(sorted, 0)
}

func modelNode(rows []Row, pos int) merkle.Hash {
	if len(rows) == 1 {
		return modelLeaf(rows[0])
	}
	ones := slices.IndexFunc(rows, func(r Row) bool { return merkle.ModelBits(r.Key)[pos] == '1' })
	if ones <= 0 {
		return modelNode(rows, pos+1)
	}
	left, right := modelNode(rows[:ones], pos+1), modelNode(rows[ones:], pos+1)
	return sha256.Sum256(slices.Concat([]byte{1}, left[:], right[:]))
}

func modelLeaf(r Row) merkle.Hash {
	value := sha256.Sum256(r.Value)
	length := binary.AppendUvarint(nil, uint64(len(r.Key)))
	return sha256.Sum256(slices.Concat([]byte{0}, length, r.Key, []byte{32}, value[:]))
}

// modelPath computes the root from a leaf and its siblings.
func modelPath(r Row, siblings []proof.Sibling) merkle.Hash {
	h := modelLeaf(r)
	for _, s := range siblings {
		if s.Right {
			h = sha256.Sum256(slices.Concat([]byte{1}, h[:], s.Hash[:]))
		} else {
			h = sha256.Sum256(slices.Concat([]byte{1}, s.Hash[:], h[:]))
		}
	}
	return h
}
