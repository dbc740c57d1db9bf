package message

import (
	"bytes"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
)

// Bounds of custody messages (P1.3, P4.5, P5).
const (
	MaxAllowedProjects = 100
	MaxWindow          = 3_600 // seconds
	MaxWitness         = 1_024 // bytes
)

// Sizes of the public key of KEYCHAIN_AUTHORIZE, in bytes: a P256 key is its point, a secp256k1 key is 0x04 and its
// point.
const (
	p256KeySize      = 64
	secp256k1KeySize = 65
)

func checkSignerAdd(f *fields, b *pb.SignerAddBody) {
	f.publicKey("key", b.GetKey())
	if b.GetScope() > uint32(pb.KeyScope_KEY_SCOPE_AGENT) {
		f.refuse("scope", "%d is not a known value", b.GetScope())
	}
	f.window(b)
	f.address("request_owner_address", b.GetRequestOwnerAddress())
	f.custodySignature("custody_signature", b.GetCustodySignature())
	f.custodySignature("request_signature", b.GetRequestSignature())
	f.allowedProjects(b)
}

// allowedProjects requires a list without duplicates, which only AGENT keys may have (P1.3).
func (f *fields) allowedProjects(b *pb.SignerAddBody) {
	list := b.GetAllowedProjects()
	limit := 0
	if b.GetScope() == uint32(pb.KeyScope_KEY_SCOPE_AGENT) {
		limit = MaxAllowedProjects
	}
	f.count("allowed_projects", len(list), 0, limit)
	seen := make(map[Hash]struct{}, min(len(list), limit))
	for i, id := range list {
		f.element("allowed_projects", i)
		f.hash("", id)
		f.unique("", id, seen)
		if f.refusal != nil {
			return
		}
	}
}

func checkSignerRemove(f *fields, b *pb.SignerRemoveBody) {
	f.exactly("key", b.GetKey(), ident.PublicKeySize)
	f.window(b)
	f.custodySignature("custody_signature", b.GetCustodySignature())
}

func checkKeychainAuthorize(f *fields, b *pb.KeychainAuthorizeBody) {
	f.custodyKeyID(b.GetKeyId())
	f.set("signature_type", int32(b.GetSignatureType()), pb.CustodySignatureType_name)
	f.custodyPublicKey(b)
	if b.GetAdmin() && b.GetExpiresAt() != 0 {
		f.refuse("expires_at", "%d, want 0 for an admin key", b.GetExpiresAt())
	}
	f.window(b)
	f.custodySignature("authorization_signature", b.GetAuthorizationSignature())
	f.size("witness", len(b.GetWitness()), 0, MaxWitness)
}

func checkKeychainRevoke(f *fields, b *pb.KeychainRevokeBody) {
	f.custodyKeyID(b.GetKeyId())
	f.window(b)
	f.custodySignature("revocation_signature", b.GetRevocationSignature())
	f.size("witness", len(b.GetWitness()), 0, MaxWitness)
}

// custodyKeyID requires the id of a key other than the root, which is never stored (P1.4, P4.7).
func (f *fields) custodyKeyID(id []byte) {
	f.address("key_id", id)
	if bytes.Equal(id, f.Owner[:]) {
		f.refuse("key_id", "the owner itself, want another key")
	}
}

// custodyPublicKey requires a public key in the encoding of its type, and the id derived from it (P4.7).
func (f *fields) custodyPublicKey(b *pb.KeychainAuthorizeBody) {
	want := p256KeySize
	if b.GetSignatureType() == pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1 {
		want = secp256k1KeySize
	}
	f.exactly("public_key", b.GetPublicKey(), want)
	if f.refusal != nil {
		return
	}
	id, err := custody.KeyIDFromPublicKey(b.GetSignatureType(), b.GetPublicKey())
	if err != nil {
		f.refuse("public_key", "%v", err)
	} else if !bytes.Equal(id[:], b.GetKeyId()) {
		f.refuse("key_id", "%x, want %x from public_key", b.GetKeyId(), id[:])
	}
}

// windowed is a body whose custody signature is valid for a time window.
type windowed interface {
	GetValidAfter() uint64
	GetValidBefore() uint64
}

// window requires a time window of at most MaxWindow that does not end before it starts (P4.5).
func (f *fields) window(b windowed) {
	after, before := b.GetValidAfter(), b.GetValidBefore()
	switch {
	case after == 0:
		f.refuse("valid_after", "0, at least 1")
	case before < after:
		f.refuse("valid_before", "%d, at least valid_after %d", before, after)
	case before-after > MaxWindow:
		f.refuse("valid_before", "%d seconds after valid_after, at most %d", before-after, MaxWindow)
	}
}

// custodySignature requires a signature in one of the forms of P4.2.
func (f *fields) custodySignature(name string, encoded []byte) custody.Signature {
	f.size(name, len(encoded), 1, custody.MaxSignatureSize)
	signature, err := custody.Parse(encoded)
	if err != nil {
		f.refuse(name, "%v", err)
	}
	return signature
}

// directSignature requires a form other than the keychain wrapper.
func (f *fields) directSignature(name string, encoded []byte) {
	signature := f.custodySignature(name, encoded)
	if _, wrapped := signature.Account(); wrapped {
		f.refuse(name, "in a keychain wrapper, want a direct signature")
	}
}
