package message

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zeebo/blake3"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	pb "makechain/gen/makechain"
)

// wantRefusal compares the stage, code and field of a refusal, and a part of its reason.
func wantRefusal(t *testing.T, got *Refusal, stage Stage, code Code, field, reason string) {
	t.Helper()
	if got == nil {
		t.Fatalf("accepted, want %s (%s): %s", stage, code, reason)
	}
	if got.Stage != stage || got.Code != code || got.Field != field || !strings.Contains(got.Reason, reason) {
		t.Errorf("%+v, want stage %q, code %q, field %q and a reason with %q", *got, stage, code, field, reason)
	}
}

// transactionOf encodes data without changes and adds its hash; the signature is zero.
func transactionOf(data []byte) []byte {
	hash := blake3.Sum256(data)
	return join(data, hash[:], make([]byte, SignatureSize), make([]byte, 32))
}

// TestDecodeTransactionShape checks that Decode refuses faults in the encoding around the data.
//
// Rules: P2.1, P2.2, P2.8, P11.1.
func TestDecodeTransactionShape(t *testing.T) {
	t.Parallel()
	e := mustSign(t, ProjectArchive(projectID))
	data, err := Canonical(e.Data)
	if err != nil {
		t.Fatal(err)
	}
	hash, signature, signer := e.Hash[:], e.Signature[:], e.Signer[:]
	whole := e.Transaction()
	part := func(number protowire.Number, value []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), value)
	}
	withNumber := func(number protowire.Number) []byte {
		return protowire.AppendVarint(protowire.AppendTag(bytes.Clone(whole), number, protowire.VarintType), 1)
	}
	for _, c := range []struct {
		name          string
		tx            []byte
		code          Code
		field, reason string
	}{
		{"empty", nil, CodeMalformed, "data", "missing"},
		{"truncated", whole[:len(whole)-1], CodeMalformed, "signer", "length"},
		{"no hash", bytes.Join([][]byte{part(1, data), part(3, signature), part(4, signer)}, nil), CodeMalformed, "hash", "missing"},
		{"no signature", bytes.Join([][]byte{part(1, data), part(2, hash), part(4, signer)}, nil), CodeMalformed, "signature", "missing"},
		{"no signer", bytes.Join([][]byte{part(1, data), part(2, hash), part(3, signature)}, nil), CodeMalformed, "signer", "missing"},
		{"order", bytes.Join([][]byte{part(2, hash), part(1, data), part(3, signature), part(4, signer)}, nil), CodeMalformed, "data", "out of order"},
		{"short hash", join(data, hash[1:], signature, signer), CodeMalformed, "hash", "31 bytes, want 32"},
		{"long signature", join(data, hash, append(signature[:64:64], 0), signer), CodeMalformed, "signature", "65 bytes, want 64"},
		{"short signer", join(data, hash, signature, signer[1:]), CodeMalformed, "signer", "31 bytes, want 32"},
		{"empty hash", join(data, nil, signature, signer), CodeMalformed, "hash", "0 bytes, want 32"},
		{"length in two bytes", bytes.Replace(whole, []byte{hashTag, 32}, []byte{hashTag, 0xa0, 0}, 1), CodeMalformed, "hash", "varint"},
		{"data_bytes", append(bytes.Clone(whole), part(5, data)...), CodeMalformed, "", "after the signer"},
		{"block_number", withNumber(100), CodeMalformed, "", "after the signer"},
		{"index", withNumber(101), CodeMalformed, "", "after the signer"},
		{"unknown field", withNumber(6), CodeMalformed, "", "after the signer"},
		{"other hash", join(data, signer, signature, signer), CodeHashMismatch, "hash", "is not the hash of data"},
		{"too large", make([]byte, MaxSize+1), CodeTooLarge, "", "1048577 bytes, at most 1048576"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, refusal := Decode(c.tx)
			wantRefusal(t, refusal, Verification, c.code, c.field, c.reason)
		})
	}
}

