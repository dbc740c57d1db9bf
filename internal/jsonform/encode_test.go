package jsonform

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
)

// TestWholeMessage checks the encoding of a message in responses and streams.
func TestWholeMessage(t *testing.T) {
	t.Parallel()
	want := `{"data":{"type":"ref_update","timestamp":1700000000,"network":"devnet","owner_address":"0x` + hexOf(0xaa, 20) + `",` +
		`"body":{"project_id":"` + hexOf(1, 32) + `","ref_name":"refs/heads/main","ref_name_hex":"726566732f68656164732f6d61696e",` +
		`"ref_type":"branch","old_hash":"` + hexOf(2, 32) + `","new_hash":"` + hexOf(3, 32) + `","force":false,"nonce":"7","tag_object":null,"content_digest":null}},` +
		`"hash":"` + hexOf(4, 32) + `","signature":"` + hexOf(5, 64) + `","signer":"` + hexOf(6, 32) + `","data_bytes":null,` +
		`"block_number":"42","index":3}`
	for _, m := range []proto.Message{
		refUpdate(),
		&pb.MessageEntry{Message: refUpdate(), BlockNumber: 42},
		&pb.GetMessageResponse{Message: refUpdate(), BlockNumber: 42},
	} {
		if got := mustMarshal(t, m); got != want {
			t.Errorf("%T is\n%s\nwant\n%s", m, got, want)
		}
	}
}

