package vectors

import (
	"slices"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
)

// signatureVector is a custody signature over a digest and its signer. A valid one with its secret can be reproduced by
// RFC 6979.
type signatureVector struct {
	Name           string                  `json:"name"`
	Digest         hexBytes                `json:"digest"`
	Secret         hexBytes                `json:"secret,omitempty"`
	Signature      hexBytes                `json:"signature"`
	Valid          bool                    `json:"valid"`
	KeyID          hexBytes                `json:"key_id,omitempty"`
	SignatureType  pb.CustodySignatureType `json:"signature_type,omitempty"`
	WrapperAccount hexBytes                `json:"wrapper_account,omitempty"`
}

// signatures returns all forms of P4.2, valid and invalid.
func signatures(t *testing.T) []signatureVector {
	t.Helper()
	list := slices.Concat(secp256k1Signatures(t), p256Signatures(t), webAuthnSignatures(t), wrappedSignatures(t))
	for _, form := range []struct {
		name      string
		signature []byte
	}{
		{"empty", nil}, {"unknown form", append([]byte{9}, make([]byte, 129)...)}, {"form byte alone", []byte{1}},
	} {
		list = append(list, badSignature(form.name, form.signature))
	}
	for i := range list {
		checkSignature(t, &list[i])
	}
	return list
}

// digest returns the digest of most signatures.
func digest() [32]byte { return secret("a digest") }

func badSignature(name string, signature []byte) signatureVector {
	d := digest()
	return signatureVector{Name: name, Digest: d[:], Signature: signature}
}

// typedWallet is a wallet with the type of its signatures.
type typedWallet interface {
	custody.Wallet
	Type() pb.CustodySignatureType
}

// goodSignature signs the digest with a wallet made from a secret.
func goodSignature(t *testing.T, name string, wallet typedWallet, secret [32]byte) signatureVector {
	t.Helper()
	v := badSignature(name, must[[]byte](t)(wallet.Sign(digest())))
	v.Secret, v.Valid, v.KeyID, v.SignatureType = secret[:], true, addressBytes(wallet.KeyID()), wallet.Type()
	return v
}

// checkSignature compares the result of a vector with that of the code.
func checkSignature(t *testing.T, v *signatureVector) {
	t.Helper()
	id, kind, wrapper, ok := recoverSigner([32]byte(v.Digest), v.Signature)
	if ok != v.Valid {
		t.Errorf("signature %s: valid is %v, want %v", v.Name, ok, v.Valid)
		return
	}
	if ok && (string(id[:]) != string(v.KeyID) || kind != v.SignatureType || string(wrapper) != string(v.WrapperAccount)) {
		t.Errorf("signature %s: made by %s of type %v in wrapper %x", v.Name, id, kind, wrapper)
	}
}

func recoverSigner(digest [32]byte, encoded []byte) (id ident.Address, kind pb.CustodySignatureType, wrapper []byte, ok bool) {
	signature, err := custody.Parse(encoded)
	if err != nil {
		return id, kind, nil, false
	}
	if account, wrapped := signature.Account(); wrapped {
		wrapper = account[:]
	}
	id, err = signature.Recover(digest)
	return id, signature.Type(), wrapper, err == nil
}

func secp256k1Signatures(t *testing.T) []signatureVector {
	t.Helper()
	wallet := secp256k1Wallet(t, "a wallet")
	good := goodSignature(t, "secp256k1", wallet, secret("a wallet"))
	older := goodSignature(t, "secp256k1 v 27/28", wallet, secret("a wallet"))
	older.Signature[64] += 27
	other := badSignature("secp256k1 over another digest is somebody else's", must[[]byte](t)(wallet.Sign(secret("another digest"))))
	id, kind, _, ok := recoverSigner(digest(), other.Signature)
	other.Valid, other.KeyID, other.SignatureType = ok, id[:], kind
	if string(other.KeyID) == string(good.KeyID) {
		t.Error("a signature over another digest recovers the same key")
	}
	with := func(name string, change func(s []byte)) signatureVector {
		changed := slices.Clone([]byte(good.Signature))
		change(changed)
		return badSignature("secp256k1 "+name, changed)
	}
	return []signatureVector{
		good, older, other,
		looksLikeForm(t, wallet, 1), looksLikeForm(t, wallet, 2), looksLikeForm(t, wallet, 3),
		with("high S", func(s []byte) { negate(s[32:64], secp256k1Order); s[64] ^= 1 }),
		with("v 2", func(s []byte) { s[64] = 2 }),
		with("v 29", func(s []byte) { s[64] = 29 }),
		with("r of 0", func(s []byte) { clear(s[:32]) }),
		with("s of 0", func(s []byte) { clear(s[32:64]) }),
		with("r of the order", func(s []byte) { copy(s, secp256k1Order) }),
		with("r of no point", func(s []byte) { clear(s[:32]); s[31] = 5 }),
		badSignature("secp256k1 of 64 bytes", good.Signature[:64]),
		badSignature("secp256k1 of 66 bytes", append(slices.Clone([]byte(good.Signature)), 0)),
	}
}

