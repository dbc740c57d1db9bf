package message

import (
	"bytes"
	"strings"
	"testing"

	"github.com/zeebo/blake3"
	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
)

// seed adds the result of f for every good message and every known vector.
func seed(f *testing.F, of func(*Envelope) []byte) {
	f.Helper()
	list := goodMessages(f)
	for _, v := range knownVectors(f) {
		e, refusal := Decode(v.tx())
		if refusal != nil {
			f.Fatal(refusal)
		}
		list = append(list, e)
	}
	if len(list) < 64+len(Types()) {
		f.Fatalf("%d seeds, want at least one for each type and known vector", len(list))
	}
	for _, e := range list {
		f.Add(of(e))
	}
}

// canonicalOf returns a function that encodes the data of a good message.
func canonicalOf(f *testing.F) func(*Envelope) []byte {
	f.Helper()
	return func(e *Envelope) []byte {
		data, err := Canonical(e.Data)
		if err != nil {
			f.Fatal(err)
		}
		return data
	}
}

// FuzzDecode checks that every transaction that Decode accepts encodes to the same bytes.
//
// Rules: P2.1, P2.2, I10.
func FuzzDecode(f *testing.F) {
	seed(f, (*Envelope).Transaction)
	f.Fuzz(func(t *testing.T, tx []byte) {
		e, refusal := Decode(tx)
		if refusal != nil {
			stage := Verification
			if refusal.Code == CodeInvalidField {
				stage = Validation // a list that is too long
			}
			checkRefusal(t, refusal, stage)
			return
		}
		checkRoundTrip(t, e, tx)
		_ = e.VerifySignature()
	})
}

// FuzzOpen checks that every message that Open accepts is also accepted, unchanged, by Decode.
//
// Rules: P2.2, P2.3, I10.
func FuzzOpen(f *testing.F) {
	seed(f, func(e *Envelope) []byte {
		m := e.Proto()
		m.DataBytes, m.BlockNumber, m.Index = canonicalOf(f)(e), 7, 1
		b, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		return b
	})
	f.Fuzz(func(t *testing.T, b []byte) {
		m := new(pb.Message)
		if proto.Unmarshal(b, m) != nil {
			return
		}
		// With an arbitrary hash almost no input would pass the hash check.
		if data, err := Canonical(m.GetData()); err == nil {
			hash := blake3.Sum256(data)
			m.Hash = hash[:]
		}
		e, refusal := Open(m)
		if refusal != nil {
			checkRefusal(t, refusal, Verification)
			return
		}
		if !proto.Equal(e.Data, m.GetData()) {
			t.Fatalf("opened %v as %v", m.GetData(), e.Data)
		}
		decoded, refusal := Decode(e.Transaction())
		if refusal != nil && refusal.Code == CodeInvalidField && e.Validate() != nil {
			return // Validate refuses the list that Decode did not decode
		}
		if refusal != nil {
			t.Fatalf("opened but not decoded: %v", refusal)
		}
		checkRoundTrip(t, decoded, e.Transaction())
	})
}

// FuzzValidate validates arbitrary data under a correct hash. A message that passes has a project if and only if it is
// of the project phase.
//
// Rules: P5/all, I10.
func FuzzValidate(f *testing.F) {
	seed(f, canonicalOf(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, refusal := Decode(transactionOf(data))
		if refusal != nil {
			return
		}
		checkRoundTrip(t, e, transactionOf(data))
		if refusal := e.Validate(); refusal != nil {
			checkRefusal(t, refusal, Validation)
			if refusal.Field == "" || !strings.HasPrefix(refusal.Reason, refusal.Field+": ") {
				t.Fatalf("refusal without a field: %+v", *refusal)
			}
			return
		}
		if _, ok := e.Project(); ok != (e.Phase() == ProjectPhase) {
			t.Fatalf("%s of the %s phase, project %t", e.Type(), e.Phase(), ok)
		}
	})
}

// FuzzCanonical compares the canonical check with decoding and encoding by protobuf.
//
// Rules: P2.2.
func FuzzCanonical(f *testing.F) {
	seed(f, canonicalOf(f))
	f.Fuzz(func(t *testing.T, b []byte) {
		err := dataTable().check(b)
		if agrees := protobufAgrees(b); agrees != (err == nil) {
			t.Fatalf("%x: the check returns %v, protobuf accepts it: %t", b, err, agrees)
		}
		if err != nil {
			return
		}
		data := new(pb.MessageData)
		if err := proto.Unmarshal(b, data); err != nil {
			t.Fatal(err)
		}
		if again, err := Canonical(data); err != nil || !bytes.Equal(again, b) {
			t.Fatalf("%x encodes to %x, %v", b, again, err)
		}
	})
}

func checkRefusal(t *testing.T, refusal *Refusal, stage Stage) {
	t.Helper()
	if refusal.Stage != stage || refusal.Code == "" || refusal.Reason == "" {
		t.Fatalf("incomplete refusal: %+v", *refusal)
	}
}
