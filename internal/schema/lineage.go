package schema

import (
	"errors"
	"fmt"
	"iter"

	"google.golang.org/protobuf/encoding/protowire"
)

// Lineage holds the fields of a commit row that describe its ancestors. Searches read many rows and need only these, so
// they are parsed without the other fields, share the memory of the value and need no other.
type Lineage struct {
	FirstParent []byte // empty if there is none
	parents     []byte // the value up to its last parent

	Generation uint32
	Depth      uint32
	Jump       []byte
	JumpDepth  uint32
}

// Field numbers of CommitRow.
const (
	parentsField    = 1
	generationField = 20
	depthField      = 21
	jumpField       = 22
	jumpDepthField  = 23
)

var errLineage = errors.New("is not a commit row")

// ParseLineage parses the value of a commit row.
func ParseLineage(value []byte) (Lineage, error) {
	var l Lineage
	for remaining := value; len(remaining) > 0; {
		field, kind, n := protowire.ConsumeTag(remaining)
		if n < 0 {
			return Lineage{}, fmt.Errorf("row %x %w", value, errLineage)
		}
		remaining = remaining[n:]
		if n = l.read(field, kind, remaining); n < 0 {
			return Lineage{}, fmt.Errorf("row %x %w", value, errLineage)
		}
		remaining = remaining[n:]
		if field == parentsField {
			l.parents = value[:len(value)-len(remaining)]
		}
	}
	return l, nil
}

// Parents returns the hashes of the parents in their order.
func (l *Lineage) Parents() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for remaining := l.parents; len(remaining) > 0; {
			field, kind, n := protowire.ConsumeTag(remaining) // ParseLineage has checked all fields
			remaining = remaining[n:]
			n = protowire.ConsumeFieldValue(field, kind, remaining)
			if field == parentsField {
				parent, _ := protowire.ConsumeBytes(remaining)
				if !yield(parent) {
					return
				}
			}
			remaining = remaining[n:]
		}
	}
}

// read parses the field at the start of value and returns its length, which is negative when it is invalid.
func (l *Lineage) read(field protowire.Number, kind protowire.Type, value []byte) int {
	switch kind {
	case protowire.BytesType:
		content, n := protowire.ConsumeBytes(value)
		switch field {
		case parentsField:
			if l.parents == nil {
				l.FirstParent = content
			}
		case jumpField:
			l.Jump = content
		}
		return n
	case protowire.VarintType:
		number, n := protowire.ConsumeVarint(value)
		switch field {
		case generationField:
			l.Generation = uint32(number)
		case depthField:
			l.Depth = uint32(number)
		case jumpDepthField:
			l.JumpDepth = uint32(number)
		}
		return n
	default:
		return -1
	}
}
