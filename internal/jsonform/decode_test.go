package jsonform

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/message"
)

// mustUnmarshal decodes a valid document.
func mustUnmarshal[M proto.Message](tb testing.TB, text string, into M) M {
	tb.Helper()
	if err := Unmarshal([]byte(text), into); err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	return into
}

// TestVectors encodes and decodes the messages of all vectors and checks that their canonical bytes and hashes do not change.
// Messages that a node refuses may have no form.
func TestVectors(t *testing.T) {
	t.Parallel()
	list := vectorMessages(t)
	types, survived, refused := map[pb.MessageType]bool{}, 0, 0
	for _, v := range list {
		text, err := Marshal(v.message)
		read := new(pb.Message)
		if err == nil {
			err = Unmarshal(text, read)
		}
		if err != nil {
			refused++
			if v.accepted {
				t.Errorf("%s: %v", v.name, err)
			}
			continue
		}
		survived++
		if !proto.Equal(read, v.message) {
			t.Errorf("%s: read %v, want %v", v.name, read, v.message)
		}
		if !v.accepted {
			continue
		}
		types[v.message.GetData().GetType()] = true
		before, refusal := message.Open(v.message)
		after, refusalAfter := message.Open(read)
		if refusal != nil || refusalAfter != nil {
			t.Fatalf("%s: %v, %v", v.name, refusal, refusalAfter)
		}
		if !bytes.Equal(before.Transaction(), after.Transaction()) || before.Hash != after.Hash {
			t.Errorf("%s: %x of hash %s, want %x of hash %s", v.name, after.Transaction(), after.Hash, before.Transaction(), before.Hash)
		}
	}
	if len(types) != len(message.Types()) || survived < 300 || refused == 0 {
		t.Errorf("%d types, %d messages are unchanged and %d have no form, want all types and more messages", len(types), survived, refused)
	}
}

// TestLenientInput decodes values in other forms than Marshal encodes them.
func TestLenientInput(t *testing.T) {
	t.Parallel()
	address := fill(0xab, 20)
	for _, test := range []struct {
		name, text string
		want       proto.Message
	}{
		{"no key at all", `{}`, &pb.Message{}},
		{"white space", " {\t\"limit\" :\r\n3 } \n", &pb.ListProjectsRequest{Limit: 3}},
		{"any order", `{"cursor":"00","limit":3}`, &pb.ListProjectsRequest{Limit: 3, Cursor: []byte{0}}},
		{"null for a number", `{"limit":null,"cursor":null}`, &pb.ListProjectsRequest{}},
		{"null for a list", `{"projects":null,"next_cursor":null}`, &pb.ListProjectsResponse{}},
		{"null for a word", `{"visibility":null}`, &pb.ProjectCreateBody{}},
		{"hex with its prefix", `{"project_id":"0xAb"}`, &pb.GetProjectRequest{ProjectId: []byte{0xab}}},
		{"capital prefix", `{"project_id":"0XAb"}`, &pb.GetProjectRequest{ProjectId: []byte{0xab}}},
		{"address without prefix", `{"owner_address":"` + strings.ToUpper(hexOf(0xab, 20)) + `"}`, &pb.GetAccountRequest{OwnerAddress: address}},
		{"empty strings", `{"name":"","license":""}`, &pb.ProjectCreateBody{}},
		{"none by its word", `{"link_type":"none"}`, &pb.ListLinksRequest{}},
		{"escapes", `{"name":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é"}`, &pb.ProjectCreateBody{Name: "\"\\/\b\f\n\r\té😀é"}},
		{"escaped key", `{"n\u0061me":"x"}`, &pb.ProjectCreateBody{Name: "x"}},
		{"largest numbers", `{"nonce":"18446744073709551615","scope":4294967295}`, &pb.SignerAddBody{Nonce: 1<<64 - 1, Scope: 1<<32 - 1}},
		{"ref by its text", `{"ref_name":"é"}`, &pb.RefDeleteBody{RefName: []byte("é")}},
		{"ref by its hex", `{"ref_name_hex":"ff"}`, &pb.RefDeleteBody{RefName: []byte{0xff}}},
		{"ref by both", `{"ref_name_hex":"61","ref_name":"a"}`, &pb.RefDeleteBody{RefName: []byte("a")}},
		{"ref by hex, no text", `{"ref_name":null,"ref_name_hex":"61"}`, &pb.RefDeleteBody{RefName: []byte("a")}},
		{"source by its text", `{"source_ref_text":"a","target_ref":"62"}`, &pb.MergeRequestAddBody{SourceRef: []byte("a"), TargetRef: []byte("b")}},
		{
			"one target", `{"target_project_id":null,"target_owner_address":"` + hexOf(0xab, 20) + `"}`,
			&pb.LinkAddBody{Target: &pb.LinkAddBody_TargetOwnerAddress{TargetOwnerAddress: address}},
		},
		{"empty target", `{"target_project_id":""}`, &pb.LinkAddBody{Target: &pb.LinkAddBody_TargetProjectId{}}},
		{"optional zero", `{"start_block":"0"}`, &pb.SubscribeBlocksRequest{StartBlock: new(uint64)}},
		{"body before its type", `{"body":{"project_id":"01"},"type":"project_archive"}`, archive()},
		{"body behind its type", `{"type":"project_archive","body":{"project_id":"01"}}`, archive()},
		{"null body", `{"body":null,"type":"project_archive"}`, &pb.MessageData{Type: pb.MessageType_MESSAGE_TYPE_PROJECT_ARCHIVE}},
		{"wrapped", `{"hash":"04","block_number":"7"}`, &pb.MessageEntry{Message: &pb.Message{Hash: []byte{4}, BlockNumber: 7}, BlockNumber: 7}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			read := test.want.ProtoReflect().New().Interface()
			if mustUnmarshal(t, test.text, read); !proto.Equal(read, test.want) {
				t.Errorf("%s\nreads %v\nwant  %v", test.text, read, test.want)
			}
		})
	}
}

