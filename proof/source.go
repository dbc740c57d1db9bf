package proof

import (
	"fmt"

	ics23 "github.com/cosmos/ics23/go"

	pb "makechain/gen/makechain"
)

// Tree is one version of the state tree.
type Tree interface {
	Root() [32]byte
	// Path returns the siblings on the path from the row at key, which must exist, up to the root.
	Path(key []byte) ([]Sibling, error)
}

// Rows are exactly the rows that a version of the tree commits to.
type Rows interface {
	// Get returns the value at key, nil when there is no such row. The value stays valid and is not modified.
	Get(key []byte) ([]byte, error)
	// Neighbours returns the keys of the rows directly before and after key, whether or not there is a row
	// at key; nil where there is none.
	Neighbours(key []byte) (left, right []byte, err error)
	// Scan calls fn for every row with lower <= key < upper in ascending order until fn returns false; a nil
	// upper is the end. The arguments of fn are valid only during the call.
	Scan(lower, upper []byte, fn func(key, value []byte) bool) error
}

// Source is a consistent view of committed rows and their tree.
type Source interface {
	Tree
	Rows
}

// Sibling is one step of the path from a row to the root: the hash of the other child of a node.
type Sibling struct {
	Hash  [32]byte
	Right bool // the sibling is the right child
}

// Exists returns an existence proof of the row at key (T3.1), or ErrAbsent. The caller adds the block number.
func Exists(src Source, key []byte) (*pb.GetOperationProofResponse, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	row, err := lookup(src, key)
	if err != nil {
		return nil, err
	}
	if row == nil {
		return nil, fmt.Errorf("%w at %x", ErrAbsent, key)
	}
	proof, err := encodeExistence(row)
	if err != nil {
		return nil, err
	}
	root := src.Root()
	return &pb.GetOperationProofResponse{Proof: proof, Root: root[:], Value: row.Value}, nil
}

// Absent returns a non-existence proof of key (T3.2), or ErrPresent. The caller adds the block number.
func Absent(src Source, key []byte) (*pb.GetExclusionProofResponse, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	value, err := src.Get(key)
	if err != nil {
		return nil, err
	}
	if value != nil {
		return nil, fmt.Errorf("%w at %x", ErrPresent, key)
	}
	proof, err := absence(src, key)
	if err != nil {
		return nil, err
	}
	root := src.Root()
	return &pb.GetExclusionProofResponse{Proof: proof, Root: root[:]}, nil
}

// presence returns an existence proof and the value of key, or a non-existence proof and nil.
func presence(src Source, key []byte) (proof, value []byte, err error) {
	row, err := lookup(src, key)
	if err != nil {
		return nil, nil, err
	}
	if row == nil {
		proof, err = absence(src, key)
		return proof, nil, err
	}
	proof, err = encodeExistence(row)
	return proof, row.Value, err
}

func absence(src Source, key []byte) ([]byte, error) {
	left, right, err := src.Neighbours(key)
	if err != nil {
		return nil, err
	}
	gap := &ics23.NonExistenceProof{Key: key}
	if gap.Left, err = existingRow(src, left); err != nil {
		return nil, err
	}
	if gap.Right, err = existingRow(src, right); err != nil {
		return nil, err
	}
	proof := ics23.CommitmentProof{Proof: &ics23.CommitmentProof_Nonexist{Nonexist: gap}}
	return proof.Marshal()
}

// existingRow returns the proof of the row at a key that the source returned; nil for a nil key.
func existingRow(src Source, key []byte) (*ics23.ExistenceProof, error) {
	if key == nil {
		return nil, nil
	}
	row, err := lookup(src, key)
	if err == nil && row == nil {
		err = fmt.Errorf("neighbour %x has no row", key)
	}
	return row, err
}

// lookup returns the proof of the row at key, nil when there is no such row.
func lookup(src Source, key []byte) (*ics23.ExistenceProof, error) {
	value, err := src.Get(key)
	if err != nil || value == nil {
		return nil, err
	}
	siblings, err := src.Path(key)
	if err != nil {
		return nil, fmt.Errorf("path of %x: %w", key, err)
	}
	row := &ics23.ExistenceProof{Key: key, Value: value, Leaf: Spec().LeafSpec, Path: make([]*ics23.InnerOp, len(siblings))}
	steps := make([]ics23.InnerOp, len(siblings))
	for i := range siblings {
		hash := siblings[i].Hash[:]
		steps[i].Hash = ics23.HashOp_SHA256
		if !siblings[i].Right {
			steps[i].Prefix = append(append(make([]byte, 0, 1+len(hash)), innerPrefix), hash...)
		} else {
			steps[i].Prefix, steps[i].Suffix = []byte{innerPrefix}, hash
		}
		row.Path[i] = &steps[i]
	}
	return row, nil
}

// innerPrefix is hashed before the children of an inner node (T1.3).
const innerPrefix = 0x01

func encodeExistence(row *ics23.ExistenceProof) ([]byte, error) {
	proof := ics23.CommitmentProof{Proof: &ics23.CommitmentProof_Exist{Exist: row}}
	return proof.Marshal()
}
