package limit_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/structpb"

	pb "makechain/gen/makechain"
	"makechain/internal/limit"
)

// smallMessage returns a message as small as they get.
func smallMessage() *pb.Message {
	return &pb.Message{
		Hash: make([]byte, 32), Signature: make([]byte, 64), Signer: make([]byte, 32),
		Data: &pb.MessageData{
			Type: pb.MessageType_MESSAGE_TYPE_LINK_ADD, Timestamp: 1_700_000_000, Network: pb.Network_NETWORK_DEVNET, OwnerAddress: make([]byte, 20),
			Body: &pb.MessageData_LinkAdd{LinkAdd: &pb.LinkAddBody{Target: &pb.LinkAddBody_TargetProjectId{TargetProjectId: make([]byte, 32)}}},
		},
	}
}

// honestRequests returns requests of the kinds that take the most memory for their size.
func honestRequests() map[string]proto.Message {
	batch, bundle := &pb.BatchSubmitRequest{}, &pb.CommitBundleBody{ProjectId: make([]byte, 32)}
	for range limit.MaxBatch {
		batch.Messages = append(batch.Messages, smallMessage())
	}
	for range 1_000 {
		bundle.Commits = append(bundle.Commits, &pb.CommitMeta{
			Hash: make([]byte, 32), TreeRoot: make([]byte, 32), MessageHash: make([]byte, 32), AuthorAddress: make([]byte, 20),
			Parents: [][]byte{make([]byte, 32)},
		})
	}
	push := smallMessage()
	push.Data.Body = &pb.MessageData_CommitBundle{CommitBundle: bundle}
	return map[string]proto.Message{
		"empty":   &pb.GetNodeStatusRequest{},
		"message": &pb.SubmitMessageRequest{Message: smallMessage()},
		"batch":   batch,
		"bundle":  &pb.BatchSubmitRequest{Messages: []*pb.Message{push, push, push}},
		"types":   &pb.ListMessagesRequest{Types: make([]pb.MessageType, 100)},
	}
}

func wireOf(m proto.Message) *limit.Wire { return limit.NewWire(m.ProtoReflect().Descriptor()) }

func TestHonestRequests(t *testing.T) {
	t.Parallel()
	for name, m := range honestRequests() {
		encoded, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if err := wireOf(m).Check(encoded); err != nil {
			t.Errorf("%s of %d bytes: %v", name, len(encoded), err)
		}
		text, err := protojson.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if err := limit.CheckJSON(text); err != nil {
			t.Errorf("%s of %d bytes as JSON: %v", name, len(text), err)
		}
	}
}

// inside returns content as the value of a field of each number, the innermost first.
func inside(content []byte, numbers ...protowire.Number) []byte {
	for _, number := range numbers {
		content = protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), content)
	}
	return content
}

