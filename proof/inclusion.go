package proof

import (
	"bytes"
	"crypto/sha256"
	"math/bits"

	"google.golang.org/protobuf/encoding/protowire"
)

const (
	// MaxTransactions is an upper bound on the transactions of a block.
	MaxTransactions = 1 << 20

	// leafPrefix is hashed before a leaf, as innerPrefix is before an inner node (RFC 6962).
	leafPrefix = 0x00

	maxAunts         = 20 // the depth of a tree of MaxTransactions leaves
	maxInclusionSize = maxAunts*(2+sha256.Size) + 64
)

// StepPosition fails when a proof is for another position in the block.
const StepPosition = "position"

// VerifyInclusion verifies that a transaction, the canonical encoding of a message (P11.1), is in the block whose header
// has this transactions root. The proof is CometBFT's, as GetMessageInclusionProof returns it, and must be for the
// given position. The root does not commit to the number of transactions, so a dishonest node can state a wrong number
// and with it a wrong position; that the block contains the transaction is certain.
func VerifyInclusion(transactionsRoot [32]byte, position uint32, transaction, proof []byte) error {
	path, err := decodeInclusion(proof)
	if err != nil {
		return err
	}
	if path.index != uint64(position) {
		return failed(StepPosition, "proof is for position %d, not %d", path.index, position)
	}
	// CometBFT's leaves are the hashes of transactions.
	digest := sha256.Sum256(transaction)
	leaf := hashTogether(leafPrefix, digest[:])
	if !bytes.Equal(path.leaf, leaf[:]) {
		return failed(StepValue, "proof is for another transaction than the given %d bytes", len(transaction))
	}
	root, err := path.root()
	if err != nil {
		return err
	}
	if root != transactionsRoot {
		return failed(StepRoot, "proof leads to root %x, not %x", root, transactionsRoot)
	}
	return nil
}

// inclusion is a path from a transaction to the root of a block's transactions.
type inclusion struct {
	total, index uint64
	leaf         []byte
	aunts        [][]byte // from the leaf upwards
}

// root finds the side of each aunt from the root down, then hashes from the leaf up. The left subtree of a tree of n
// leaves has as many leaves as the largest power of two below n.
func (p *inclusion) root() (root [32]byte, err error) {
	onLeft := make([]bool, 0, maxAunts) // whether the aunt is on the left, from the root down
	for index, total := p.index, p.total; total > 1; {
		left := uint64(1) << (bits.Len64(total-1) - 1)
		onLeft = append(onLeft, index >= left)
		if index >= left {
			index, total = index-left, total-left
		} else {
			total = left
		}
	}
	if len(onLeft) != len(p.aunts) {
		return root, failed(StepShape, "path of %d steps in a tree of %d leaves, want %d", len(p.aunts), p.total, len(onLeft))
	}
	root = [32]byte(p.leaf)
	for i, aunt := range p.aunts {
		if onLeft[len(onLeft)-1-i] {
			root = hashTogether(innerPrefix, aunt, root[:])
		} else {
			root = hashTogether(innerPrefix, root[:], aunt)
		}
	}
	return root, nil
}

func hashTogether(prefix byte, parts ...[]byte) [32]byte {
	hashed := make([]byte, 0, 1+2*sha256.Size)
	hashed = append(hashed, prefix)
	for _, part := range parts {
		hashed = append(hashed, part...)
	}
	return sha256.Sum256(hashed)
}

// The fields of tendermint.crypto.Proof.
const (
	fieldTotal    protowire.Number = 1
	fieldIndex    protowire.Number = 2
	fieldLeafHash protowire.Number = 3
	fieldAunts    protowire.Number = 4
)

// decodeInclusion decodes a proof. It accepts the canonical encoding only.
func decodeInclusion(proof []byte) (*inclusion, error) {
	if len(proof) > maxInclusionSize {
		return nil, failed(StepBounds, "proof has %d bytes, at most %d", len(proof), maxInclusionSize)
	}
	path, remaining := new(inclusion), proof
	for len(remaining) > 0 {
		number, kind, n := protowire.ConsumeTag(remaining)
		if n < 0 {
			return nil, within(StepEncoding, protowire.ParseError(n))
		}
		remaining = remaining[n:]
		if n = path.readField(number, kind, remaining); n < 0 {
			return nil, failed(StepEncoding, "field %d cannot be read", number)
		}
		remaining = remaining[n:]
	}
	switch {
	case !bytes.Equal(path.encode(), proof):
		return nil, failed(StepEncoding, "proof is not canonical")
	case path.total > MaxTransactions || path.index >= path.total:
		return nil, failed(StepBounds, "position %d of %d", path.index, path.total)
	case len(path.leaf) != sha256.Size:
		return nil, failed(StepShape, "hash of %d bytes", len(path.leaf))
	}
	for _, aunt := range path.aunts {
		if len(aunt) != sha256.Size {
			return nil, failed(StepShape, "hash of %d bytes", len(aunt))
		}
	}
	return path, nil
}

// readField reads a field's value and returns its length, which is negative when the value is invalid.
func (p *inclusion) readField(number protowire.Number, kind protowire.Type, from []byte) (n int) {
	var hash []byte
	switch {
	case number == fieldTotal && kind == protowire.VarintType:
		p.total, n = protowire.ConsumeVarint(from)
	case number == fieldIndex && kind == protowire.VarintType:
		p.index, n = protowire.ConsumeVarint(from)
	case number == fieldLeafHash && kind == protowire.BytesType:
		p.leaf, n = protowire.ConsumeBytes(from)
	case number == fieldAunts && kind == protowire.BytesType:
		hash, n = protowire.ConsumeBytes(from)
		p.aunts = append(p.aunts, hash)
	default:
		return -1
	}
	return n
}

func (p *inclusion) encode() []byte {
	var encoded []byte
	appendVarint := func(number protowire.Number, value uint64) {
		if value != 0 {
			encoded = protowire.AppendTag(encoded, number, protowire.VarintType)
			encoded = protowire.AppendVarint(encoded, value)
		}
	}
	appendVarint(fieldTotal, p.total)
	appendVarint(fieldIndex, p.index)
	for i, hash := range append([][]byte{p.leaf}, p.aunts...) {
		number := fieldAunts
		if i == 0 {
			number = fieldLeafHash
		}
		encoded = protowire.AppendTag(encoded, number, protowire.BytesType)
		encoded = protowire.AppendBytes(encoded, hash)
	}
	return encoded
}
