package message

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "makechain/gen/makechain"
)

// hexBytes is a byte slice that JSON represents as hex.
type hexBytes []byte

func (h *hexBytes) UnmarshalText(text []byte) (err error) {
	*h, err = hex.DecodeString(string(text))
	return err
}

// vector is a test vector: the fields of a message, its encoding and its signature.
type vector struct {
	Type      string
	Data      map[string]any
	Canonical hexBytes
	Hash      hexBytes
	Secret    hexBytes
	Signer    hexBytes
	Signature hexBytes
}

func (v vector) tx() []byte { return join(v.Canonical, v.Hash, v.Signature, v.Signer) }

// knownVectors reads the 64 test vectors, which cover all 26 types.
func knownVectors(tb testing.TB) []vector {
	tb.Helper()
	content, err := os.ReadFile("../testdata/vectors/known/messages.json")
	if err != nil {
		tb.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	var list []vector
	if err := decoder.Decode(&list); err != nil {
		tb.Fatal(err)
	}
	if len(list) != 64 {
		tb.Fatalf("%d known messages, want 64", len(list))
	}
	return list
}

// TestKnownMessages converts every test vector from its fields to its bytes, hash and signature, and back.
//
// Rules: P2.1, P2.2, P2.4, P11.1.
func TestKnownMessages(t *testing.T) {
	t.Parallel()
	types := map[string]bool{}
	for i, v := range knownVectors(t) {
		types[v.Type] = true
		t.Run(fmt.Sprintf("%d %s", i, v.Type), func(t *testing.T) {
			t.Parallel()
			fields := new(pb.MessageData)
			fill(t, fields.ProtoReflect(), v.Data)
			canonical, err := Canonical(fields)
			if err != nil || !bytes.Equal(canonical, v.Canonical) {
				t.Fatalf("canonical is %x, %v, want %x", canonical, err, v.Canonical)
			}
			owner, err := testOwner(v)
			if err != nil {
				t.Fatal(err)
			}
			signed := must(NewAuthor(Seed(v.Secret), fields.GetNetwork(), owner).Sign(fields.GetTimestamp(), fields))(t)
			checkVector(t, v, signed, fields)
			decoded, refusal := Decode(v.tx())
			if refusal != nil {
				t.Fatal(refusal)
			}
			checkVector(t, v, decoded, fields)
			opened, refusal := Open(signed.Proto())
			if refusal != nil {
				t.Fatal(refusal)
			}
			checkVector(t, v, opened, fields)
		})
	}
	if len(types) != 26 {
		t.Errorf("test vectors of %d types, want 26", len(types))
	}
}

func testOwner(v vector) (Address, error) {
	b, err := hex.DecodeString(v.Data["owner_address"].(string))
	return Address(b), err
}

func checkVector(t *testing.T, v vector, e *Envelope, fields *pb.MessageData) {
	t.Helper()
	if !bytes.Equal(e.Hash[:], v.Hash) || !bytes.Equal(e.Signer[:], v.Signer) || !bytes.Equal(e.Signature[:], v.Signature) {
		t.Errorf("hash %x signer %x signature %x, want %x, %x and %x", e.Hash, e.Signer, e.Signature, v.Hash, v.Signer, v.Signature)
	}
	if !bytes.Equal(e.Transaction(), v.tx()) {
		t.Errorf("transaction %x, want %x", e.Transaction(), v.tx())
	}
	if !proto.Equal(e.Data, fields) || !bytes.Equal(e.Owner[:], fields.GetOwnerAddress()) {
		t.Errorf("data %v of %s, want %v", e.Data, e.Owner, fields)
	}
	if typeName(e.Type()) != v.Type {
		t.Errorf("type %s, want %s", e.Type(), v.Type)
	}
	if refusal := e.VerifySignature(); refusal != nil {
		t.Error(refusal)
	}
}

// fill sets the fields of a message from JSON: snake case names, bytes as hex, enums as numbers.
func fill(t *testing.T, m protoreflect.Message, from map[string]any) {
	t.Helper()
	for name, value := range from {
		field := m.Descriptor().Fields().ByName(protoreflect.Name(name))
		if field == nil {
			t.Fatalf("%s has no field %s", m.Descriptor().Name(), name)
		}
		if !field.IsList() {
			if field.Message() != nil {
				fill(t, m.Mutable(field).Message(), value.(map[string]any))
			} else {
				m.Set(field, jsonScalar(t, field, value))
			}
			continue
		}
		list := m.Mutable(field).List()
		for _, item := range value.([]any) {
			if field.Message() != nil {
				fill(t, list.AppendMutable().Message(), item.(map[string]any))
			} else {
				list.Append(jsonScalar(t, field, item))
			}
		}
	}
}

func jsonScalar(t *testing.T, field protoreflect.FieldDescriptor, value any) protoreflect.Value {
	t.Helper()
	number := func() (n uint64) {
		if _, err := fmt.Sscan(value.(json.Number).String(), &n); err != nil {
			t.Fatalf("%s: %v", field.Name(), err)
		}
		return n
	}
	switch field.Kind() {
	case protoreflect.BytesKind:
		b, err := hex.DecodeString(value.(string))
		if err != nil {
			t.Fatalf("%s: %v", field.Name(), err)
		}
		return protoreflect.ValueOfBytes(b)
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(value.(string))
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(value.(bool))
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(number()))
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(uint32(number()))
	default:
		return protoreflect.ValueOfUint64(number())
	}
}
