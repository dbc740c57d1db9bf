package schema_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"pgregory.net/rapid"

	pb "makechain/gen/makechain"
	"makechain/internal/schema"
)

// rowTypes returns the messages of state.proto.
func rowTypes(t *testing.T) []protoreflect.MessageType {
	t.Helper()
	var rows []protoreflect.MessageType
	messages := pb.File_makechain_state_proto.Messages()
	for i := range messages.Len() {
		kind, err := protoregistry.GlobalTypes.FindMessageByName(messages.Get(i).FullName())
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, kind)
	}
	if len(rows) != 30 {
		t.Fatalf("%d kinds of rows, want 30", len(rows))
	}
	return rows
}

// walk reads an encoded row by the wire format alone: field numbers must ascend, except for the elements of a list, no
// scalar may have its default value, and varints must be minimal. It returns the field numbers.
func walk(b []byte) (fields []uint64, err error) {
	previous := uint64(0)
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 || n > 1 && b[n-1] == 0 {
			return nil, errors.New("a tag is not in its shortest form")
		}
		b = b[n:]
		number, wireType := tag>>3, tag&7
		if number < previous {
			return nil, fmt.Errorf("field %d after field %d", number, previous)
		}
		value, n := binary.Uvarint(b)
		if n <= 0 || n > 1 && b[n-1] == 0 {
			return nil, fmt.Errorf("field %d: a number is not in its shortest form", number)
		}
		b = b[n:]
		repeated := number == previous
		switch wireType {
		case 0:
			if value == 0 || repeated {
				return nil, fmt.Errorf("field %d: default or repeated number", number)
			}
		case 2:
			if value == 0 || value > uint64(len(b)) {
				return nil, fmt.Errorf("field %d: empty or cut short", number)
			}
			b = b[value:]
		default:
			return nil, fmt.Errorf("field %d: wire type %d", number, wireType)
		}
		if !repeated {
			fields = append(fields, number)
		}
		previous = number
	}
	return fields, nil
}

// TestRowsAreCanonical encodes every kind of row with random fields and checks the bytes with walk, which does not use the
// schema.
//
// Rules: P7.
func TestRowsAreCanonical(t *testing.T) {
	t.Parallel()
	for _, kind := range rowTypes(t) {
		t.Run(string(kind.Descriptor().Name()), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) { checkCanonical(t, kind) })
		})
	}
}

func checkCanonical(t *rapid.T, kind protoreflect.MessageType) {
	row, again := kind.New(), kind.New()
	set := 0
	fields := kind.Descriptor().Fields()
	for i := range fields.Len() {
		if f := fields.Get(i); rapid.Bool().Draw(t, string(f.Name())) {
			row.Set(f, drawValue(t, row, f))
		}
		if row.Has(fields.Get(i)) {
			set++
		}
	}
	value, err := schema.Encode(row.Interface())
	if err != nil {
		t.Fatal(err)
	}
	numbers, err := walk(value)
	if err != nil || len(numbers) != set {
		t.Fatalf("%v is encoded with the fields %v, error %v", row.Interface(), numbers, err)
	}
	if err := schema.Decode(value, again.Interface()); err != nil || !proto.Equal(row.Interface(), again.Interface()) {
		t.Fatalf("decoded %v, error %v, want %v", again.Interface(), err, row.Interface())
	}
}

// drawValue draws a value for a field, including default values.
func drawValue(t *rapid.T, row protoreflect.Message, f protoreflect.FieldDescriptor) protoreflect.Value {
	if f.IsList() {
		list := row.NewField(f).List()
		for _, element := range rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 1, 40), 0, 4).Draw(t, "list") {
			if f.Kind() == protoreflect.MessageKind { // each starts with its bytes field, and is tested as a row type too
				entry := list.NewElement()
				entry.Message().Set(f.Message().Fields().Get(0), protoreflect.ValueOfBytes(element))
				list.Append(entry)
				continue
			}
			list.Append(protoreflect.ValueOfBytes(element))
		}
		return protoreflect.ValueOfList(list)
	}
	switch f.Kind() {
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(rapid.Uint32().Draw(t, "number"))
	case protoreflect.Uint64Kind:
		return protoreflect.ValueOfUint64(rapid.Uint64().Draw(t, "number"))
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(rapid.Bool().Draw(t, "flag"))
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(rapid.String().Draw(t, "text"))
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
	case protoreflect.EnumKind:
		values := f.Enum().Values()
		return protoreflect.ValueOfEnum(values.Get(rapid.IntRange(0, values.Len()-1).Draw(t, "value")).Number())
	default:
		t.Fatalf("field %s is of kind %s, which no row has", f.FullName(), f.Kind())
		return protoreflect.Value{}
	}
}

