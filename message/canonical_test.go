package message

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"pgregory.net/rapid"

	pb "makechain/gen/makechain"
)

// protobufAgrees is an independent definition of canonical: b decodes without unknown fields and encodes to the
// same bytes.
func protobufAgrees(b []byte) bool {
	data := new(pb.MessageData)
	if proto.Unmarshal(b, data) != nil || hasUnknown(data.ProtoReflect()) {
		return false
	}
	again, err := proto.MarshalOptions{Deterministic: true}.Marshal(data)
	return err == nil && bytes.Equal(again, b)
}

func hasUnknown(m protoreflect.Message) bool {
	found := len(m.GetUnknown()) > 0
	m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case field.Message() == nil:
		case field.IsList():
			for i := range value.List().Len() {
				found = found || hasUnknown(value.List().Get(i).Message())
			}
		default:
			found = found || hasUnknown(value.Message())
		}
		return !found
	})
	return found
}

// TestCanonicalEncodings checks canonical encodings and, next to each, other encodings that protobuf would decode
// to the same message.
//
// Rules: P2.2.
func TestCanonicalEncodings(t *testing.T) {
	t.Parallel()
	minusOne := "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
	for _, c := range []struct {
		name, encoding string
		refused        string // empty if canonical
	}{
		{"nothing", "", ""},
		{"ascending fields", "\x08\x06\x10\x05\x18\x03", ""},
		{"descending fields", "\x10\x05\x08\x06", "field 1 after field 2"},
		{"field twice", "\x08\x06\x08\x06", "field 1 twice"},
		{"default number", "\x08\x00", "default value"},
		{"default bytes", "\x22\x00", "default value"},
		{"default string in a body", "\x2a\x02\x0a\x00", "default value"},
		{"tag of two bytes", "\x88\x00\x06", "bad tag"},
		{"truncated tag", "\x88", "bad tag"},
		{"number of two bytes", "\x08\x86\x00", "varint"},
		{"truncated number", "\x08\x86", "varint"},
		{"number missing", "\x08", "varint"},
		{"largest uint32", "\x10\xff\xff\xff\xff\x0f", ""},
		{"more than 32 bits", "\x10\x80\x80\x80\x80\x10", "varint"},
		{"unknown enum number", "\x08\xe7\x07", ""},
		{"negative enum", "\x08" + minusOne, ""},
		{"negative enum of 32 bits", "\x08\xff\xff\xff\xff\x0f", "varint"},
		{"eleven bytes", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "varint"},
		{"more than 64 bits", "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", "varint"},
		{"largest uint64", "\x52\x0b\x38" + minusOne, ""},
		{"more than uint64", "\x52\x0b\x38\xff\xff\xff\xff\xff\xff\xff\xff\xff\x03", "varint"},
		{"true", "\x52\x02\x30\x01", ""},
		{"true as 2", "\x52\x02\x30\x02", "varint"},
		{"false", "\x52\x02\x30\x00", "default value"},
		{"length of two bytes", "\x22\x81\x00a", "varint"},
		{"length past the end", "\x22\x02a", "length"},
		{"huge length", "\x22" + minusOne + "a", "length"},
		{"empty body", "\x2a\x00", ""},
		{"two bodies", "\x2a\x00\x32\x00", "second choice"},
		{"body twice", "\x2a\x00\x2a\x00", "twice"},
		{"empty target of a link", "\xaa\x01\x02\x12\x00", ""},
		{"two targets of a link", "\xaa\x01\x04\x12\x00\x1a\x00", "second choice"},
		{"empty elements", "\x62\x06\x12\x00\x12\x02\x12\x00", ""},
		{"list with a field between", "\x62\x07\x12\x00\x1a\x01a\x12\x00", "field 2 after field 3"},
		{"utf-8", "\x2a\x04\x0a\x02\xc3\xa9", ""},
		{"broken utf-8", "\x2a\x03\x0a\x01\xc3", "utf-8"},
		{"invalid UTF-8 in bytes", "\x22\x01\xc3", ""},
		{"unknown field", "\x08\x06\xa0\x06\x01", "unknown field 100"},
		{"field number 0", "\x00\x01", "unknown field 0"},
		{"unknown field in a body", "\x2a\x02\x28\x01", "unknown field 5"},
		{"largest field number", "\xf8\xff\xff\xff\x0f\x01", "unknown field 536870911"},
		{"tag beyond field numbers", "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01\x01", "unknown field"},
		{"fixed 32", "\x15\x05\x00\x00\x00", "wire type 5"},
		{"fixed 64", "\x11\x05\x00\x00\x00\x00\x00\x00\x00", "wire type 1"},
		{"bytes for a number", "\x12\x01\x05", "wire type 2"},
		{"number for bytes", "\x20\x01", "wire type 0"},
		{"group", "\x2b\x2c", "wire type 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := dataTable().check([]byte(c.encoding))
			if (err == nil) != (c.refused == "") || err != nil && !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%x: %v, want %q", c.encoding, err, c.refused)
			}
			if agrees := protobufAgrees([]byte(c.encoding)); agrees != (c.refused == "") {
				t.Errorf("%x: protobuf accepts it: %t", c.encoding, agrees)
			}
		})
	}
}

