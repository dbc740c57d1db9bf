package message

import (
	"slices"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
)

// windowBounds returns test cases for valid_after and valid_before of any body.
func windowBounds[B any](body string, set func(b B, after, before uint64)) (list []bound[B]) {
	const largest = 1<<64 - 1
	for _, c := range []struct {
		name          string
		after, before uint64
		refused       string
	}{
		{"one second", testTime, testTime, ""},
		{"longest window", testTime, testTime + 3600, ""},
		{"window from 1", 1, 3601, ""},
		{"last window", largest - 3600, largest, ""},
		{"no start", 0, 3600, "valid_after: 0, at least 1"},
		{"no end", testTime, 0, "valid_before: 0, at least valid_after 1700000000"},
		{"no window", 0, 0, "valid_after: 0, at least 1"},
		{"end before start", testTime, testTime - 1, "valid_before: 1699999999, at least valid_after 1700000000"},
		{"window too long", testTime, testTime + 3601, "valid_before: 3601 seconds after valid_after, at most 3600"},
		{"endless window", 1, largest, "valid_before: 18446744073709551614 seconds after valid_after, at most 3600"},
	} {
		refused := c.refused
		if refused != "" {
			refused = body + "." + refused
		}
		list = append(list, bound[B]{c.name, func(b B) { set(b, c.after, c.before) }, refused})
	}
	return list
}

// signatureBounds returns test cases for a custody signature field of any body.
func signatureBounds[B any](t *testing.T, field string, set func(B, []byte)) (list []bound[B]) {
	t.Helper()
	sign := func(wallet Wallet) []byte {
		signature, err := wallet.Sign([32]byte{1})
		if err != nil {
			t.Fatal(err)
		}
		return signature
	}
	highS := append(slices.Repeat([]byte{0xff}, 64), 0)
	for _, c := range []struct {
		name      string
		signature []byte
		refused   string
	}{
		{"secp256k1", sign(rootWallet(t)), ""},
		{"webauthn", sign(passkey(t)), ""},
		{"wrapped", sign(custody.WrappedWallet{Wallet: passkey(t), Account: stranger}), ""},
		{"missing", nil, "0 bytes, at least 1"},
		{"too long", make([]byte, 16_385), "16385 bytes, at most 16384"},
		{"longest, unknown form", slices.Repeat([]byte{4}, 16_384), "unknown signature form 0x04 of 16384 bytes"},
		{"wrapper alone", append([]byte{3}, stranger[:]...), "keychain wrapper of 21 bytes carries no signature"},
	} {
		refused := c.refused
		if refused != "" {
			refused = field + ": " + refused
		}
		list = append(list, bound[B]{field + " " + c.name, func(b B) { set(b, c.signature) }, refused})
	}
	_, err := custody.Parse(highS)
	if err == nil {
		t.Fatal("a signature with s out of range is parsed")
	}
	return append(list, bound[B]{field + " out of range", func(b B) { set(b, highS) }, field + ": " + err.Error()})
}

// TestSignerAddBounds checks the field limits of SIGNER_ADD, including its window and allowed projects.
//
// Rules: P1.3, P4.5, P5/SIGNER_ADD.
func TestSignerAddBounds(t *testing.T) {
	t.Parallel()
	type body = *pb.SignerAddBody
	good := func() *pb.MessageData {
		return proofMessage(t, func(d *pb.MessageData) bool { return d.GetSignerAdd() != nil })
	}
	scope := func(s uint32, projects ...[]byte) func(body) {
		return func(b body) { b.Scope, b.AllowedProjects = s, projects }
	}
	many := func(n int) [][]byte {
		list := make([]Hash, n)
		for i := range list {
			list[i] = Hash{byte(i)}
		}
		return hashList(list)
	}
	checkBounds(t, good, (*pb.MessageData).GetSignerAdd, slices.Concat(
		windowBounds("signer_add", func(b body, after, before uint64) { b.ValidAfter, b.ValidBefore = after, before }),
		signatureBounds(t, "signer_add.custody_signature", func(b body, s []byte) { b.CustodySignature = s }),
		signatureBounds(t, "signer_add.request_signature", func(b body, s []byte) { b.RequestSignature = s }),
		smallOrderBounds(t, "signer_add.key", func(b body, key []byte) { b.Key = key }),
		[]bound[body]{
			{"no key", func(b body) { b.Key = nil }, "signer_add.key: 0 bytes, want 32"},
			{"no requester", func(b body) { b.RequestOwnerAddress = nil }, "signer_add.request_owner_address: 0 bytes, want 20"},
			{"first nonce", func(b body) { b.Nonce = 0 }, ""},
			{"owner", scope(0), ""},
			{"signing", scope(1), ""},
			{"agent for every project", scope(2), ""},
			{"unknown scope", scope(3), "signer_add.scope: 3 is not a known value"},
			{"largest scope", scope(1<<32 - 1), "signer_add.scope: 4294967295 is not a known value"},
			{"owner with projects", scope(0, projectID[:]), "signer_add.allowed_projects: 1 elements, at most 0"},
			{"signing with projects", scope(1, projectID[:]), "signer_add.allowed_projects: 1 elements, at most 0"},
			{"most projects", scope(2, many(100)...), ""},
			{"too many projects", scope(2, many(101)...), "signer_add.allowed_projects: 101 elements, at most 100"},
			{"short project", scope(2, projectID[:], projectID[1:]), "signer_add.allowed_projects[1]: 31 bytes, want 32"},
			{
				"project twice", scope(2, projectID[:], otherID[:], projectID[:]),
				"signer_add.allowed_projects[2]: " + projectID.String() + " is duplicated",
			},
		}))
}

