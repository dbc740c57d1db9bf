package proof

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	pb "makechain/gen/makechain"
	"makechain/internal/schema"
)

const (
	// MaxCompactRows is the maximum number of rows in a compact range proof.
	MaxCompactRows = 10_000
	// maxCompactHashes is the maximum number of hashes in it: the siblings of two paths.
	maxCompactHashes = 2 * MaxDepth
	// maxRangeSize is the maximum size of the rows of CompactRange, in bytes.
	maxRangeSize = 8 << 20
	// maxShapeSize is the maximum size of the hashes, and of the operations that are not those of rows.
	maxShapeSize = maxCompactHashes * (sha256.Size + 2)
	// rowOverhead is an upper bound on the encoded size of a row of a proof without its key and value, and its operations.
	rowOverhead = 16
)

// The operations of a compact range proof. They compute the root on a stack, in the order of the keys.
const (
	opRow  = 0 // push the hash of the next row
	opHash = 1 // push the next hash, of a subtree without rows of the proof
	opJoin = 2 // replace the two topmost hashes by that of their parent
)

// CompactRange returns a complete compact proof of the rows with the prefix (T3.9), or ErrTooLarge. CompactPage splits it into
// pages.
func CompactRange(src Source, prefix []byte) (*pb.CompactRangeProof, error) {
	if err := checkKey(prefix); err != nil {
		return nil, err
	}
	out, size := new(pb.CompactRangeProof), 0
	if err := src.Scan(prefix, schema.After(prefix), func(key, value []byte) bool {
		out.Rows = append(out.Rows, &pb.RangeRow{Key: bytes.Clone(key), Value: bytes.Clone(value)})
		size += len(key) + len(value)
		return size <= maxRangeSize && len(out.GetRows()) <= MaxCompactRows
	}); err != nil {
		return nil, err
	}
	if size > maxRangeSize || len(out.GetRows()) > MaxCompactRows {
		return nil, fmt.Errorf("%w: more than %d rows or %d bytes", ErrTooLarge, MaxCompactRows, maxRangeSize)
	}
	lower, upper, err := src.Neighbours(prefix)
	if err == nil && len(out.GetRows()) > 0 {
		_, upper, err = src.Neighbours(out.GetRows()[len(out.GetRows())-1].GetKey())
	}
	if err != nil {
		return nil, err
	}
	if out.LowerKey, out.LowerValueHash, err = boundRow(src, lower); err != nil {
		return nil, err
	}
	if out.UpperKey, out.UpperValueHash, err = boundRow(src, upper); err != nil {
		return nil, err
	}
	return out, addShape(src, out)
}

// boundRow returns the key of a row next to a range and the hash of its value; nil for a nil key.
func boundRow(src Source, key []byte) (bound, valueHash []byte, err error) {
	if key == nil {
		return nil, nil, nil
	}
	value, err := src.Get(key)
	if err == nil && value == nil {
		err = fmt.Errorf("neighbour %x has no row", key)
	}
	digest := sha256.Sum256(value)
	return key, digest[:], err
}

// addShape adds the operations and hashes to the rows of a proof. The part of the tree between the rows follows from their
// keys, so only the first and the last path are read.
func addShape(src Source, out *pb.CompactRangeProof) error {
	leaves := leavesOf(out)
	if len(leaves) == 0 {
		return nil
	}
	first, err := src.Path(leaves[0].key)
	if err != nil {
		return fmt.Errorf("path of %x: %w", leaves[0].key, err)
	}
	last, err := src.Path(leaves[len(leaves)-1].key)
	if err != nil {
		return fmt.Errorf("path of %x: %w", leaves[len(leaves)-1].key, err)
	}
	for _, step := range slices.Backward(first) {
		if !step.Right {
			out.Operations, out.Hashes = append(out.Operations, opHash), append(out.Hashes, step.Hash[:]...)
		}
	}
	out.Operations = append(out.Operations, opRow)
	// open has the bits at which the nodes branch whose left child is computed and that are not on the first path; first is what
	// remains of the first path.
	var open []int
	for i, leaf := range leaves[1:] {
		at := branch(leaves[i].key, leaf.key)
		for len(open) > 0 && open[len(open)-1] > at {
			out.Operations, open = append(out.Operations, opJoin), open[:len(open)-1]
		}
		if len(open) == 0 { // the common ancestor is the lowest remaining node of the first path that has it on the left
			for ; len(first) > 0 && !first[0].Right; first = first[1:] {
				out.Operations = append(out.Operations, opJoin)
			}
			if len(first) == 0 {
				return fmt.Errorf("rows %x and %x have no common node", leaves[i].key, leaf.key)
			}
			first = first[1:]
		}
		out.Operations, open = append(out.Operations, opRow), append(open, at)
	}
	for _, step := range last {
		if step.Right {
			out.Operations, out.Hashes = append(out.Operations, opHash), append(out.Hashes, step.Hash[:]...)
		}
		out.Operations = append(out.Operations, opJoin)
	}
	return nil
}

// branch returns the first bit in which two keys differ, where each byte has nine bits (T1.2).
func branch(a, b []byte) int {
	const bitsPerByte = 9
	n := min(len(a), len(b))
	for i := range n {
		if difference := a[i] ^ b[i]; difference != 0 {
			return i*bitsPerByte + 1 + bits.LeadingZeros8(difference)
		}
	}
	return n * bitsPerByte
}

