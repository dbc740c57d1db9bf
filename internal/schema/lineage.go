package schema

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// Lineage is what the row of a commit says of its ancestors. Searches read many rows and need nothing else of them, so
// it is read without the rest, and shares the memory of the value.
type Lineage struct {
	Parents    [][]byte
	Generation uint32
	Depth      uint32
	Jump       []byte
	JumpDepth  uint32
}

// Numbers of the fields of CommitRow.
const (
	parentsField    = 1
	generationField = 20
	depthField      = 21
	jumpField       = 22
	jumpDepthField  = 23
)

var errLineage = errors.New("is no commit")

// ParseLineage reads the value of a commit's row.
func ParseLineage(value []byte) (Lineage, error) {
	var l Lineage
	for rest := value; len(rest) > 0; {
		field, kind, n := protowire.ConsumeTag(rest)
		if n < 0 {
			return Lineage{}, fmt.Errorf("row %x %w", value, errLineage)
		}
		rest = rest[n:]
		if n = l.read(field, kind, rest); n < 0 {
			return Lineage{}, fmt.Errorf("row %x %w", value, errLineage)
		}
		rest = rest[n:]
	}
	return l, nil
}

// read takes in the field that rest begins with, and gives its length, or something negative.
func (l *Lineage) read(field protowire.Number, kind protowire.Type, rest []byte) int {
	switch kind {
	case protowire.BytesType:
		content, n := protowire.ConsumeBytes(rest)
		switch field {
		case parentsField:
			l.Parents = append(l.Parents, content)
		case jumpField:
			l.Jump = content
		}
		return n
	case protowire.VarintType:
		number, n := protowire.ConsumeVarint(rest)
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