// looksLikeForm returns a secp256k1 signature that starts with the form byte of another form; its length decides.
func looksLikeForm(t *testing.T, wallet *custody.Secp256k1Wallet, form byte) signatureVector {
	t.Helper()
	for i := range 1 << 16 {
		d := secret("a digest, try " + string(rune('a'+i%26)) + filler(i/26))
		signature := must[[]byte](t)(wallet.Sign(d))
		if signature[0] != form {
			continue
		}
		s := secret("a wallet")
		return signatureVector{
			Name: "secp256k1 whose r begins with the form byte " + string('0'+form), Digest: d[:], Secret: s[:], Signature: signature,
			Valid: true, KeyID: addressBytes(wallet.KeyID()), SignatureType: wallet.Type(),
		}
	}
	t.Fatal("no such signature found")
	return signatureVector{}
}

func p256Signatures(t *testing.T) []signatureVector {
	t.Helper()
	good := goodSignature(t, "p256", p256Wallet(t, "a platform key"), secret("a platform key"))
	unhashed, otherKey := p256Sign(t, "a platform key", digest()), p256Wallet(t, "another platform key").PublicKey()
	with := func(name string, change func(s []byte)) signatureVector {
		changed := slices.Clone([]byte(good.Signature))
		change(changed)
		return badSignature("p256 "+name, changed)
	}
	return []signatureVector{
		good,
		with("last byte 0", func(s []byte) { s[129] = 0 }),
		with("last byte 2", func(s []byte) { s[129] = 2 }),
		with("high S", func(s []byte) { negate(s[33:65], p256Order) }),
		with("over the digest unhashed", func(s []byte) { copy(s[1:], unhashed[:64]) }),
		with("over another digest", func(s []byte) {
			copy(s, must[[]byte](t)(p256Wallet(t, "a platform key").Sign(secret("another digest"))))
		}),
		with("with the key of another", func(s []byte) { copy(s[65:], otherKey) }),
		with("off the curve", func(s []byte) { s[128] ^= 1 }),
		with("r of 0", func(s []byte) { clear(s[1:33]) }),
		with("s of 0", func(s []byte) { clear(s[33:65]) }),
		with("r of the order", func(s []byte) { copy(s[1:], p256Order) }),
		badSignature("p256 of 129 bytes", good.Signature[:129]),
		badSignature("p256 of 131 bytes", append(slices.Clone([]byte(good.Signature)), 1)),
	}
}

// wrappedSignatures returns signatures in a keychain wrapper.
func wrappedSignatures(t *testing.T) []signatureVector {
	t.Helper()
	account := someAddress("an account")
	var list []signatureVector
	for _, inner := range []signatureVector{
		goodSignature(t, "wrapped secp256k1", secp256k1Wallet(t, "a wallet"), secret("a wallet")),
		goodSignature(t, "wrapped p256", p256Wallet(t, "a platform key"), secret("a platform key")),
		goodSignature(t, "wrapped webauthn", webAuthnWallet(t, "a platform key"), secret("a platform key")),
		longestAssertion(t, "wrapped webauthn of 2,048 bytes", 2048),
	} {
		inner.Signature, inner.WrapperAccount = custody.Wrap(account, inner.Signature), account[:]
		list = append(list, inner)
	}
	direct := must[[]byte](t)(p256Wallet(t, "a platform key").Sign(digest()))
	return append(list,
		badSignature("wrapper in a wrapper", custody.Wrap(account, custody.Wrap(account, direct))),
		badSignature("wrapper around nothing", custody.Wrap(account, nil)),
		badSignature("wrapper without an account", []byte{3}),
		badSignature("wrapper of an unknown form", custody.Wrap(account, make([]byte, 130))),
		badSignature("wrapped p256 cut off", custody.Wrap(account, direct[:129])),
	)
}