// TestCanonicalAgreesWithProtobuf checks random encodings, some of which break a rule: the check must accept
// exactly those that decode without unknown fields and encode to the same bytes.
//
// Rules: P2.2.
func TestCanonicalAgreesWithProtobuf(t *testing.T) {
	t.Parallel()
	accepted := 0
	rapid.Check(t, func(t *rapid.T) {
		b := randomEncoding(t, dataTable(), rapid.SampledFrom([]int{0, 0, 2, 20}).Draw(t, "fault percentage"))
		err := dataTable().check(b)
		if agrees := protobufAgrees(b); agrees != (err == nil) {
			t.Fatalf("%x: the check returns %v, protobuf accepts it: %t", b, err, agrees)
		}
		if err == nil {
			accepted++
		}
	})
	if accepted == 0 {
		t.Error("no encoding was canonical")
	}
}

// randomEncoding draws an encoding of a message of the table. Each choice is faulty with the given probability in percent.
func randomEncoding(t *rapid.T, table *wireMessage, faultPercent int) []byte {
	slip := func(what string) bool { return rapid.IntRange(0, 99).Draw(t, what) < faultPercent }
	var b []byte
	var oneofs uint8
	for number := 1; number < len(table.fields); number++ {
		f := table.fields[number]
		if f.kind == noField && !slip("unknown field") || rapid.IntRange(0, 3).Draw(t, "leave out") > 0 {
			continue
		}
		if oneofs&f.oneof != 0 && !slip("second choice") {
			continue
		}
		oneofs |= f.oneof
		for again := true; again; again = f.repeated && rapid.Bool().Draw(t, "another") || slip("repeat") {
			b = appendRandomField(t, b, uint64(number), f, faultPercent)
		}
		if slip("go back") {
			number = rapid.IntRange(0, number).Draw(t, "to")
		}
	}
	return b
}

func appendRandomField(t *rapid.T, b []byte, number uint64, f wireField, faultPercent int) []byte {
	slip := func(what string) bool { return rapid.IntRange(0, 99).Draw(t, what) < faultPercent }
	wireType := f.kind.wireType()
	if slip("wire type") {
		wireType = rapid.Uint64Range(0, 7).Draw(t, "other wire type")
	}
	b = appendRandomVarint(b, number<<3|wireType, slip("long tag"))
	var content []byte
	switch f.kind {
	case messageKind:
		content = randomEncoding(t, f.message, faultPercent)
	case bytesKind, stringKind:
		content = []byte(rapid.StringN(0, 3, 8).Draw(t, "text"))
		if !f.presence && len(content) == 0 && !slip("default text") {
			content = []byte("x")
		}
		if slip("raw bytes") {
			content = rapid.SliceOfN(rapid.Byte(), 0, 4).Draw(t, "bytes")
		}
	default:
		return appendRandomVarint(b, randomNumber(t, f.kind, slip("odd number")), slip("long number"))
	}
	length := uint64(len(content))
	if slip("length") {
		length = rapid.Uint64Range(0, length+3).Draw(t, "other length")
	}
	return append(appendRandomVarint(b, length, slip("long length")), content...)
}

func randomNumber(t *rapid.T, kind wireKind, odd bool) uint64 {
	switch {
	case odd:
		return rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(0, 3)).Draw(t, "odd")
	case kind == boolKind:
		return 1
	case kind == enumKind:
		return uint64(int64(rapid.Int32Max(-1).Draw(t, "enum")))
	case kind == uint32Kind:
		return uint64(rapid.Uint32Min(1).Draw(t, "uint32"))
	default:
		return rapid.Uint64Min(1).Draw(t, "uint64")
	}
}

// appendRandomVarint appends a number, with one byte more than needed if long is set.
func appendRandomVarint(b []byte, value uint64, long bool) []byte {
	b = binary.AppendUvarint(b, value)
	if long {
		b[len(b)-1] |= 0x80
		b = append(b, 0)
	}
	return b
}

// TestCanonicalErrors checks that Canonical refuses messages without a canonical encoding.
//
// Rules: P2.2.
func TestCanonicalErrors(t *testing.T) {
	t.Parallel()
	broken := ProjectCreate("\xff", pb.Visibility_VISIBILITY_PUBLIC, "", "")
	unknown := ProjectArchive(projectID)
	unknown.GetProjectArchive().ProtoReflect().SetUnknown(protowire.AppendVarint(protowire.AppendTag(nil, 9, protowire.VarintType), 1))
	for name, data := range map[string]*pb.MessageData{"utf-8": broken, "unknown field": unknown} {
		if b, err := Canonical(data); err == nil {
			t.Errorf("%s: encoded as %x", name, b)
		}
	}
}
