package vectors

import (
	"slices"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
)

// custodyFile is the content of custody.json.
type custodyFile struct {
	Operations  []operationVector  `json:"operations"`
	Signatures  []signatureVector  `json:"signatures"`
	KeyIDs      []keyIDVector      `json:"key_ids"`
	EthClaims   []ethClaimVector   `json:"eth_claims"`
	SolClaims   []solClaimVector   `json:"sol_claims"`
	Settlements []settlementVector `json:"settlements"`
}

type operationVector struct {
	Op      string     `json:"op"`
	Network pb.Network `json:"network"`
	Owner   hexBytes   `json:"owner"`
	Body    fields     `json:"body"`
	Digest  hexBytes   `json:"digest"`
}

type keyIDVector struct {
	Name          string                  `json:"name"`
	SignatureType pb.CustodySignatureType `json:"signature_type"`
	PublicKey     hexBytes                `json:"public_key"`
	Valid         bool                    `json:"valid"`
	KeyID         hexBytes                `json:"key_id,omitempty"`
}

// TestCustody generates custody.json: every digest, every form of a signature, valid and invalid, and every claim.
//
// Rules: P4.1, P4.2, P4.3, P4.7, P8.2, P9.10.
func TestCustody(t *testing.T) {
	t.Parallel()
	golden(t, "custody.json", custodyFile{
		Operations:  operations(t),
		Signatures:  signatures(t),
		KeyIDs:      keyIDs(t),
		EthClaims:   ethClaims(t),
		SolClaims:   solClaims(t),
		Settlements: settlements(t),
	})
}

// operations returns the five digests on every network, with empty and with full fields.
func operations(t *testing.T) []operationVector {
	t.Helper()
	good := goodBodies(t, newActor(t, "alice"))
	full := good.signerAdd.GetSignerAdd()
	own := edit(good.signerAdd, func(b *pb.SignerAddBody) {
		b.Scope, b.AllowedProjects, b.Nonce, b.ValidBefore = 0, nil, 1<<64-1, 1<<64-1
	}).GetSignerAdd()
	unwitnessed := edit(good.keychainAuthorize, func(b *pb.KeychainAuthorizeBody) {
		b.Witness, b.Admin, b.ExpiresAt = nil, false, now+1
	}).GetKeychainAuthorize()
	witnessed := edit(good.keychainRevoke, func(b *pb.KeychainRevokeBody) { b.Witness = []byte(filler(300)) }).GetKeychainRevoke()

	var list []operationVector
	owner := good.owner
	for _, n := range []pb.Network{pb.Network_NETWORK_MAINNET, pb.Network_NETWORK_TESTNET, pb.Network_NETWORK_DEVNET} {
		add := func(op string, body fields, digest [32]byte) {
			list = append(list, operationVector{op, n, owner[:], body, digest[:]})
		}
		for _, b := range []*pb.KeychainAuthorizeBody{good.keychainAuthorize.GetKeychainAuthorize(), unwitnessed} {
			add("authorize", fields{b}, custody.AuthorizeDigest(n, owner, b))
		}
		for _, b := range []*pb.KeychainRevokeBody{good.keychainRevoke.GetKeychainRevoke(), witnessed} {
			add("revoke", fields{b}, custody.RevokeDigest(n, owner, b))
		}
		for _, b := range []*pb.SignerAddBody{full, own} {
			add("signer_add", fields{b}, custody.SignerAddDigest(n, owner, b))
			add("signer_request", fields{b}, custody.SignerRequestDigest(n, owner, b))
		}
		remove := good.signerRemove.GetSignerRemove()
		add("signer_remove", fields{remove}, custody.SignerRemoveDigest(n, owner, remove))
	}
	return list
}

// keyIDs returns public keys as KEYCHAIN_AUTHORIZE contains them.
func keyIDs(t *testing.T) []keyIDVector {
	t.Helper()
	ethereum, platform, passkey := secp256k1Wallet(t, "a wallet"), p256Wallet(t, "a platform key"), webAuthnWallet(t, "a platform key")
	changed := func(key []byte, at int, value byte) []byte {
		key = slices.Clone(key)
		key[at] = value
		return key
	}
	const none, secp, p256, webAuthn = pb.CustodySignatureType(0), pb.CustodySignatureType(1), pb.CustodySignatureType(2), pb.CustodySignatureType(3)
	list := []keyIDVector{
		{"secp256k1", secp, ethereum.PublicKey(), true, addressBytes(ethereum.KeyID())},
		{"p256", p256, platform.PublicKey(), true, addressBytes(platform.KeyID())},
		{"webauthn shares the id of p256", webAuthn, passkey.PublicKey(), true, addressBytes(platform.KeyID())},
		{"no type", none, platform.PublicKey(), false, nil},
		{"unknown type", 4, platform.PublicKey(), false, nil},
		{"secp256k1 without the first byte", secp, ethereum.PublicKey()[1:], false, nil},
		{"secp256k1 hybrid", secp, changed(ethereum.PublicKey(), 0, 6), false, nil},
		{"secp256k1 compressed", secp, changed(ethereum.PublicKey()[:33], 0, 2), false, nil},
		{"secp256k1 off the curve", secp, changed(ethereum.PublicKey(), 64, ethereum.PublicKey()[64]^1), false, nil},
		{"secp256k1 point as p256", p256, ethereum.PublicKey()[1:], false, nil},
		{"p256 with a first byte", p256, append([]byte{4}, platform.PublicKey()...), false, nil},
		{"p256 off the curve", p256, changed(platform.PublicKey(), 63, platform.PublicKey()[63]^1), false, nil},
		{"point at infinity", p256, make([]byte, 64), false, nil},
		{"empty", p256, nil, false, nil},
	}
	for _, v := range list {
		id, err := custody.KeyIDFromPublicKey(v.SignatureType, v.PublicKey)
		if (err == nil) != v.Valid || v.Valid && string(id[:]) != string(v.KeyID) {
			t.Errorf("key id %s: got %s, %v", v.Name, id, err)
		}
	}
	return list
}

func addressBytes(a ident.Address) []byte { return a[:] }