// leaf is a row whose hash a proof contains the data of.
type leaf struct {
	key, valueHash []byte // valueHash is nil for the rows of the range
	value          []byte
}

func (l *leaf) hash() [32]byte {
	valueHash := l.valueHash
	if valueHash == nil {
		digest := sha256.Sum256(l.value)
		valueHash = digest[:]
	}
	var scratch [1 + binary.MaxVarintLen16 + MaxKeySize + 1 + sha256.Size]byte
	encoded := binary.AppendUvarint(append(scratch[:0], leafPrefix), uint64(len(l.key)))
	encoded = append(append(encoded, l.key...), sha256.Size)
	return sha256.Sum256(append(encoded, valueHash...))
}

// leavesOf returns the rows of a proof and their neighbours in the order of their keys.
func leavesOf(p *pb.CompactRangeProof) []leaf {
	leaves := make([]leaf, 0, len(p.GetRows())+2)
	if len(p.GetLowerKey()) > 0 {
		leaves = append(leaves, leaf{key: p.GetLowerKey(), valueHash: p.GetLowerValueHash()})
	}
	for _, row := range p.GetRows() {
		leaves = append(leaves, leaf{key: row.GetKey(), value: row.GetValue()})
	}
	if len(p.GetUpperKey()) > 0 {
		leaves = append(leaves, leaf{key: p.GetUpperKey(), valueHash: p.GetUpperValueHash()})
	}
	return leaves
}

// CompactPage returns the proof of those rows of a complete proof that follow a key, or of all when it is nil: at most maxRows
// and as many as fit into maxSize bytes, but at least one, and reports whether they are the last ones.
func CompactPage(full *pb.CompactRangeProof, after []byte, maxRows, maxSize int) (page *pb.CompactRangeProof, complete bool) {
	rows := full.GetRows()
	from, found := slices.BinarySearchFunc(rows, after, func(row *pb.RangeRow, key []byte) int { return bytes.Compare(row.GetKey(), key) })
	if found {
		from++
	}
	size, to := maxShapeSize+2*(MaxKeySize+sha256.Size), from
	for ; to < len(rows) && to-from < max(maxRows, 1); to++ {
		size += len(rows[to].GetKey()) + len(rows[to].GetValue()) + rowOverhead
		if size > maxSize && to > from {
			break
		}
	}
	if from == 0 && to == len(rows) {
		return full, true
	}
	page = &pb.CompactRangeProof{Rows: rows[from:to], LowerKey: full.GetLowerKey(), LowerValueHash: full.GetLowerValueHash()}
	first, end := from, to // of the leaves
	if len(full.GetLowerKey()) > 0 {
		end++
	} else if from > 0 {
		first--
	}
	if from > 0 {
		digest := sha256.Sum256(rows[from-1].GetValue())
		page.LowerKey, page.LowerValueHash = rows[from-1].GetKey(), digest[:]
	}
	if to == len(rows) {
		page.UpperKey, page.UpperValueHash = full.GetUpperKey(), full.GetUpperValueHash()
		end = len(leavesOf(full))
	}
	shape := narrow(full, first, end)
	page.Operations, page.Hashes = shape.operations, shape.hashes
	return page, to == len(rows)
}

// subtree is a part of the tree of a proof: its hash, and the operations and hashes that compute it when it has rows of the proof.
type subtree struct {
	hash               [32]byte
	operations, hashes []byte // empty without rows
}

// push appends the operations that compute a subtree.
func (s *subtree) push(child *subtree) {
	if len(child.operations) == 0 {
		s.operations, s.hashes = append(s.operations, opHash), append(s.hashes, child.hash[:]...)
		return
	}
	s.operations, s.hashes = append(s.operations, child.operations...), append(s.hashes, child.hashes...)
}

// narrow returns the operations and hashes of a proof, which must be valid, when only the given ones of its leaves are kept.
func narrow(p *pb.CompactRangeProof, first, end int) subtree {
	leaves, hashes, pushed := leavesOf(p), p.GetHashes(), 0
	var stack []subtree
	for _, operation := range p.GetOperations() {
		switch operation {
		case opRow:
			s := subtree{hash: leaves[pushed].hash()}
			if pushed >= first && pushed < end {
				s.operations = []byte{opRow}
			}
			stack, pushed = append(stack, s), pushed+1
		case opHash:
			stack, hashes = append(stack, subtree{hash: [32]byte(hashes)}), hashes[sha256.Size:]
		default:
			left, right := &stack[len(stack)-2], &stack[len(stack)-1]
			joined := subtree{hash: hashTogether(innerPrefix, left.hash[:], right.hash[:])}
			if len(left.operations)+len(right.operations) > 0 {
				if len(left.operations) > 0 { // reuse its memory
					joined.operations, joined.hashes = left.operations, left.hashes
				} else {
					joined.push(left)
				}
				joined.push(right)
				joined.operations = append(joined.operations, opJoin)
			}
			stack = append(stack[:len(stack)-2], joined)
		}
	}
	return stack[0]
}
