package jsonform

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "makechain/gen/makechain"
	devpb "makechain/gen/makechain/dev"
	"makechain/message"
)

// reachable returns the messages of the service's methods and of their fields, sorted by name.
func reachable() []protoreflect.MessageDescriptor {
	found := map[protoreflect.FullName]protoreflect.MessageDescriptor{}
	var walk func(protoreflect.MessageDescriptor)
	walk = func(d protoreflect.MessageDescriptor) {
		if found[d.FullName()] != nil {
			return
		}
		found[d.FullName()] = d
		for i := range d.Fields().Len() {
			if inner := d.Fields().Get(i).Message(); inner != nil {
				walk(inner)
			}
		}
	}
	methods := pb.File_makechain_service_proto.Services().ByName("MakechainService").Methods()
	for i := range methods.Len() {
		walk(methods.Get(i).Input())
		walk(methods.Get(i).Output())
	}
	var list []protoreflect.MessageDescriptor
	for _, name := range slices.Sorted(maps.Keys(found)) {
		list = append(list, found[name])
	}
	return list
}

// newMessage returns an empty message of the generated type.
func newMessage(tb testing.TB, d protoreflect.MessageDescriptor) proto.Message {
	tb.Helper()
	generated, err := protoregistry.GlobalTypes.FindMessageByName(d.FullName())
	if err != nil {
		tb.Fatal(err)
	}
	return generated.New().Interface()
}

// decidedBytes are the forms of all bytes fields. A new name must be added here deliberately.
func decidedBytes() map[Form]string {
	return map[Form]string{
		Address: "actor author_address closer_owner_address key_id owner_address request_owner_address requester_owner_address source_owner_address " +
			"target_owner_address",
		ExternalAddress: "address",
		PrefixedHex:     "public_key",
		Cursor:          "next_cursor",
		RefText:         "ref_name source_ref_text target_ref_text",
		Hex: "account_proof account_value active_proof allowed_projects attester authorization_signature block_hash chain_id " +
			"claim_signature commit_hash consensus_finalization content_digest cursor custody_signature data_bytes digest " +
			"expected_hash fork_source hash hashes key light_block lower_bound_key lower_bound_proof lower_key lower_value_hash merge_commit message_hash new_hash old_hash " +
			"operations parent_hash parents prefix project_id project_root proof prune_marker_proof ref_name_hex replaced_by replaces request_id " +
			"request_signature revocation_signature root settlement_tx_hash shard_hash shard_root signature signer " +
			"source_commit_hash source_project_id source_ref state_root target_commit_hash target_project_id target_ref " +
			"tag_object tombstone_proof transactions_root tree_root upper_bound_key upper_bound_proof upper_key upper_value_hash username_proof " +
			"validator_public_key value witness",
	}
}

// TestBytesAreDecided checks that the form of every bytes field of the service is listed in decidedBytes.
func TestBytesAreDecided(t *testing.T) {
	t.Parallel()
	decided := map[string]Form{}
	for form, names := range decidedBytes() {
		for name := range strings.FieldsSeq(names) {
			decided[name] = form
		}
	}
	used := map[string]bool{}
	for _, d := range reachable() {
		for _, field := range Fields(d) {
			if field.Descriptor == nil || field.Descriptor.Kind() != protoreflect.BytesKind {
				continue
			}
			used[field.Name] = true
			if want, isDecided := decided[field.Name]; !isDecided || want != field.Form {
				t.Errorf("%s is written in form %d under %s; decided is %d", field.Descriptor.FullName(), field.Form, field.Name, want)
			}
		}
	}
	for name := range decided {
		if !used[name] {
			t.Errorf("no field is called %s", name)
		}
	}
}

// TestEnumNames checks the names of all enums of the service.
func TestEnumNames(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"AccountDataType":          "display_name avatar bio website",
		"CustodySignatureType":     "1 2 3",
		"CustodyKeyStatus":         "active revoked",
		"KeyScope":                 "owner signing agent",
		"LinkType":                 "follow star",
		"MergeRequestOutcome":      "merged declined withdrawn superseded",
		"MessageState":             "unknown pending committed refused expired",
		"Network":                  "mainnet testnet devnet",
		"Permission":               "read write admin owner",
		"ProjectMetadataType":      "name description license visibility content default_branch",
		"ReactionType":             "like",
		"RefType":                  "branch tag",
		"ReplayVerificationStatus": "verified trusted_snapshot blocked_waiting_external_evidence",
		"SubmitWait":               "committed",
		"VerificationType":         "eth_address sol_address",
		"Visibility":               "public private",
	}
	var types []string
	for _, t := range message.Types() {
		types = append(types, strings.ToLower(strings.TrimPrefix(t.String(), "MESSAGE_TYPE_")))
	}
	want["MessageType"] = strings.Join(types, " ")
	got := map[string]string{}
	for _, d := range reachable() {
		for _, field := range Fields(d) {
			switch field.Form {
			case EnumName:
				got[string(field.Descriptor.Enum().Name())] = strings.Join(field.EnumNames, " ")
			case EnumNumber:
				got[string(field.Descriptor.Enum().Name())] = strings.Trim(fmt.Sprint(field.EnumNumbers), "[]")
			}
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("words %v\nwant  %v", got, want)
	}
}

