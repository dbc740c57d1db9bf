package custody

import (
	"encoding/binary"

	"golang.org/x/crypto/sha3"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

// The first bytes of each payload separate the operations, so that a signature of one cannot be used for another. The
// second byte, where there is one, is the version of the payload.
const (
	authorizeTag     = "\x01\x01"
	revokeTag        = "\x02\x01"
	signerAddTag     = "\x03\x00"
	signerRemoveTag  = "\x04\x00"
	signerRequestTag = "\x05"
)

// payloadSizeHint is a capacity that avoids a second allocation for most payloads.
const payloadSizeHint = 256

// AuthorizeDigest returns the digest that a custody key of owner signs to add another one (P4.1).
func AuthorizeDigest(network pb.Network, owner ident.Address, b *pb.KeychainAuthorizeBody) [32]byte {
	p := beginPayload(authorizeTag, network, owner)
	p = append(p, b.GetKeyId()...)
	p = append(p, byte(b.GetSignatureType()))
	p = appendBytes(p, b.GetPublicKey())
	p = appendBool(p, b.GetAdmin())
	p = appendUint64s(p, b.GetExpiresAt(), b.GetValidAfter(), b.GetValidBefore(), b.GetNonce())
	return keccak256(appendBytes(p, b.GetWitness()))
}

// RevokeDigest returns the digest that a custody key of owner signs to revoke another one (P4.1).
func RevokeDigest(network pb.Network, owner ident.Address, b *pb.KeychainRevokeBody) [32]byte {
	p := beginPayload(revokeTag, network, owner)
	p = append(p, b.GetKeyId()...)
	p = appendUint64s(p, b.GetValidAfter(), b.GetValidBefore(), b.GetNonce())
	return keccak256(appendBytes(p, b.GetWitness()))
}

// SignerAddDigest returns the digest that a custody key of owner signs to register a delegated key (P4.1).
func SignerAddDigest(network pb.Network, owner ident.Address, b *pb.SignerAddBody) [32]byte {
	return keccak256(appendSigner(beginPayload(signerAddTag, network, owner), b))
}

// SignerRequestDigest returns the digest that a custody key of the requester signs to request a delegated key (P4.6).
func SignerRequestDigest(network pb.Network, owner ident.Address, b *pb.SignerAddBody) [32]byte {
	return keccak256(appendSigner(beginPayload(signerRequestTag, network, owner), b))
}

// SignerRemoveDigest returns the digest that a custody key of owner signs to remove a delegated key (P4.1).
func SignerRemoveDigest(network pb.Network, owner ident.Address, b *pb.SignerRemoveBody) [32]byte {
	p := beginPayload(signerRemoveTag, network, owner)
	p = append(p, b.GetKey()...)
	return keccak256(appendUint64s(p, b.GetValidAfter(), b.GetValidBefore(), b.GetNonce()))
}

func beginPayload(tag string, network pb.Network, owner ident.Address) []byte {
	p := append(make([]byte, 0, payloadSizeHint), tag...)
	p = binary.BigEndian.AppendUint32(p, uint32(network))
	return append(p, owner[:]...)
}

func appendSigner(p []byte, b *pb.SignerAddBody) []byte {
	p = append(p, b.GetRequestOwnerAddress()...)
	p = append(p, b.GetKey()...)
	p = binary.BigEndian.AppendUint32(p, b.GetScope())
	p = appendUint64s(p, b.GetValidAfter(), b.GetValidBefore(), b.GetNonce())
	p = binary.AppendUvarint(p, uint64(len(b.GetAllowedProjects())))
	for _, project := range b.GetAllowedProjects() {
		p = append(p, project...)
	}
	return p
}

func appendUint64s(p []byte, values ...uint64) []byte {
	for _, v := range values {
		p = binary.BigEndian.AppendUint64(p, v)
	}
	return p
}

// appendBytes appends the length and the bytes; Go's uvarint is unsigned LEB128.
func appendBytes(p, b []byte) []byte {
	return append(binary.AppendUvarint(p, uint64(len(b))), b...)
}

func appendBool(p []byte, b bool) []byte {
	if b {
		return append(p, 1)
	}
	return append(p, 0)
}

func keccak256(parts ...[]byte) (digest [32]byte) {
	h := sha3.NewLegacyKeccak256()
	for _, part := range parts {
		h.Write(part)
	}
	h.Sum(digest[:0])
	return digest
}