func archive() *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_PROJECT_ARCHIVE,
		Body: &pb.MessageData_ProjectArchive{ProjectArchive: &pb.ProjectArchiveBody{ProjectId: []byte{1}}},
	}
}

// TestReset checks that decoding replaces the content of a message.
func TestReset(t *testing.T) {
	t.Parallel()
	if m := mustUnmarshal(t, `{"index":9}`, refUpdate()); !proto.Equal(m, &pb.Message{Index: 9}) {
		t.Errorf("read %v", m)
	}
	if err := Unmarshal([]byte(`{}`), nil); !errors.Is(err, errNoMessage) {
		t.Errorf("reads into nothing: %v", err)
	}
	if err := Unmarshal([]byte(`{}`), (*pb.Message)(nil)); !errors.Is(err, errNoMessage) {
		t.Errorf("reads into nothing: %v", err)
	}
}

// BenchmarkUnmarshal decodes a message that is submitted.
func BenchmarkUnmarshal(b *testing.B) {
	text := []byte(mustMarshal(b, refUpdate()))
	b.ReportAllocs()
	for b.Loop() {
		if err := Unmarshal(text, new(pb.Message)); err != nil {
			b.Fatal(err)
		}
	}
}

// TestUnmarshalRequest checks the errors that only requests have: a required key, null for an object, the length of bytes,
// an empty batch and an absent type. Unmarshal accepts these documents, and other errors take precedence.
func TestUnmarshalRequest(t *testing.T) {
	t.Parallel()
	hash, signature := strings.Repeat("ab", 32), strings.Repeat("cd", 64)
	signed := func(data, hash string) string {
		return `{"data":` + data + `,"hash":"` + hash + `","signature":"` + signature + `","signer":"` + hash + `"}`
	}
	for _, test := range []struct {
		name, text string
		into       proto.Message
		want       string // no error if empty
	}{
		{"valid", signed(`{"type":"ref_delete","body":{}}`, hash), &pb.Message{}, ""},
		{"prefix", signed(`{"type":"ref_delete","body":{"project_id":"0x`+hash+`"}}`, hash), &pb.Message{}, ""},
		{"missing key", `{"data":{"type":"ref_delete"},"hash":"` + hash + `","signature":"` + signature + `"}`, &pb.Message{}, `the key "signer" is required`},
		{"missing type", signed(`{}`, hash), &pb.Message{}, `data: the key "type" is required`},
		{"null type", signed(`{"type":null}`, hash), &pb.Message{}, `data.type: must not be null`},
		{"null object", signed(`null`, hash), &pb.Message{}, `data: must not be null`},
		{"null body", signed(`{"type":"ref_delete","body":null}`, hash), &pb.Message{}, `data.body: must not be null`},
		{"short hash", signed(`{"type":"ref_delete"}`, "ab"), &pb.Message{}, `hash: has 2 hex digits, want 64 (and 1 more)`},
		{"absent enum", `{"link_type":"none"}`, &pb.ListLinksRequest{}, `link_type: is "none", want one of follow, star`},
		{"empty batch", `{"messages":[]}`, &pb.BatchSubmitRequest{}, `messages: has 0 items, want at least 1`},
		{"null batch", `{"messages":null}`, &pb.BatchSubmitRequest{}, `messages: must not be null`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := UnmarshalRequest([]byte(test.text), test.into)
			if test.want == "" && err != nil || test.want != "" && (err == nil || err.Error() != test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
			if err := Unmarshal([]byte(test.text), test.into); err != nil {
				t.Errorf("Unmarshal: %v", err)
			}
		})
	}
	err := UnmarshalRequest([]byte(`{"hash":"ab","data":1}`), &pb.Message{})
	if want := "data: is a number, want an object"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
}
