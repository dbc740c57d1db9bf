package message

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
)

// The wire types a canonical message may use.
const (
	varintWireType = 0
	lengthWireType = 2
)

// maxVarintSize is the length of the longest varint in bytes.
const maxVarintSize = 10

// Canonical returns the canonical encoding of data, which is the one that is hashed (P2.2).
func Canonical(data *pb.MessageData) ([]byte, error) {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(data)
	if err != nil {
		return nil, err
	}
	if err := dataTable().check(b); err != nil {
		return nil, err
	}
	return b, nil
}

// check verifies that b is the canonical encoding of a message of this table: fields in ascending order, none unknown
// or repeated against the schema, defaults omitted, every varint in its shortest form, and no list longer than the table
// allows, for which it returns a *listError.
func (m *wireMessage) check(b []byte) error {
	var last uint64
	var oneofs uint8
	var elements int // of the list that is being read
	for len(b) > 0 {
		tag, n := readVarint(b)
		if n == 0 {
			return fmt.Errorf("%s: bad tag after field %d", m.name, last)
		}
		number := tag >> 3
		if number >= uint64(len(m.fields)) || m.fields[number].kind == noField {
			return fmt.Errorf("%s: unknown field %d", m.name, number)
		}
		f := &m.fields[number]
		switch {
		case tag&7 != f.kind.wireType():
			return fmt.Errorf("%s: field %d has wire type %d", m.name, number, tag&7)
		case number < last:
			return fmt.Errorf("%s: field %d after field %d", m.name, number, last)
		case number == last && !f.repeated:
			return fmt.Errorf("%s: field %d twice", m.name, number)
		case oneofs&f.oneof != 0:
			return fmt.Errorf("%s: field %d is a second choice of its oneof", m.name, number)
		}
		if number != last {
			elements = 0
		}
		if elements++; f.repeated && elements > f.maxElements {
			return &listError{path: f.name, limit: f.maxElements}
		}
		size, err := f.check(b[n:])
		if err != nil {
			return f.wrap(err, m.name, number, elements)
		}
		last, oneofs, b = number, oneofs|f.oneof, b[n+size:]
	}
	return nil
}

// wrap adds to an error which value it is in. elements is the number of values of the field up to that one.
func (f *wireField) wrap(err error, message string, number uint64, elements int) error {
	long, isLong := err.(*listError) //nolint:errorlint // check wraps all errors but this one
	switch {
	case !isLong:
		return fmt.Errorf("%s: field %d: %w", message, number, err)
	case f.repeated:
		long.path = fmt.Sprintf("%s[%d].%s", f.name, elements-1, long.path)
	default:
		long.path = f.name + "." + long.path
	}
	return long
}

// listError is the error of a list with more elements than the table allows.
type listError struct {
	path  string // of the list
	limit int
}

func (e *listError) Error() string { return fmt.Sprintf("%s: more than %d elements", e.path, e.limit) }

var (
	errVarint  = errors.New("varint is truncated, not minimal or too large")
	errLength  = errors.New("length exceeds the input")
	errDefault = errors.New("default value is encoded")
	errUTF8    = errors.New("not valid utf-8")
)

// check verifies the value at the start of b and returns its size in bytes.
func (f *wireField) check(b []byte) (int, error) {
	value, n := readVarint(b)
	if n == 0 {
		return 0, errVarint
	}
	if value == 0 && !f.presence {
		return 0, errDefault
	}
	if f.kind.wireType() == varintWireType {
		return n, f.kind.checkVarint(value)
	}
	if value > uint64(len(b)-n) {
		return 0, errLength
	}
	end := n + int(value)
	return end, f.checkContent(b[n:end])
}

// checkVarint refuses values that would be encoded differently after decoding.
func (k wireKind) checkVarint(value uint64) error {
	canonical := value
	switch k {
	case uint32Kind:
		canonical = uint64(uint32(value))
	case enumKind: // negative numbers are written with 64 bits
		canonical = uint64(int64(int32(value)))
	case boolKind:
		canonical = min(value, 1)
	}
	if value != canonical {
		return errVarint
	}
	return nil
}

func (f *wireField) checkContent(content []byte) error {
	switch f.kind {
	case stringKind:
		if !utf8.Valid(content) {
			return errUTF8
		}
	case messageKind:
		return f.message.check(content)
	}
	return nil
}

// readVarint reads a varint in its shortest form and returns its size, which is 0 for anything else.
func readVarint(b []byte) (value uint64, size int) {
	for i, c := range b {
		if i == maxVarintSize-1 && c > 1 {
			return 0, 0
		}
		value |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			if c == 0 && i > 0 {
				return 0, 0
			}
			return value, i + 1
		}
	}
	return 0, 0
}
