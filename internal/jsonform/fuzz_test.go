package jsonform

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "makechain/gen/makechain"
	"makechain/message"
)

// seed adds every message of the vectors, and one empty message of each type. The first argument is the index of the type of
// the message.
func seed(f *testing.F, list []protoreflect.MessageDescriptor, of func(proto.Message) []byte) {
	f.Helper()
	add := func(m proto.Message) {
		for i, d := range list {
			if d == m.ProtoReflect().Descriptor() {
				f.Add(uint8(i), of(m))
			}
		}
	}
	for _, d := range list {
		if wrappedField(d.FullName()) == "" {
			add(newMessage(f, d))
		}
	}
	seen := map[pb.MessageType]int{}
	for _, v := range vectorMessages(f) {
		if kind := v.message.GetData().GetType(); v.accepted && seen[kind] < 2 {
			seen[kind]++
			add(v.message)
			add(&pb.GetMessageResponse{Message: v.message})
		}
	}
	if len(seen) != len(message.Types()) {
		f.Fatalf("seeds of %d types, want %d", len(seen), len(message.Types()))
	}
}

// FuzzUnmarshal decodes arbitrary text as any message, and checks that accepted text is JSON and that encoding and decoding the
// message again does not change it.
func FuzzUnmarshal(f *testing.F) {
	list := reachable()
	seed(f, list, func(m proto.Message) []byte { return []byte(mustMarshal(f, m)) })
	f.Add(uint8(0), []byte(`{"body":{"ref_name":"\ud83d\ude00"},"type":"ref_update"}`))
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		m := newMessage(t, list[int(which)%len(list)])
		err := Unmarshal(text, m)
		var found *Error
		switch {
		case errors.As(err, &found):
			if !found.Syntax && len(found.Fields) < MaxErrors && !json.Valid(text) && !strings.Contains(found.Error(), "objects") {
				t.Fatalf("%q is not JSON, but only %v is wrong", text, found)
			}
			return
		case err != nil:
			t.Fatal(err)
		case !json.Valid(text):
			t.Fatalf("%q is not JSON", text)
		}
		written := mustMarshal(t, m)
		read := mustUnmarshal(t, written, newMessage(t, m.ProtoReflect().Descriptor()))
		if !proto.Equal(read, m) {
			t.Fatalf("%s\nreads %v\nwant  %v", written, read, m)
		}
	})
}

// FuzzMarshal encodes arbitrary messages, and checks that decoding returns an equal message.
func FuzzMarshal(f *testing.F) {
	list := reachable()
	seed(f, list, func(m proto.Message) []byte {
		encoded, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		return encoded
	})
	f.Fuzz(func(t *testing.T, which uint8, encoded []byte) {
		m := newMessage(t, list[int(which)%len(list)])
		reading := proto.UnmarshalOptions{DiscardUnknown: true}
		if reading.Unmarshal(encoded, m) != nil {
			return
		}
		text, err := Marshal(m)
		if err != nil {
			return
		}
		read := newMessage(t, m.ProtoReflect().Descriptor())
		if err := Unmarshal(text, read); err != nil {
			if !strings.Contains(err.Error(), "that fit") {
				t.Fatalf("%s: %v", text, err)
			}
			return
		}
		if !proto.Equal(read, m) {
			t.Fatalf("%s\nreads %v\nwant  %v", text, read, m)
		}
	})
}