// TestConventions checks the form of values of each kind.
func TestConventions(t *testing.T) {
	t.Parallel()
	custodyKey := &pb.CustodyKeyEntry{
		KeyId: fill(0xab, 20), SignatureType: pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_P256, PublicKey: fill(0xcd, 64),
		Admin: true, ExpiresAt: 1 << 60, AddedAt: 5, Status: pb.CustodyKeyStatus_CUSTODY_KEY_STATUS_ACTIVE,
	}
	mergeRequest := &pb.MergeRequestSummary{SourceRef: []byte("refs/heads/a"), TargetRef: []byte{0xff, 0x00}, Title: "one \"two\"\n"}
	for _, test := range []struct {
		name    string
		message proto.Message
		want    string // a part of the text
	}{
		{"address", &pb.GetAccountRequest{OwnerAddress: fill(0xAB, 20)}, `{"owner_address":"0x` + hexOf(0xab, 20) + `"}`},
		{"actor", &pb.StorageClaimBody{Actor: fill(1, 20)}, `"actor":"0x` + hexOf(1, 20) + `"`},
		{"author", &pb.CommitMeta{AuthorAddress: fill(1, 20)}, `"author_address":"0x` + hexOf(1, 20) + `"`},
		{"custody key id", custodyKey, `{"key_id":"0x` + hexOf(0xab, 20) + `"`},
		{"custody public key", custodyKey, `"public_key":"0x` + hexOf(0xcd, 64) + `"`},
		{"validator public key", &pb.GetNodeStatusResponse{ValidatorPublicKey: fill(1, 32)}, `"validator_public_key":"` + hexOf(1, 32) + `"`},
		{"wrapped custody key", &pb.GetCustodyKeyResponse{CustodyKey: custodyKey}, `{"key_id":"0x`},
		{"signature type", custodyKey, `"signature_type":2`},
		{"no signature type", &pb.CustodyKeyEntry{}, `"signature_type":null`},
		{"64 bits", custodyKey, `"expires_at":"1152921504606846976"`},
		{"64 bits zero", &pb.CustodyKeyEntry{}, `"expires_at":"0"`},
		{"32 bits", custodyKey, `"added_at":5,"revoked_at":0`},
		{"boolean", custodyKey, `"admin":true`},
		{"id", &pb.GetProjectRequest{ProjectId: fill(0xEF, 32)}, `{"project_id":"` + hexOf(0xef, 32) + `"}`},
		{"Ethereum address", &pb.VerificationEntry{Address: fill(1, 20), ChainId: []byte{1}}, `"address":"0x` + hexOf(1, 20) + `","chain_id":"01"`},
		{"Solana address", &pb.VerificationEntry{Address: fill(1, 32)}, `"address":"` + hexOf(1, 32) + `"`},
		{"first of an enum", &pb.GetProjectResponse{}, `"visibility":"public"`},
		{"enum", &pb.LinkEntry{LinkType: pb.LinkType_LINK_TYPE_FOLLOW}, `"link_type":"follow"`},
		{"enum of several words", &pb.MempoolTypeCount{MessageType: pb.MessageType_MESSAGE_TYPE_COMMIT_BUNDLE}, `"message_type":"commit_bundle"`},
		{"no enum", &pb.LinkEntry{}, `"link_type":null`},
		{"unknown is a word", &pb.GetMessageStatusResponse{}, `"state":"unknown"`},
		{"enums in a list", &pb.SubscribeRequest{Types: []pb.MessageType{0, 10}}, `"types":["none","commit_bundle"]`},
		{"absent text", &pb.AccountSummary{}, `"username":null`},
		{"absent bytes", &pb.GetProjectResponse{}, `"fork_source":null`},
		{"absent message", &pb.GetBlockResponse{}, `{"block":null,"execution_payload":null}`},
		{"absent optional number", &pb.SubscribeBlocksRequest{}, `{"start_block":null}`},
		{"optional zero", &pb.SubscribeBlocksRequest{StartBlock: new(uint64)}, `{"start_block":"0"}`},
		{"optional empty bytes", &pb.Message{DataBytes: []byte{}}, `"data_bytes":""`},
		{"empty list", &pb.ListProjectsResponse{}, `{"projects":[],"next_cursor":""}`},
		{"empty bytes in a list", &pb.CommitMeta{Parents: [][]byte{nil, {1}}}, `"parents":["","01"]`},
		{"cursor", &pb.ListRefsResponse{NextCursor: []byte{0xA0}}, `"next_cursor":"a0"`},
		{"ref name", &pb.GetRefResponse{RefName: []byte("é")}, `"ref_name":"é","ref_name_hex":"c3a9"`},
		{"ref name that is not text", &pb.GetRefResponse{RefName: []byte{0xff}}, `"ref_name":null,"ref_name_hex":"ff"`},
		{"no ref name", &pb.GetRefResponse{}, `"ref_name":null,"ref_name_hex":null`},
		{"source ref", mergeRequest, `"source_ref":"726566732f68656164732f61","source_ref_text":"refs/heads/a"`},
		{"target ref", mergeRequest, `"target_ref":"ff00","target_ref_text":null`},
		{"wrapped merge request", &pb.GetMergeRequestResponse{MergeRequest: mergeRequest}, `{"request_id":null`},
		{"escapes", mergeRequest, `"title":"one \"two\"\n"`},
		{"control characters", &pb.AccountSummary{Username: "\x00\x1f\\\r\t\u2028<"}, `"username":"\u0000\u001f\\\r\t` + "\u2028" + `<"`},
		{
			"link to a project", &pb.LinkAddBody{Target: &pb.LinkAddBody_TargetProjectId{TargetProjectId: fill(1, 32)}},
			`{"link_type":null,"target_project_id":"` + hexOf(1, 32) + `","target_owner_address":null}`,
		},
		{"chosen but empty", &pb.LinkAddBody{Target: &pb.LinkAddBody_TargetOwnerAddress{}}, `"target_owner_address":"0x"`},
		{"no body", &pb.MessageData{}, `{"type":null,"timestamp":0,"network":null,"owner_address":null,"body":null}`},
		{"empty body", &pb.MessageData{Type: 3, Body: &pb.MessageData_ProjectArchive{}}, `"type":"project_archive"`},
		{"row", &pb.UsernameRow{OwnerAddress: fill(1, 20)}, `{"owner_address":"0x` + hexOf(1, 20) + `"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := mustMarshal(t, test.message); !strings.Contains(got, test.want) {
				t.Errorf("%s\nhas no %s", got, test.want)
			}
		})
	}
}

// TestMarshalErrors checks the paths of errors for messages that no node returns.
func TestMarshalErrors(t *testing.T) {
	t.Parallel()
	mismatch := refUpdate()
	mismatch.Data.Type = pb.MessageType_MESSAGE_TYPE_FORK
	for _, test := range []struct {
		name    string
		message proto.Message
		want    string
	}{
		{"nothing", nil, "no message"},
		{"nil", (*pb.Message)(nil), "no message"},
		{"text", &pb.ListProjectsResponse{Projects: []*pb.GetProjectResponse{{}, {Name: "\xff"}}}, "projects[1].name: is not UTF-8"},
		{"enum", &pb.SubscribeRequest{Types: []pb.MessageType{1, -1}}, "types[1]: MessageType has no value -1"},
		{"body of another type", &pb.BatchSubmitRequest{Messages: []*pb.Message{mismatch}}, "messages[0].data.body: is the body of ref_update, which is not the type of the message"},
		{"empty answer", &pb.GetMergeRequestResponse{}, "the merge_request is missing"},
		{
			"two positions", &pb.GetProjectActivityResponse{Messages: []*pb.MessageEntry{{Message: refUpdate(), BlockNumber: 41}}},
			"messages[0]: the block_number is 42 inside and 41 outside of the message",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if text, err := Marshal(test.message); err == nil || err.Error() != test.want {
				t.Errorf("%s, %v, want %s", text, err, test.want)
			}
		})
	}
}

// TestAppend checks that Append keeps the existing content.
func TestAppend(t *testing.T) {
	t.Parallel()
	text, err := Append([]byte("data: "), &pb.GetHealthRequest{})
	if err != nil || string(text) != "data: {}" {
		t.Errorf("%s, %v", text, err)
	}
}

// BenchmarkMarshal encodes a message of a stream.
func BenchmarkMarshal(b *testing.B) {
	m := refUpdate()
	buffer := make([]byte, 0, 4096)
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if buffer, err = Append(buffer[:0], m); err != nil {
			b.Fatal(err)
		}
	}
}