// TestFields checks the description of one key of each kind.
func TestFields(t *testing.T) {
	t.Parallel()
	fieldOf := func(m proto.Message, name string) Field {
		fields := Fields(m.ProtoReflect().Descriptor())
		return fields[slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })]
	}
	for _, test := range []struct {
		name     string
		field    Field
		form     Form
		nullable bool
	}{
		{"text", fieldOf(&pb.GetProjectResponse{}, "name"), Text, true},
		{"number", fieldOf(&pb.GetProjectResponse{}, "ref_count"), Number, false},
		{"optional", fieldOf(&pb.SubscribeRequest{}, "start_block"), Decimal, true},
		{"decimal", fieldOf(&pb.Message{}, "block_number"), Decimal, false},
		{"boolean", fieldOf(&pb.RefUpdateBody{}, "force"), Boolean, false},
		{"enum with a default", fieldOf(&pb.RefUpdateBody{}, "ref_type"), EnumName, false},
		{"enum without", fieldOf(&pb.LinkEntry{}, "link_type"), EnumName, true},
		{"code", fieldOf(&pb.CustodyKeyEntry{}, "signature_type"), EnumNumber, true},
		{"choice", fieldOf(&pb.LinkAddBody{}, "target_owner_address"), Address, true},
		{"cursor", fieldOf(&pb.ListRefsResponse{}, "next_cursor"), Cursor, false},
		{"list", fieldOf(&pb.CommitMeta{}, "parents"), Hex, false},
		{"object", fieldOf(&pb.Message{}, "data"), Object, true},
		{"body", fieldOf(&pb.MessageData{}, "body"), Body, true},
	} {
		if test.field.Form != test.form || test.field.Nullable != test.nullable {
			t.Errorf("%s: form %d, nullable %v", test.name, test.field.Form, test.field.Nullable)
		}
	}
	if f := fieldOf(&pb.CommitMeta{}, "parents"); !f.List || f.MaxItems != 64 {
		t.Errorf("parents: list %v of at most %d", f.List, f.MaxItems)
	}
	if f := fieldOf(&pb.ListMessagesResponse{}, "messages"); f.Message.Name() != "Message" {
		t.Errorf("messages are of %s", f.Message.Name())
	}
	bodies := fieldOf(&pb.MessageData{}, "body").Bodies
	if len(bodies) != len(message.Types()) || bodies[9].Type != "commit_bundle" || bodies[9].Message.Name() != "CommitBundleBody" {
		t.Errorf("bodies %v", bodies)
	}
	if d := Unwrapped((&pb.GetCustodyKeyResponse{}).ProtoReflect().Descriptor()); d.Name() != "CustodyKeyEntry" {
		t.Errorf("a custody key is written as %s", d.Name())
	}
}

// TestOtherService encodes and decodes messages that are not part of the service.
func TestOtherService(t *testing.T) {
	t.Parallel()
	text := `{"owner_address":"0x` + hexOf(1, 20) + `","units":3}`
	claim := mustUnmarshal(t, text, &devpb.ClaimRequest{})
	if claim.GetUnits() != 3 || mustMarshal(t, claim) != text {
		t.Errorf("read %v", claim)
	}
}

// TestFormless checks that messages with fields of unsupported kinds are rejected.
func TestFormless(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		message proto.Message
		want    string
	}{
		{&timestamppb.Timestamp{}, "google.protobuf.Timestamp.seconds is of kind int64, which has no form"},
		{&structpb.Struct{}, "google.protobuf.Struct.fields is a map"},
	} {
		if text, err := Marshal(test.message); err == nil || err.Error() != test.want {
			t.Errorf("%s, %v, want %s", text, err, test.want)
		}
		if err := Unmarshal([]byte(`{}`), test.message); err == nil || err.Error() != test.want {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}