// TestWalkerFindsFaults checks that walk refuses encodings that are not canonical.
func TestWalkerFindsFaults(t *testing.T) {
	t.Parallel()
	for name, encoded := range map[string]string{
		"descending":          "\x10\x01\x08\x01",
		"default number":      "\x08\x00",
		"empty text":          "\x12\x00",
		"number twice":        "\x08\x01\x08\x02",
		"long number":         "\x08\x81\x00",
		"long tag":            "\x88\x00\x01",
		"truncated":           "\x12\x05ab",
		"fixed width":         "\x0d\x01\x00\x00\x00",
		"tag without a value": "\x08",
	} {
		if fields, err := walk([]byte(encoded)); err == nil {
			t.Errorf("%s: fields %v", name, fields)
		}
	}
}

// TestEmptyRow checks that a row with only default values encodes to no bytes.
//
// Rules: P7.
func TestEmptyRow(t *testing.T) {
	t.Parallel()
	for _, kind := range rowTypes(t) {
		value, err := schema.Encode(kind.New().Interface())
		if err != nil || len(value) != 0 {
			t.Errorf("%s: %x, error %v", kind.Descriptor().Name(), value, err)
		}
	}
}

// TestEncodeInvalidUTF8 checks that invalid UTF-8 in a string field is refused.
func TestEncodeInvalidUTF8(t *testing.T) {
	t.Parallel()
	if value, err := schema.Encode(&pb.AccountRow{Username: "\xff"}); err == nil || !strings.Contains(err.Error(), "AccountRow") {
		t.Errorf("%x, error %v", value, err)
	}
	if err := schema.Decode([]byte{0xFF}, &pb.AccountRow{}); err == nil || !strings.Contains(err.Error(), "AccountRow") {
		t.Errorf("error %v", err)
	}
}

// TestTimestampIsFieldOne checks that field 1 of every row that can have a tombstone, and of markers, is its timestamp.
//
// Rules: P7.
func TestTimestampIsFieldOne(t *testing.T) {
	t.Parallel()
	for _, row := range []proto.Message{
		&pb.TombstoneRow{Timestamp: 7}, &pb.PruneMarkerRow{Timestamp: 7}, &pb.RefRow{Timestamp: 7, Nonce: 9},
		&pb.CollaboratorRow{Timestamp: 7, Permission: 2}, &pb.LinkRow{Timestamp: 7}, &pb.ReactionRow{Timestamp: 7},
		&pb.VerificationRow{Timestamp: 7, VerificationType: 1}, &pb.MergeRequestRow{Timestamp: 7, Title: "x"},
		&pb.MergeRequestByRequesterRow{Timestamp: 7}, &pb.AccountMetadataRow{Timestamp: 7, Value: "x"},
		&pb.ProjectMetadataRow{Timestamp: 7, Value: "x"},
	} {
		value, err := schema.Encode(row)
		if err != nil {
			t.Fatal(err)
		}
		if at, err := schema.Timestamp(value); err != nil || at != 7 {
			t.Errorf("%T: timestamp %d, error %v", row, at, err)
		}
	}
}

// TestTimestampBounds checks the largest timestamp, and rows without a valid one.
func TestTimestampBounds(t *testing.T) {
	t.Parallel()
	value, err := schema.Encode(&pb.TombstoneRow{Timestamp: math.MaxUint32})
	if err != nil {
		t.Fatal(err)
	}
	if at, err := schema.Timestamp(value); err != nil || at != math.MaxUint32 {
		t.Errorf("timestamp %d, error %v", at, err)
	}
	for name, bad := range map[string]string{
		"nothing": "", "another field": "\x10\x01", "text": "\x0a\x01x", "truncated": "\x08",
		"endless": "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "too large": "\x08\x80\x80\x80\x80\x10",
	} {
		if at, err := schema.Timestamp([]byte(bad)); err == nil {
			t.Errorf("%s: timestamp %d", name, at)
		}
	}
}