func TestWireRefuses(t *testing.T) {
	t.Parallel()
	batch, list := &pb.BatchSubmitRequest{}, &pb.ListMessagesRequest{}
	deep := inside(nil, 1)
	for range 40 {
		deep = inside(deep, 6, 1) // a list value in a list
	}
	many := func(element []byte) []byte { return bytes.Repeat(element, 4<<20/len(element)) }
	for _, c := range []struct {
		name    string
		message proto.Message
		encoded []byte
		want    error
	}{
		{"empty messages", batch, many(inside(nil, 1)), limit.ErrExpansion},
		{"empty data", batch, many(inside(nil, 1, 1)), limit.ErrExpansion},
		{"empty commits", batch, inside(many(inside(nil, 2)), 12, 1, 1), limit.ErrExpansion},
		{"empty parents", batch, inside(many(inside(nil, 2)), 2, 12, 1, 1), limit.ErrExpansion},
		{"numbers, packed", list, inside(make([]byte, 64<<10), 4), limit.ErrExpansion},
		{"numbers", list, many([]byte{4 << 3, 1}), limit.ErrExpansion},
		{"unknown fields", list, many([]byte{0xa8, 0x3e, 1}), nil},
		{"nesting", &structpb.ListValue{}, deep, limit.ErrDepth},
		{"a truncated tag", list, []byte{0x80}, limit.ErrWire},
		{"a truncated number", list, []byte{1 << 3, 0x80}, limit.ErrWire},
		{"a length past the end", list, []byte{4<<3 | 2, 5, 0}, limit.ErrWire},
		{"a huge length", list, append([]byte{4<<3 | 2}, protowire.AppendVarint(nil, 1<<64-1)...), limit.ErrWire},
		{"a group", list, []byte{4<<3 | 3, 4<<3 | 4}, limit.ErrWire},
		{"a truncated fixed number", list, []byte{4<<3 | 1, 0}, limit.ErrWire},
	} {
		if err := wireOf(c.message).Check(c.encoded); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

func TestJSONRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want error
	}{
		"empty messages":        {`{"messages":[` + strings.Repeat("{},", 1<<20) + "{}]}", limit.ErrExpansion},
		"empty strings":         {`{"types":[` + strings.Repeat(`"",`, 1<<20) + `""]}`, limit.ErrExpansion},
		"numbers":               {`{"types":[` + strings.Repeat(`1,`, 1<<20) + `1]}`, limit.ErrExpansion},
		"nesting":               {strings.Repeat("[", 33), limit.ErrDepth},
		"nesting of objects":    {strings.Repeat(`{"a":`, 10_000), limit.ErrDepth},
		"brackets in a string":  {`{"a":"` + strings.Repeat("[", 1<<20) + `"}`, nil},
		"a quote in a string":   {`{"a":"\"` + strings.Repeat("[", 1<<20) + `"}`, nil},
		"a string without end":  {`{"a":"` + strings.Repeat("[", 1<<20), nil},
		"an escape without end": {`"\`, nil},
		"nothing":               {"", nil},
	} {
		if err := limit.CheckJSON([]byte(c.text)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestChecksDoNotAllocate(t *testing.T) { //nolint:paralleltest // AllocsPerRun counts those of all goroutines
	m := honestRequests()["bundle"]
	encoded, _ := proto.Marshal(m)
	text, _ := protojson.Marshal(m)
	wire := wireOf(m)
	if n := testing.AllocsPerRun(10, func() { _, _ = wire.Check(encoded), limit.CheckJSON(text) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// decodedSize returns the memory of a decoded message: its structs, lists and bytes.
func decodedSize(m protoreflect.Message) int {
	size := int(reflect.TypeOf(m.Interface()).Elem().Size()) + len(m.GetUnknown())
	m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		if !field.IsList() {
			size += valueSize(field, value)
			return true
		}
		for i := range value.List().Len() {
			size += 8 + valueSize(field, value.List().Get(i))
		}
		return true
	})
	return size
}

func valueSize(field protoreflect.FieldDescriptor, value protoreflect.Value) int {
	switch field.Kind() {
	case protoreflect.MessageKind:
		return decodedSize(value.Message())
	case protoreflect.BytesKind:
		return len(value.Bytes())
	case protoreflect.StringKind:
		return len(value.String())
	default:
		return 0
	}
}

// FuzzWire checks that a request that passes takes no more memory than the check allows.
func FuzzWire(f *testing.F) {
	for _, m := range honestRequests() {
		encoded, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(encoded)
	}
	f.Add(bytes.Repeat(inside(nil, 1), 1_000))
	f.Add(inside(bytes.Repeat(inside(nil, 2), 1_000), 12, 1, 1))
	wire := wireOf(&pb.BatchSubmitRequest{})
	f.Fuzz(func(t *testing.T, encoded []byte) {
		var m pb.BatchSubmitRequest
		if wire.Check(encoded) != nil || proto.Unmarshal(encoded, &m) != nil {
			return
		}
		if got, most := decodedSize(m.ProtoReflect()), 4*len(encoded)+64<<10; got > most {
			t.Fatalf("%d bytes take %d decoded, want at most %d", len(encoded), got, most)
		}
	})
}

// FuzzJSON checks the same for JSON.
func FuzzJSON(f *testing.F) {
	for _, m := range honestRequests() {
		text, err := protojson.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"messages":[` + strings.Repeat("{},", 1_000) + "{}]}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var m pb.BatchSubmitRequest
		if limit.CheckJSON(text) != nil || protojson.Unmarshal(text, &m) != nil {
			return
		}
		if got, most := decodedSize(m.ProtoReflect()), 4*len(text)+64<<10; got > most {
			t.Fatalf("%d bytes take %d decoded, want at most %d", len(text), got, most)
		}
	})
}

func TestIsLarge(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"/makechain.MakechainService/SubmitMessage":           true,
		"/makechain.MakechainService/BatchSubmitMessages":     true,
		"/makechain.MakechainService/DryRunMessage":           true,
		"/makechain.MakechainService/VerifyStorageQuotaProof": true,
		"/makechain.MakechainService/ListMessages":            false,
		"/makechain.dev.FaucetService/Claim":                  false,
		"/v1/messages":                                        true,
		"/v1/messages/batch":                                  true,
		"/v1/messages/dry-run":                                true,
		"/v1/proofs/verify/operation":                         true,
		"/v1/blocks":                                          false,
		"/":                                                   false,
	} {
		if got := limit.IsLarge(path); got != want {
			t.Errorf("%s: %t, want %t", path, got, want)
		}
	}
}