// TestDecodeData checks that Decode refuses faults in the data, under a correct hash.
//
// Rules: P2.2, P2.5, P2.6, P5/all.
func TestDecodeData(t *testing.T) {
	t.Parallel()
	unknown := pb.MessageType(len(kinds))
	bodies := new(pb.MessageData).ProtoReflect().Descriptor().Oneofs().ByName("body").Fields()
	next := bodies.Get(bodies.Len()-1).Number() + 1
	unknownBody := string(protowire.AppendBytes(protowire.AppendTag(nil, next, protowire.BytesType), nil))
	for _, c := range []struct {
		name          string
		change        func(*pb.MessageData)
		suffix        string
		code          Code
		field, reason string
	}{
		{"no type", func(d *pb.MessageData) { d.Type = 0 }, "", CodeUnknownType, "type", "0 is not"},
		{"type after the last", func(d *pb.MessageData) { d.Type = unknown }, "", CodeUnknownType, "type", fmt.Sprintf("%d is not", unknown)},
		{"negative type", func(d *pb.MessageData) { d.Type = -1 }, "", CodeUnknownType, "type", "-1 is not"},
		{"unknown type with its own body", func(d *pb.MessageData) { d.Type, d.Body = unknown, nil }, unknownBody, CodeUnknownType, "type", "is not"},
		{"no body", func(d *pb.MessageData) { d.Body = nil }, "", CodeMalformed, "body", "PROJECT_ARCHIVE needs exactly the body project_archive"},
		{"other body", func(d *pb.MessageData) { d.Body = ProjectRemove(projectID).GetBody() }, "", CodeMalformed, "body", "project_archive"},
		{"two bodies", func(*pb.MessageData) {}, "\x4a\x00", CodeMalformed, "data", "second choice"},
		{"unknown field", func(*pb.MessageData) {}, unknownBody, CodeMalformed, "data", "unknown field"},
		{"no network", func(d *pb.MessageData) { d.Network = 0 }, "", CodeWrongNetwork, "network", "0 is none of"},
		{"unknown network", func(d *pb.MessageData) { d.Network = 4 }, "", CodeWrongNetwork, "network", "4 is none of"},
		{"no owner", func(d *pb.MessageData) { d.OwnerAddress = nil }, "", CodeMalformed, "owner_address", "0 bytes, want 20"},
		{"short owner", func(d *pb.MessageData) { d.OwnerAddress = make([]byte, 19) }, "", CodeMalformed, "owner_address", "19 bytes, want 20"},
		{"long owner", func(d *pb.MessageData) { d.OwnerAddress = make([]byte, 21) }, "", CodeMalformed, "owner_address", "21 bytes, want 20"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			data := proto.CloneOf(mustSign(t, ProjectArchive(projectID)).Data)
			c.change(data)
			encoded, err := Canonical(data)
			if err != nil {
				t.Fatal(err)
			}
			_, refusal := Decode(transactionOf(append(encoded, c.suffix...)))
			wantRefusal(t, refusal, Verification, c.code, c.field, c.reason)
		})
	}
}

// TestRetiredFamiliesAreUnknown checks that Decode and Open refuse every number outside of the known types, which
// includes those of retired families.
//
// Rules: P2.5.
func TestRetiredFamiliesAreUnknown(t *testing.T) {
	t.Parallel()
	for number := range pb.MessageType(256) {
		data := proto.CloneOf(mustSign(t, ProjectArchive(projectID)).Data)
		data.Type = number
		encoded, err := Canonical(data)
		if err != nil {
			t.Fatal(err)
		}
		_, decoded := Decode(transactionOf(encoded))
		_, opened := Open(&pb.Message{Data: data})
		if _, known := pb.MessageType_name[int32(number)]; known && number != 0 {
			if decoded != nil && decoded.Code == CodeUnknownType {
				t.Errorf("type %d is unknown", number)
			}
			continue
		}
		wantRefusal(t, decoded, Verification, CodeUnknownType, "type", "is not a message type")
		wantRefusal(t, opened, Verification, CodeUnknownType, "type", "is not a message type")
	}
	for _, family := range []string{"KEY_ADD", "OWNERSHIP_TRANSFER", "STORAGE_RENT", "RELAY_SIGNER_ADD", "RELAY_SIGNER_REMOVE"} {
		if number, there := pb.MessageType_value["MESSAGE_TYPE_"+family]; there {
			t.Errorf("%s has number %d", family, number)
		}
	}
}

