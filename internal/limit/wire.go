package limit

import (
	"encoding/binary"
	"errors"

	"google.golang.org/protobuf/reflect/protoreflect"
)

const (
	// maxExpansion is how much memory a decoded request may take, as a multiple of its encoding. Messages of the protocol
	// take two to four times as much; a list of empty elements would take a hundred times as much.
	maxExpansion = 4
	// expansionAllowance is memory that every request may need in addition.
	expansionAllowance = 64 << 10
	// maxDepth is how deep messages, or objects and lists in JSON, may be nested. The schema needs less than half of it.
	maxDepth = 32
)

var (
	// ErrExpansion is returned for a request that takes much more memory decoded than encoded.
	ErrExpansion = errors.New("too many elements for its size: decoding it would take too much memory")
	// ErrDepth is returned for a request that is nested too deep.
	ErrDepth = errors.New("nested too deep")
	// ErrWire is returned for a request that is not encoded as protobuf, or with the retired groups of protobuf.
	ErrWire = errors.New("not a valid protobuf encoding")
)

// Estimates of the memory that decoded values use beside their bytes.
const (
	messageBytes = 48     // the fields that every message has
	pointerBytes = 2 * 8  // a pointer in a list, which grows by doubling
	sliceBytes   = 2 * 24 // a slice in a list
	oneofBytes   = 24     // the struct around the value of a oneof
	numberBytes  = 8      // the largest number
	allocBytes   = 8      // what an allocation wastes on average
)

// A Wire contains what is needed to check the encodings of a message type. It is read-only.
type Wire struct {
	size   int // memory of an empty message
	fields map[uint64]*wireField
	dense  [denseFields]*wireField // the fields with small numbers, without hashing
}

const denseFields = 128

type wireField struct {
	cost    int // memory of one value in addition to its bytes
	perByte int // memory of one byte of a length-delimited value
	message *Wire
}

// NewWire returns the table of a message type.
func NewWire(descriptor protoreflect.MessageDescriptor) *Wire {
	return newWire(descriptor, map[protoreflect.FullName]*Wire{})
}

// newWire returns the table from known, or adds it: message types can be recursive.
func newWire(descriptor protoreflect.MessageDescriptor, known map[protoreflect.FullName]*Wire) *Wire {
	if w := known[descriptor.FullName()]; w != nil {
		return w
	}
	list := descriptor.Fields()
	w := &Wire{size: sizeOf(descriptor), fields: map[uint64]*wireField{}}
	known[descriptor.FullName()] = w
	for i := range list.Len() {
		field := list.Get(i)
		f := fieldOf(field, known)
		if number := uint64(field.Number()); number < denseFields {
			w.dense[number] = f
		} else {
			w.fields[number] = f
		}
	}
	return w
}

// sizeOf estimates the memory of an empty message of generated code.
func sizeOf(descriptor protoreflect.MessageDescriptor) int {
	list := descriptor.Fields()
	size := messageBytes + 16*descriptor.Oneofs().Len()
	for i := range list.Len() {
		switch field := list.Get(i); {
		case field.ContainingOneof() != nil:
		case field.IsList() || field.Kind() == protoreflect.BytesKind:
			size += 24
		case field.Kind() == protoreflect.StringKind:
			size += 16
		default:
			size += 8
		}
	}
	return size
}

func fieldOf(field protoreflect.FieldDescriptor, known map[protoreflect.FullName]*Wire) *wireField {
	f := &wireField{perByte: 1, cost: numberBytes}
	switch kind := field.Kind(); {
	case kind == protoreflect.MessageKind || kind == protoreflect.GroupKind:
		f.message = newWire(field.Message(), known)
		f.cost = f.message.size + pointerBytes + allocBytes
	case field.IsList() && (kind == protoreflect.BytesKind || kind == protoreflect.StringKind):
		f.cost = sliceBytes + allocBytes
	case kind == protoreflect.BytesKind || kind == protoreflect.StringKind:
		f.cost = allocBytes
	case field.IsList():
		f.cost, f.perByte = 2*numberBytes, numberBytes // packed, with at least one byte for each number
	}
	if field.ContainingOneof() != nil {
		f.cost += oneofBytes
	}
	return f
}

// Check returns an error for an encoding that takes much more memory decoded, or that is nested too deep. It allocates
// nothing. An encoding that it accepts may still be invalid.
func (w *Wire) Check(encoded []byte) error {
	left := maxExpansion*len(encoded) + expansionAllowance - w.size
	_, err := w.check(encoded, left, maxDepth)
	return err
}

// check checks a message and returns what is left of the memory it may take.
func (w *Wire) check(b []byte, left, depth int) (int, error) {
	if depth == 0 {
		return 0, ErrDepth
	}
	for len(b) > 0 {
		tag, n := uvarint(b)
		if n <= 0 {
			return 0, ErrWire
		}
		b = b[n:]
		f := w.field(tag >> 3)
		content, size, ok := value(b, tag&7)
		if !ok {
			return 0, ErrWire
		}
		b = b[size:]
		switch {
		case f == nil:
			left -= 2 * (n + size) // unknown fields are kept as they are, in a slice that grows by doubling
		case f.message != nil && content != nil:
			var err error
			if left, err = f.message.check(content, left-f.cost, depth-1); err != nil {
				return 0, err
			}
		default:
			left -= f.cost + f.perByte*len(content)
		}
		if left < 0 {
			return 0, ErrExpansion
		}
	}
	return left, nil
}

func (w *Wire) field(number uint64) *wireField {
	if number < denseFields {
		return w.dense[number]
	}
	return w.fields[number]
}

// value returns the size of the value at the start of b and, if it is length-delimited, its content.
func value(b []byte, wireType uint64) (content []byte, size int, ok bool) {
	switch wireType {
	case 0:
		_, size = uvarint(b)
		return nil, size, size > 0
	case 1:
		return nil, 8, len(b) >= 8
	case 5:
		return nil, 4, len(b) >= 4
	case 2:
		length, n := uvarint(b)
		if n <= 0 || length > uint64(len(b)-n) {
			return nil, 0, false
		}
		size = n + int(length)
		return b[n:size:size], size, true
	default:
		return nil, 0, false
	}
}

func uvarint(b []byte) (value uint64, size int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	return binary.Uvarint(b)
}
