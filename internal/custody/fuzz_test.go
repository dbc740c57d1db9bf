package custody_test

import (
	"bytes"
	"crypto/sha256"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
)

// FuzzParse checks that a signature that parses has one form, encodes to the same bytes, and can be wrapped exactly
// once.
//
// Rules: P4.2.
func FuzzParse(f *testing.F) {
	for _, known := range loadKnownVectors(f).Signatures {
		f.Add([]byte(known.Signature))
	}
	for _, kind := range signatureTypes {
		f.Add(fixedSignature(f, kind))
	}
	f.Fuzz(func(t *testing.T, sig []byte) {
		before := bytes.Clone(sig)
		parsed, err := custody.Parse(sig)
		if !bytes.Equal(before, sig) {
			t.Fatal("parsing changed its input")
		}
		if err != nil {
			return
		}
		if !bytes.Equal(parsed.Bytes(), sig) {
			t.Fatalf("%x encodes to %x", sig, parsed.Bytes())
		}
		account, wrapped := parsed.Account()
		checkWrapping(t, sig, account, wrapped)
		id, err := parsed.Recover(digest)
		again, againErr := parsed.Recover(digest)
		if id != again || (err == nil) != (againErr == nil) || (err != nil) != (id == ident.Address{}) {
			t.Fatalf("recovers %s (%v), then %s (%v)", id, err, again, againErr)
		}
	})
}

// checkWrapping compares a parsed signature with its other form, wrapped or not.
func checkWrapping(t *testing.T, sig []byte, account ident.Address, wrapped bool) {
	t.Helper()
	parsed, _ := custody.Parse(sig)
	again, err := custody.Parse(custody.Wrap(ident.Address{1}, sig))
	if wrapped {
		if err == nil {
			t.Fatalf("%x may be wrapped twice", sig)
		}
		inner, err := custody.Parse(sig[1+len(account):])
		if err != nil || inner.Type() != parsed.Type() {
			t.Fatalf("the signature inside %x does not parse alone: %v", sig, err)
		}
		return
	}
	if err != nil || again.Type() != parsed.Type() {
		t.Fatalf("%x may not be wrapped: %v", sig, err)
	}
}

// FuzzKeyID compares key derivation with the curve equations: a key has an id exactly if it has the encoding of its type
// and its point lies on the curve.
//
// Rules: P4.2, P4.7.
func FuzzKeyID(f *testing.F) {
	for _, kind := range signatureTypes {
		key := newWallet(f, kind, sha256.Sum256([]byte("secret"))).PublicKey()
		f.Add(int32(kind), key)
		f.Add(int32(kind), flipped(key))
		f.Add(int32(kind)%3+1, key)
	}
	f.Fuzz(func(t *testing.T, kind int32, key []byte) {
		want := false
		var point []byte
		switch pb.CustodySignatureType(kind) {
		case pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1:
			if len(key) == 65 && key[0] == 4 {
				point = key[1:]
				want = secp256k1Curve.holds(point)
			}
		case pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_P256,
			pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_WEBAUTHN_P256:
			if len(key) == 64 {
				point = key
				want = p256Curve.holds(point)
			}
		}
		id, err := custody.KeyIDFromPublicKey(pb.CustodySignatureType(kind), key)
		if (err == nil) != want {
			t.Fatalf("type %d, key %x: error %v, want success %t", kind, key, err, want)
		}
		if err == nil && id != custody.KeyID([64]byte(point)) {
			t.Fatalf("key id %s is not that of the point", id)
		}
	})
}
