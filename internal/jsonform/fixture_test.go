package jsonform

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
)

// fill returns n equal bytes.
func fill(b byte, n int) []byte {
	filled := make([]byte, n)
	for i := range filled {
		filled[i] = b
	}
	return filled
}

// hexOf returns n equal bytes in hex.
func hexOf(b byte, n int) string { return hex.EncodeToString(fill(b, n)) }

// mustMarshal encodes a message.
func mustMarshal(tb testing.TB, m proto.Message) string {
	tb.Helper()
	text, err := Marshal(m)
	if err != nil {
		tb.Fatalf("%T: %v", m, err)
	}
	if !json.Valid(text) {
		tb.Fatalf("%T: not JSON: %s", m, text)
	}
	return string(text)
}

// refUpdate returns a message as in a stream.
func refUpdate() *pb.Message {
	return &pb.Message{
		Data: &pb.MessageData{
			Type: pb.MessageType_MESSAGE_TYPE_REF_UPDATE, Timestamp: 1_700_000_000, Network: pb.Network_NETWORK_DEVNET,
			OwnerAddress: fill(0xaa, 20),
			Body: &pb.MessageData_RefUpdate{RefUpdate: &pb.RefUpdateBody{
				ProjectId: fill(1, 32), RefName: []byte("refs/heads/main"), OldHash: fill(2, 32), NewHash: fill(3, 32), Nonce: 7,
			}},
		},
		Hash: fill(4, 32), Signature: fill(5, 64), Signer: fill(6, 32), BlockNumber: 42, Index: 3,
	}
}

// vectorMessage is a message of the vectors, and whether it is valid.
type vectorMessage struct {
	name     string
	message  *pb.Message
	accepted bool
}

// vectorMessages returns the messages of all vectors and scenarios, without those that cannot be decoded and without unknown
// fields, which JSON cannot represent.
func vectorMessages(tb testing.TB) []vectorMessage {
	tb.Helper()
	list := append(knownMessages(tb), scenarioMessages(tb)...)
	var own struct {
		Messages []struct {
			Name, Transaction, Submission string
			Tail, Verdict                 any
		}
	}
	readVectors(tb, "messages.json", &own)
	reading := proto.UnmarshalOptions{DiscardUnknown: true}
	for _, v := range own.Messages {
		accepted := v.Verdict == "accepted"
		m := new(pb.Message)
		if err := reading.Unmarshal(unhex(tb, v.Transaction+v.Submission), m); err != nil && accepted {
			tb.Fatalf("%s: %v", v.Name, err)
		} else if err == nil && v.Tail == nil {
			list = append(list, vectorMessage{v.Name, m, accepted})
		}
	}
	return list
}

func knownMessages(tb testing.TB) (list []vectorMessage) {
	tb.Helper()
	var known []struct{ Type, Canonical, Hash, Signer, Signature string }
	readVectors(tb, "known/messages.json", &known)
	for _, v := range known {
		data := new(pb.MessageData)
		if err := proto.Unmarshal(unhex(tb, v.Canonical), data); err != nil {
			tb.Fatal(err)
		}
		list = append(list, vectorMessage{"known " + v.Type, &pb.Message{
			Data: data, Hash: unhex(tb, v.Hash), Signer: unhex(tb, v.Signer), Signature: unhex(tb, v.Signature),
		}, true})
	}
	return list
}

func scenarioMessages(tb testing.TB) (list []vectorMessage) {
	tb.Helper()
	for _, name := range []string{"blocks", "collaboration", "custody", "projects", "refs", "social", "storage"} {
		var scenario struct {
			Blocks []struct {
				Transactions []struct{ Name, Transaction string }
			}
		}
		readVectors(tb, "scenarios/"+name+".json", &scenario)
		for _, block := range scenario.Blocks {
			for _, v := range block.Transactions {
				m := new(pb.Message)
				if err := proto.Unmarshal(unhex(tb, v.Transaction), m); err != nil {
					tb.Fatalf("%s: %v", v.Name, err)
				}
				list = append(list, vectorMessage{name + ": " + v.Name, m, true})
			}
		}
	}
	return list
}

func unhex(tb testing.TB, text string) []byte {
	tb.Helper()
	raw, err := hex.DecodeString(text)
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}

func readVectors(tb testing.TB, file string, into any) {
	tb.Helper()
	content, err := os.ReadFile("../../testdata/vectors/" + file)
	if err != nil {
		tb.Fatal(err)
	}
	if err := json.Unmarshal(content, into); err != nil {
		tb.Fatalf("%s: %v", file, err)
	}
}
