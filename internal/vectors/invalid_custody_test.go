package vectors

import (
	"encoding/hex"

	pb "makechain/gen/makechain"
)

// highS is a number between half the order of secp256k1 and the order.
var highS = append([]byte{0x80}, make([]byte, 31)...)

func invalidSigners(good *bodies, refuse refuse) {
	add := func(change func(*pb.SignerAddBody)) *pb.MessageData { return edit(good.signerAdd, change) }
	refuse("signer_add.key", "31 bytes", add(func(b *pb.SignerAddBody) { b.Key = make([]byte, 31) }))
	for _, key := range smallOrderKeys() {
		refuse("signer_add.key", "small order "+hex.EncodeToString(key), add(func(b *pb.SignerAddBody) { b.Key = key }))
	}
	refuse("signer_add.scope", "3", add(func(b *pb.SignerAddBody) { b.Scope, b.AllowedProjects = 3, nil }))
	refuse("signer_add.valid_after", "0", add(func(b *pb.SignerAddBody) { b.ValidAfter, b.ValidBefore = 0, 100 }))
	refuse("signer_add.valid_before", "0", add(func(b *pb.SignerAddBody) { b.ValidBefore = 0 }))
	refuse("signer_add.valid_before", "before valid_after", add(func(b *pb.SignerAddBody) { b.ValidBefore = b.ValidAfter - 1 }))
	refuse("signer_add.valid_before", "window of 3,601 s", add(func(b *pb.SignerAddBody) { b.ValidBefore = b.ValidAfter + 3601 }))
	refuse("signer_add.request_owner_address", "empty", add(func(b *pb.SignerAddBody) { b.RequestOwnerAddress = nil }))
	refuse("signer_add.custody_signature", "empty", add(func(b *pb.SignerAddBody) { b.CustodySignature = nil }))
	refuse("signer_add.custody_signature", "v of 2", add(func(b *pb.SignerAddBody) { b.CustodySignature[64] = 2 }))
	refuse("signer_add.request_signature", "64 bytes", add(func(b *pb.SignerAddBody) { b.RequestSignature = b.RequestSignature[:64] }))
	refuse("signer_add.allowed_projects", "with scope SIGNING", add(func(b *pb.SignerAddBody) { b.Scope = 1 }))
	refuse("signer_add.allowed_projects", "101", add(func(b *pb.SignerAddBody) { b.AllowedProjects = make([][]byte, 101) }))
	refuse("signer_add.allowed_projects[0]", "31 bytes", add(func(b *pb.SignerAddBody) { b.AllowedProjects[0] = make([]byte, 31) }))
	refuse("signer_add.allowed_projects[1]", "twice", add(func(b *pb.SignerAddBody) {
		b.AllowedProjects = append(b.AllowedProjects, b.AllowedProjects[0])
	}))

	remove := func(change func(*pb.SignerRemoveBody)) *pb.MessageData { return edit(good.signerRemove, change) }
	refuse("signer_remove.key", "20 bytes", remove(func(b *pb.SignerRemoveBody) { b.Key = make([]byte, 20) }))
	refuse("signer_remove.valid_after", "0", remove(func(b *pb.SignerRemoveBody) { b.ValidAfter = 0 }))
	refuse("signer_remove.custody_signature", "nested wrapper", remove(func(b *pb.SignerRemoveBody) {
		wrapper := append([]byte{3}, make([]byte, 20)...)
		b.CustodySignature = append(append(wrapper, wrapper...), b.CustodySignature...)
	}))
}

func invalidKeychain(good *bodies, refuse refuse) {
	authorize := func(change func(*pb.KeychainAuthorizeBody)) *pb.MessageData {
		return edit(good.keychainAuthorize, change)
	}
	refuse("keychain_authorize.key_id", "32 bytes", authorize(func(b *pb.KeychainAuthorizeBody) { b.KeyId = make([]byte, 32) }))
	refuse("keychain_authorize.key_id", "not that of the public key", authorize(func(b *pb.KeychainAuthorizeBody) { b.KeyId[0] ^= 1 }))
	refuse("keychain_authorize.key_id", "the owner", authorize(func(b *pb.KeychainAuthorizeBody) { b.KeyId = good.owner[:] }))
	refuse("keychain_authorize.signature_type", "not set", authorize(func(b *pb.KeychainAuthorizeBody) { b.SignatureType = 0 }))
	refuse("keychain_authorize.signature_type", "4", authorize(func(b *pb.KeychainAuthorizeBody) { b.SignatureType = 4 }))
	refuse("keychain_authorize.public_key", "P256 key as secp256k1", authorize(func(b *pb.KeychainAuthorizeBody) {
		b.SignatureType = pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1
	}))
	refuse("keychain_authorize.public_key", "not on the curve", authorize(func(b *pb.KeychainAuthorizeBody) { b.PublicKey[63] ^= 1 }))
	refuse("keychain_authorize.public_key", "65 bytes", authorize(func(b *pb.KeychainAuthorizeBody) { b.PublicKey = append([]byte{4}, b.PublicKey...) }))
	refuse("keychain_authorize.expires_at", "admin that expires", authorize(func(b *pb.KeychainAuthorizeBody) { b.ExpiresAt = now + 1 }))
	refuse("keychain_authorize.valid_before", "window of 3,601 s", authorize(func(b *pb.KeychainAuthorizeBody) { b.ValidBefore = b.ValidAfter + 3601 }))
	refuse("keychain_authorize.authorization_signature", "empty", authorize(func(b *pb.KeychainAuthorizeBody) { b.AuthorizationSignature = nil }))
	refuse("keychain_authorize.witness", "1,025 bytes", authorize(func(b *pb.KeychainAuthorizeBody) { b.Witness = []byte(filler(1025)) }))

	revoke := func(change func(*pb.KeychainRevokeBody)) *pb.MessageData { return edit(good.keychainRevoke, change) }
	refuse("keychain_revoke.key_id", "empty", revoke(func(b *pb.KeychainRevokeBody) { b.KeyId = nil }))
	refuse("keychain_revoke.key_id", "the owner", revoke(func(b *pb.KeychainRevokeBody) { b.KeyId = good.owner[:] }))
	refuse("keychain_revoke.valid_after", "0", revoke(func(b *pb.KeychainRevokeBody) { b.ValidAfter = 0 }))
	refuse("keychain_revoke.revocation_signature", "high S", revoke(func(b *pb.KeychainRevokeBody) {
		copy(b.RevocationSignature[32:64], highS)
	}))
	refuse("keychain_revoke.witness", "1,025 bytes", revoke(func(b *pb.KeychainRevokeBody) { b.Witness = []byte(filler(1025)) }))
}
