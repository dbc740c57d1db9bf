package custody_test

import (
	"bytes"
	"crypto/sha256"
	"math/big"
	"strings"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
)

// TestKeyIDOfKnownKeys checks the well-known Ethereum addresses of the secrets 1 and 2.
//
// Rules: P4.2, P4.7.
func TestKeyIDOfKnownKeys(t *testing.T) {
	t.Parallel()
	for secret, address := range map[byte]string{
		1: "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf",
		2: "0x2b5ad5c4795c026514f8317c7a215e218dccd6cf",
	} {
		w := newWallet(t, pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1, [32]byte{31: secret})
		if got := w.KeyID().String(); got != address {
			t.Errorf("secret %d: key id %s, want %s", secret, got, address)
		}
	}
}

// TestKeyIDFromPublicKeyOfWallets checks that the public key and a signature have the same key id.
//
// Rules: P4.2, P4.7.
func TestKeyIDFromPublicKeyOfWallets(t *testing.T) {
	t.Parallel()
	ids := make(map[pb.CustodySignatureType]ident.Address)
	for _, kind := range signatureTypes {
		w := newWallet(t, kind, sha256.Sum256([]byte("secret")))
		id, err := custody.KeyIDFromPublicKey(kind, w.PublicKey())
		if err != nil || id != w.KeyID() {
			t.Errorf("%v: key id %s (%v), want %s", kind, id, err, w.KeyID())
		}
		ids[kind] = id
	}
	p256 := ids[pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_P256]
	if webAuthn := ids[pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_WEBAUTHN_P256]; p256 != webAuthn {
		t.Errorf("one key has the ids %s and %s", p256, webAuthn)
	}
	if p256 == ids[pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1] {
		t.Error("keys of two curves have the same id")
	}
}

// TestKeyIDFromPublicKeyErrors checks that malformed keys of both curves are refused.
//
// Rules: P4.7, P5/KEYCHAIN_AUTHORIZE.
func TestKeyIDFromPublicKeyErrors(t *testing.T) {
	t.Parallel()
	const (
		secpType = pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1
		p256Type = pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_P256
		webType  = pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_WEBAUTHN_P256
	)
	secp := newWallet(t, secpType, sha256.Sum256([]byte("secret"))).PublicKey()
	p256 := newWallet(t, p256Type, sha256.Sum256([]byte("secret"))).PublicKey()
	negatedPrime := bytes32(new(big.Int).Sub(secp256k1Curve.prime, big.NewInt(1)))
	hybrid := with(secp, 0, 0x06|secp[64]&1)
	compressed := append([]byte{0x02 | secp[64]&1}, secp[1:33]...)
	cases := []struct {
		name string
		kind pb.CustodySignatureType
		key  []byte
		want string
	}{
		{"no type", 0, secp, "signature type 0"},
		{"unknown type", 4, secp, "signature type 4"},
		{"secp256k1 empty", secpType, nil, "0 bytes, want 65"},
		{"secp256k1 without first byte", secpType, secp[1:], "64 bytes, want 65"},
		{"secp256k1 one byte more", secpType, append(bytes.Clone(secp), 0), "66 bytes, want 65"},
		{"secp256k1 compressed", secpType, compressed, "33 bytes, want 65"},
		{"secp256k1 hybrid", secpType, hybrid, "first byte 0x0"},
		{"secp256k1 off the curve", secpType, flipped(secp), "secp256k1 public key"},
		{"secp256k1 zero", secpType, with(make([]byte, 65), 0, 4), "secp256k1 public key"},
		{"secp256k1 x over the prime", secpType, with(secp, 1, bytes.Repeat([]byte{0xff}, 32)...), "secp256k1 public key"},
		{"secp256k1 other y", secpType, with(secp, 33, negatedPrime...), "secp256k1 public key"},
		{"secp256k1 with a p256 point", secpType, append([]byte{4}, p256...), "secp256k1 public key"},
		{"p256 empty", p256Type, nil, "0 bytes, want 64"},
		{"p256 with first byte", p256Type, append([]byte{4}, p256...), "65 bytes, want 64"},
		{"p256 off the curve", p256Type, flipped(p256), "p256 public key"},
		{"p256 zero", p256Type, make([]byte, 64), "p256 public key"},
		{"p256 with a secp256k1 point", p256Type, secp[1:], "p256 public key"},
		{"webauthn with first byte", webType, append([]byte{4}, p256...), "65 bytes, want 64"},
		{"webauthn off the curve", webType, flipped(p256), "p256 public key"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			id, err := custody.KeyIDFromPublicKey(c.kind, c.key)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("key id %s, error %v, want %q", id, err, c.want)
			}
			if id != (ident.Address{}) {
				t.Errorf("a refused key has id %s", id)
			}
		})
	}
}
