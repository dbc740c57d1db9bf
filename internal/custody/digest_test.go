package custody_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
)

// operation is a custody operation with its body and digest function.
type operation struct {
	name   string
	body   proto.Message
	digest func(pb.Network, ident.Address, proto.Message) [32]byte
}

func operations() []operation {
	fill := func(size int, b byte) []byte { return bytes.Repeat([]byte{b}, size) }
	signer := &pb.SignerAddBody{
		Key: fill(32, 1), Scope: 2, AllowedProjects: [][]byte{fill(32, 2), fill(32, 3)}, Nonce: 4,
		ValidAfter: 5, ValidBefore: 6, RequestOwnerAddress: fill(20, 7),
		CustodySignature: fill(65, 8), RequestSignature: fill(65, 9),
	}
	return []operation{
		{"authorize", &pb.KeychainAuthorizeBody{
			KeyId: fill(20, 1), SignatureType: 2, PublicKey: fill(64, 3), Admin: true, ExpiresAt: 4,
			ValidAfter: 5, ValidBefore: 6, Nonce: 7, AuthorizationSignature: fill(65, 8), Witness: fill(9, 9),
		}, func(n pb.Network, o ident.Address, m proto.Message) [32]byte {
			return custody.AuthorizeDigest(n, o, m.(*pb.KeychainAuthorizeBody))
		}},
		{"revoke", &pb.KeychainRevokeBody{
			KeyId: fill(20, 1), ValidAfter: 2, ValidBefore: 3, Nonce: 4, RevocationSignature: fill(65, 5), Witness: fill(9, 6),
		}, func(n pb.Network, o ident.Address, m proto.Message) [32]byte {
			return custody.RevokeDigest(n, o, m.(*pb.KeychainRevokeBody))
		}},
		{"signer add", signer, func(n pb.Network, o ident.Address, m proto.Message) [32]byte {
			return custody.SignerAddDigest(n, o, m.(*pb.SignerAddBody))
		}},
		{"signer request", signer, func(n pb.Network, o ident.Address, m proto.Message) [32]byte {
			return custody.SignerRequestDigest(n, o, m.(*pb.SignerAddBody))
		}},
		{"signer remove", &pb.SignerRemoveBody{
			Key: fill(32, 1), CustodySignature: fill(65, 2), Nonce: 3, ValidAfter: 4, ValidBefore: 5,
		}, func(n pb.Network, o ident.Address, m proto.Message) [32]byte {
			return custody.SignerRemoveDigest(n, o, m.(*pb.SignerRemoveBody))
		}},
	}
}

// TestDigestCoversEveryField checks that the digest changes with each field of each body, except for the signatures,
// which cannot sign themselves.
//
// Rules: P4.1, P4.6.
func TestDigestCoversEveryField(t *testing.T) {
	t.Parallel()
	owner := ident.Address{0xaa}
	for _, op := range operations() {
		t.Run(op.name, func(t *testing.T) {
			t.Parallel()
			before := op.digest(pb.Network_NETWORK_DEVNET, owner, op.body)
			fields := op.body.ProtoReflect().Descriptor().Fields()
			for i := range fields.Len() {
				field := fields.Get(i)
				changed := proto.Clone(op.body)
				changeField(t, changed.ProtoReflect(), field)
				covered := op.digest(pb.Network_NETWORK_DEVNET, owner, changed) != before
				isSignature := strings.HasSuffix(string(field.Name()), "_signature")
				if covered == isSignature {
					t.Errorf("field %s: part of the digest is %t", field.Name(), covered)
				}
			}
			if op.digest(pb.Network_NETWORK_MAINNET, owner, op.body) == before {
				t.Error("the network is not part of the digest")
			}
			if op.digest(pb.Network_NETWORK_DEVNET, ident.Address{0xab}, op.body) == before {
				t.Error("the owner is not part of the digest")
			}
		})
	}
}

// changeField sets a field to another value of the same length.
func changeField(t *testing.T, m protoreflect.Message, field protoreflect.FieldDescriptor) {
	t.Helper()
	value := m.Get(field)
	switch {
	case field.IsList():
		list := value.List()
		last := list.Len() - 1
		list.Set(last, protoreflect.ValueOfBytes(flipped(list.Get(last).Bytes())))
	case field.Kind() == protoreflect.BytesKind:
		m.Set(field, protoreflect.ValueOfBytes(flipped(value.Bytes())))
	case field.Kind() == protoreflect.Uint64Kind:
		m.Set(field, protoreflect.ValueOfUint64(value.Uint()+1))
	case field.Kind() == protoreflect.Uint32Kind:
		m.Set(field, protoreflect.ValueOfUint32(uint32(value.Uint())+1))
	case field.Kind() == protoreflect.BoolKind:
		m.Set(field, protoreflect.ValueOfBool(!value.Bool()))
	case field.Kind() == protoreflect.EnumKind:
		m.Set(field, protoreflect.ValueOfEnum(value.Enum()+1))
	default:
		t.Fatalf("field %s has a kind that this test does not support", field.FullName())
	}
}

// flipped returns a copy of b with its last bit changed.
func flipped(b []byte) []byte { return with(b, -1, b[len(b)-1]^1) }

// TestDigestsOfOperationsDiffer checks that bodies of zeros have different digests in all operations.
//
// Rules: P4.1.
func TestDigestsOfOperationsDiffer(t *testing.T) {
	t.Parallel()
	seen := make(map[[32]byte]string)
	for _, op := range operations() {
		proto.Reset(op.body)
		digest := op.digest(pb.Network_NETWORK_DEVNET, ident.Address{}, op.body)
		if other, twice := seen[digest]; twice {
			t.Errorf("%s and %s share a digest", op.name, other)
		}
		seen[digest] = op.name
	}
}

// TestDigestSeparatesNeighbours checks that the digest changes when bytes move from one field to the next.
//
// Rules: P4.1.
func TestDigestSeparatesNeighbours(t *testing.T) {
	t.Parallel()
	project := bytes.Repeat([]byte{5}, 32)
	seen := make(map[[32]byte]string)
	add := func(name string, digest [32]byte) {
		if other, twice := seen[digest]; twice {
			t.Errorf("%s and %s share a digest", name, other)
		}
		seen[digest] = name
	}
	for count := range 130 {
		b := &pb.SignerAddBody{Key: project, RequestOwnerAddress: project[:20]}
		for range count {
			b.AllowedProjects = append(b.AllowedProjects, project)
		}
		add(fmt.Sprintf("%d projects", count), custody.SignerAddDigest(1, ident.Address{}, b))
	}
	for size := range 130 {
		b := &pb.KeychainAuthorizeBody{KeyId: project[:20], PublicKey: make([]byte, size), Witness: make([]byte, 130-size)}
		add(fmt.Sprintf("key of %d bytes", size), custody.AuthorizeDigest(1, ident.Address{}, b))
	}
}