// TestSignerRemoveBounds checks the field limits of SIGNER_REMOVE.
//
// Rules: P4.5, P5/SIGNER_REMOVE.
func TestSignerRemoveBounds(t *testing.T) {
	t.Parallel()
	type body = *pb.SignerRemoveBody
	good := func() *pb.MessageData {
		return proofMessage(t, func(d *pb.MessageData) bool { return d.GetSignerRemove() != nil })
	}
	checkBounds(t, good, (*pb.MessageData).GetSignerRemove, slices.Concat(
		windowBounds("signer_remove", func(b body, after, before uint64) { b.ValidAfter, b.ValidBefore = after, before }),
		signatureBounds(t, "signer_remove.custody_signature", func(b body, s []byte) { b.CustodySignature = s }),
		[]bound[body]{
			{"no key", func(b body) { b.Key = nil }, "signer_remove.key: 0 bytes, want 32"},
		}))
}

// TestKeychainAuthorizeBounds checks the field limits of KEYCHAIN_AUTHORIZE, including its window and new key.
//
// Rules: P1.4, P4.5, P4.7, P5/KEYCHAIN_AUTHORIZE.
func TestKeychainAuthorizeBounds(t *testing.T) {
	t.Parallel()
	type body = *pb.KeychainAuthorizeBody
	good := func() *pb.MessageData {
		return proofMessage(t, func(d *pb.MessageData) bool { return d.GetKeychainAuthorize() != nil })
	}
	other, err := custody.NewSecp256k1Wallet([32]byte{31: 8})
	if err != nil {
		t.Fatal(err)
	}
	root, id := rootWallet(t), passkey(t).KeyID()
	useKey := func(signatureType pb.CustodySignatureType, publicKey []byte, keyID Address) func(body) {
		return func(b body) { b.SignatureType, b.PublicKey, b.KeyId = signatureType, publicKey, keyID[:] }
	}
	compressed := append([]byte{2}, other.PublicKey()[1:]...)
	checkBounds(t, good, (*pb.MessageData).GetKeychainAuthorize, slices.Concat(
		windowBounds("keychain_authorize", func(b body, after, before uint64) { b.ValidAfter, b.ValidBefore = after, before }),
		signatureBounds(t, "keychain_authorize.authorization_signature", func(b body, s []byte) { b.AuthorizationSignature = s }),
		[]bound[body]{
			{"secp256k1 key", useKey(1, other.PublicKey(), other.KeyID()), ""},
			{"same key as P256", func(b body) { b.SignatureType = 2 }, ""},
			{"no type", func(b body) { b.SignatureType = 0 }, "keychain_authorize.signature_type: not set"},
			{"unknown type", func(b body) { b.SignatureType = 4 }, "keychain_authorize.signature_type: 4 is not a known value"},
			{"no public key", func(b body) { b.PublicKey = nil }, "keychain_authorize.public_key: 0 bytes, want 64"},
			{"P256 key as secp256k1", func(b body) { b.SignatureType = 1 }, "keychain_authorize.public_key: 64 bytes, want 65"},
			{"secp256k1 key as P256", useKey(2, other.PublicKey(), other.KeyID()), "keychain_authorize.public_key: 65 bytes, want 64"},
			{
				"secp256k1 key without 0x04", useKey(1, compressed, other.KeyID()),
				"keychain_authorize.public_key: secp256k1 public key: first byte 0x02, want 0x04",
			},
			{"no key id", func(b body) { b.KeyId = nil }, "keychain_authorize.key_id: 0 bytes, want 20"},
			{
				"id of another key", func(b body) { b.KeyId = stranger[:] },
				"keychain_authorize.key_id: 5500000000000000000000000000000000000005, want " + id.String()[2:] + " from public_key",
			},
			{"the owner's own key", useKey(1, root.PublicKey(), root.KeyID()), "keychain_authorize.key_id: the owner itself, want another key"},
			{"admin that expires", func(b body) { b.ExpiresAt = testTime }, "keychain_authorize.expires_at: 1700000000, want 0 for an admin key"},
			{"other key that expires", func(b body) { b.Admin, b.ExpiresAt = false, testTime }, ""},
			{"no witness", func(b body) { b.Witness = nil }, ""},
			{"longest witness", func(b body) { b.Witness = make([]byte, 1024) }, ""},
			{"witness too long", func(b body) { b.Witness = make([]byte, 1025) }, "keychain_authorize.witness: 1025 bytes, at most 1024"},
		}))
}

// TestKeychainRevokeBounds checks the field limits of KEYCHAIN_REVOKE.
//
// Rules: P4.5, P4.7, P5/KEYCHAIN_REVOKE.
func TestKeychainRevokeBounds(t *testing.T) {
	t.Parallel()
	type body = *pb.KeychainRevokeBody
	good := func() *pb.MessageData {
		return proofMessage(t, func(d *pb.MessageData) bool { return d.GetKeychainRevoke() != nil })
	}
	owner := testAuthor(t).Owner()
	checkBounds(t, good, (*pb.MessageData).GetKeychainRevoke, slices.Concat(
		windowBounds("keychain_revoke", func(b body, after, before uint64) { b.ValidAfter, b.ValidBefore = after, before }),
		signatureBounds(t, "keychain_revoke.revocation_signature", func(b body, s []byte) { b.RevocationSignature = s }),
		[]bound[body]{
			{"no key id", func(b body) { b.KeyId = nil }, "keychain_revoke.key_id: 0 bytes, want 20"},
			{"the owner", func(b body) { b.KeyId = owner[:] }, "keychain_revoke.key_id: the owner itself, want another key"},
			{"longest witness", func(b body) { b.Witness = make([]byte, 1024) }, ""},
			{"witness too long", func(b body) { b.Witness = make([]byte, 1025) }, "keychain_revoke.witness: 1025 bytes, at most 1024"},
		}))
}
