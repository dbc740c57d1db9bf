package message

import (
	"bytes"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
)

// TestOpenRefusals checks that Open refuses a good message with one change.
//
// Rules: P2.1, P2.2, P2.3, P2.5, P2.6.
func TestOpenRefusals(t *testing.T) {
	t.Parallel()
	unknownField := protowire.AppendVarint(protowire.AppendTag(nil, 50, protowire.VarintType), 1)
	for _, c := range []struct {
		name          string
		change        func(*pb.Message)
		code          Code
		field, reason string
	}{
		{"nothing", func(m *pb.Message) { proto.Reset(m) }, CodeMalformed, "data", "missing"},
		{"no hash", func(m *pb.Message) { m.Hash = nil }, CodeMalformed, "hash", "0 bytes, want 32"},
		{"no signature", func(m *pb.Message) { m.Signature = nil }, CodeMalformed, "signature", "0 bytes, want 64"},
		{"no signer", func(m *pb.Message) { m.Signer = nil }, CodeMalformed, "signer", "0 bytes, want 32"},
		{"long signer", func(m *pb.Message) { m.Signer = make([]byte, 33) }, CodeMalformed, "signer", "33 bytes, want 32"},
		{"other hash", func(m *pb.Message) { m.Hash[0]++ }, CodeHashMismatch, "hash", "is not the hash of data"},
		{"other data", func(m *pb.Message) { m.Data.Timestamp++ }, CodeHashMismatch, "hash", "is not the hash of data"},
		{"other data_bytes", func(m *pb.Message) { m.DataBytes = []byte{8, 3} }, CodeDataBytesMismatch, "data_bytes", "not the canonical"},
		{"empty data_bytes", func(m *pb.Message) { m.DataBytes = []byte{} }, CodeDataBytesMismatch, "data_bytes", "not the canonical"},
		{"unknown field", func(m *pb.Message) { m.ProtoReflect().SetUnknown(unknownField) }, CodeMalformed, "", "unknown fields"},
		{"unknown field in data", func(m *pb.Message) { m.Data.ProtoReflect().SetUnknown(unknownField) }, CodeMalformed, "data", "unknown field 50"},
		{"unknown type", func(m *pb.Message) { m.Data.Type = pb.MessageType(len(kinds)) }, CodeUnknownType, "type", "is not"},
		{"broken utf-8", func(m *pb.Message) { m.Data.GetProjectCreate().Name = "\xff" }, CodeMalformed, "data", "UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := proto.CloneOf(mustSign(t, ProjectCreate("hello", 0, "", "")).Proto())
			c.change(m)
			_, refusal := Open(m)
			wantRefusal(t, refusal, Verification, c.code, c.field, c.reason)
		})
	}
	_, refusal := Open(nil)
	wantRefusal(t, refusal, Verification, CodeMalformed, "data", "missing")
}

// TestOpenIgnoresPosition opens messages as a node serves them: with a position and with data_bytes.
//
// Rules: P2.3, P11.1.
func TestOpenIgnoresPosition(t *testing.T) {
	t.Parallel()
	for _, e := range goodMessages(t) {
		m := e.Proto()
		data, err := Canonical(e.Data)
		if err != nil {
			t.Fatal(err)
		}
		m.DataBytes, m.BlockNumber, m.Index = data, 12, 3
		got, refusal := Open(m)
		if refusal != nil {
			t.Fatal(refusal)
		}
		if !bytes.Equal(got.Transaction(), e.Transaction()) {
			t.Errorf("%s: transaction %x, want %x", e.Type(), got.Transaction(), e.Transaction())
		}
	}
}

// TestSignUnencodableValues checks that Sign refuses Go values that have no encoding.
func TestSignUnencodableValues(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]*pb.MessageData{
		"nil wrapper": {Type: pb.MessageType_MESSAGE_TYPE_FORK, Body: (*pb.MessageData_Fork)(nil)},
		"nil body":    {Type: pb.MessageType_MESSAGE_TYPE_FORK, Body: &pb.MessageData_Fork{}},
		"nil commit": {Type: pb.MessageType_MESSAGE_TYPE_COMMIT_BUNDLE, Body: &pb.MessageData_CommitBundle{
			CommitBundle: &pb.CommitBundleBody{Commits: []*pb.CommitMeta{nil}},
		}},
	} {
		e, err := testAuthor(t).Sign(testTime, body)
		if err != nil {
			continue
		}
		if refusal := e.Validate(); refusal == nil {
			t.Errorf("%s: valid", name)
		}
	}
}

// TestCheckNetwork checks messages of every network against every network.
//
// Rules: P2.6.
func TestCheckNetwork(t *testing.T) {
	t.Parallel()
	networks := []pb.Network{pb.Network_NETWORK_MAINNET, pb.Network_NETWORK_TESTNET, pb.Network_NETWORK_DEVNET}
	for _, of := range networks {
		e := must(NewAuthor(Seed{1}, of, stranger).Sign(testTime, Star(projectID)))(t)
		for _, chain := range networks {
			refusal := e.CheckNetwork(chain)
			if of == chain {
				if refusal != nil {
					t.Error(refusal)
				}
				continue
			}
			wantRefusal(t, refusal, Verification, CodeWrongNetwork, "network", "message is for "+networkName(of))
		}
	}
}