// TestDecodeLargestMessage checks a message of the maximum size, and one that is a byte larger.
//
// Rules: P2.8.
func TestDecodeLargestMessage(t *testing.T) {
	t.Parallel()
	sized := func(n int) *pb.MessageData {
		return ProjectCreate(strings.Repeat("a", n), pb.Visibility_VISIBILITY_PUBLIC, "", "")
	}
	fits := MaxSize - len(mustSign(t, sized(1<<20-1000)).Transaction()) + 1<<20 - 1000
	largest := mustSign(t, sized(fits))
	if size := len(largest.Transaction()); size != MaxSize {
		t.Fatalf("%d bytes, want %d", size, MaxSize)
	}
	if _, refusal := Decode(largest.Transaction()); refusal != nil {
		t.Error(refusal)
	}
	if _, refusal := Open(largest.Proto()); refusal != nil {
		t.Error(refusal)
	}
	if _, err := testAuthor(t).Sign(testTime, sized(fits+1)); err == nil || !strings.Contains(err.Error(), "1048577 bytes") {
		t.Errorf("one byte over the limit: %v", err)
	}
	larger := largest.Proto()
	larger.Data = proto.CloneOf(larger.Data)
	larger.Data.GetProjectCreate().Name += "a"
	_, refusal := Open(larger)
	wantRefusal(t, refusal, Verification, CodeTooLarge, "", "1048577 bytes, at most 1048576")
}

// TestHashOf checks the hash of every good transaction, and transactions that are too short to have one.
func TestHashOf(t *testing.T) {
	t.Parallel()
	for _, e := range goodMessages(t) {
		if hash, ok := HashOf(e.Transaction()); !ok || hash != e.Hash {
			t.Errorf("%s: %s, %t, want %s", e.Type(), hash, ok, e.Hash)
		}
	}
	shortest := join(nil, make([]byte, 32), make([]byte, SignatureSize), make([]byte, 32))[4:]
	if _, ok := HashOf(shortest); !ok {
		t.Errorf("no hash in %d bytes", len(shortest))
	}
	if hash, ok := HashOf(shortest[1:]); ok {
		t.Errorf("hash %s in %d bytes", hash, len(shortest)-1)
	}
}

// TestEnvelopeOwnsItsMemory checks that an envelope does not change with the message it was made from.
func TestEnvelopeOwnsItsMemory(t *testing.T) {
	t.Parallel()
	for _, e := range goodMessages(t) {
		tx, m := bytes.Clone(e.Transaction()), proto.CloneOf(e.Proto())
		decoded, _ := Decode(tx)
		opened, _ := Open(m)
		clear(tx)
		overwriteBytes(m.GetData())
		clear(m.GetHash())
		for _, got := range []*Envelope{decoded, opened} {
			if diff := cmp.Diff(e, got, protocmp.Transform(), cmp.AllowUnexported(Envelope{})); diff != "" {
				t.Errorf("%s: %s", e.Type(), diff)
			}
		}
	}
}

// overwriteBytes overwrites the bytes that data refers to.
func overwriteBytes(data *pb.MessageData) {
	clear(data.OwnerAddress)
	if b := data.GetCommitBundle(); b != nil {
		clear(b.Commits[0].Hash)
		b.Commits = b.Commits[:1]
	}
	if b := data.GetRefUpdate(); b != nil {
		clear(b.RefName)
	}
	data.Body = nil
}

// TestDecodeEncodesToItself checks that a changed transaction that is still accepted encodes to the same bytes.
//
// Rules: P2.2.
func TestDecodeEncodesToItself(t *testing.T) {
	t.Parallel()
	good := goodMessages(t)
	rapid.Check(t, func(t *rapid.T) {
		e := rapid.SampledFrom(good).Draw(t, "message")
		data, err := Canonical(e.Data)
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(0, 2).Draw(t, "changes") {
			data[rapid.IntRange(0, len(data)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "to")
		}
		tx := transactionOf(data)
		if e, refusal := Decode(tx); refusal == nil {
			checkRoundTrip(t, e, tx)
		} else if refusal.Stage != Verification || refusal.Reason == "" {
			t.Fatalf("%+v", *refusal)
		}
	})
}

// failer is implemented by tests, fuzz targets and rapid properties.
type failer interface {
	Fatalf(format string, args ...any)
}

// checkRoundTrip converts an accepted transaction to every form it has and back.
func checkRoundTrip(t failer, e *Envelope, tx []byte) {
	if !bytes.Equal(e.Transaction(), tx) {
		t.Fatalf("transaction %x, want %x", e.Transaction(), tx)
	}
	data, err := Canonical(e.Data)
	if err != nil || blake3.Sum256(data) != e.Hash {
		t.Fatalf("canonical %x (%v) does not have the hash %s", data, err, e.Hash)
	}
	m := e.Proto()
	m.DataBytes = data
	opened, refusal := Open(m)
	if refusal != nil {
		t.Fatalf("decoded but not opened: %v", refusal)
	}
	if !bytes.Equal(opened.Transaction(), tx) {
		t.Fatalf("opened %x, want %x", opened.Transaction(), tx)
	}
}
