package vectors

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/asn1"
	"encoding/base64"
	"math/big"
	"slices"
	"strings"
	"testing"

	"makechain/internal/ident"
)

// The group orders, as big-endian bytes.
const (
	secp256k1Order = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xba\xae\xdc\xe6\xaf\x48\xa0\x3b\xbf\xd2\x5e\x8c\xd0\x36\x41\x41"
	p256Order      = "\xff\xff\xff\xff\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\xbc\xe6\xfa\xad\xa7\x17\x9e\x84\xf3\xb9\xca\xc2\xfc\x63\x25\x51"
)

// negate replaces a number by its negative modulo an order.
func negate(number []byte, order string) {
	n := new(big.Int).SetBytes([]byte(order))
	n.Sub(n, new(big.Int).SetBytes(number)).FillBytes(number)
}

// p256Sign signs a hash and returns r, s, x and y, with the lower s.
func p256Sign(t *testing.T, purpose string, hash [32]byte) []byte {
	t.Helper()
	seed := secret(purpose)
	key := must[*ecdsa.PrivateKey](t)(ecdsa.ParseRawPrivateKey(elliptic.P256(), seed[:]))
	var numbers struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(must[[]byte](t)(key.Sign(nil, hash[:], crypto.SHA256)), &numbers); err != nil {
		t.Fatal(err)
	}
	signature := make([]byte, 64)
	numbers.R.FillBytes(signature[:32])
	numbers.S.FillBytes(signature[32:])
	if new(big.Int).Lsh(numbers.S, 1).Cmp(key.Params().N) > 0 {
		negate(signature[32:], p256Order)
	}
	return slices.Concat(signature, p256Wallet(t, purpose).PublicKey())
}

// assertion is the content of a WebAuthn assertion, valid or not.
type assertion struct {
	flags  byte
	client string
}

// sign returns a WebAuthn signature over the assertion.
func (a assertion) sign(t *testing.T) []byte {
	t.Helper()
	party := sha256.Sum256([]byte("example.com"))
	data := slices.Concat(party[:], []byte{a.flags, 0, 0, 0, 9})
	client := sha256.Sum256([]byte(a.client))
	keyed := p256Sign(t, "a platform key", sha256.Sum256(slices.Concat(data, client[:])))
	return slices.Concat([]byte{2}, data, []byte(a.client), keyed)
}

// challenge returns the digest as an authenticator encodes it.
func challenge() string {
	d := digest()
	return base64.RawURLEncoding.EncodeToString(d[:])
}

const presentAndVerified = 0x05

// clientData returns client data as a browser writes it, starting with the given members.
func clientData(members string) string { return `{` + members + `,"origin":"https://example.com"}` }

func usualClientData() string {
	return clientData(`"type":"webauthn.get","challenge":"` + challenge() + `"`)
}

// longestAssertion pads the client data until the signature has the given length.
func longestAssertion(t *testing.T, name string, length int) signatureVector {
	t.Helper()
	short := assertion{presentAndVerified, usualClientData()}.sign(t)
	client := usualClientData() + strings.Repeat(" ", length-len(short))
	return goodAssertion(t, name, assertion{presentAndVerified, client})
}

func goodAssertion(t *testing.T, name string, a assertion) signatureVector {
	t.Helper()
	wallet, seed := webAuthnWallet(t, "a platform key"), secret("a platform key")
	v := badSignature(name, a.sign(t))
	v.Secret, v.Valid, v.KeyID, v.SignatureType = seed[:], true, addressBytes(wallet.KeyID()), wallet.Type()
	return v
}

func webAuthnSignatures(t *testing.T) []signatureVector {
	t.Helper()
	c := challenge()
	list := []signatureVector{
		goodSignature(t, "webauthn", webAuthnWallet(t, "a platform key"), secret("a platform key")),
		longestAssertion(t, "webauthn of 2,048 bytes", 2048),
	}
	for _, good := range []struct{ name, client string }{
		{"members in another order", `{"origin":"x","challenge":"` + c + `","type":"webauthn.get"}`},
		{"white space and other members", " {\n\"type\" : \"webauthn.get\",\t\"a\":{\"type\":1,\"b\":[1,2,{}]},\"challenge\":\"" + c + "\"} "},
		{"escapes", `{"t\u0079pe":"webauthn\u002eget","challenge":"` + c + `"}`},
		{"members that occur in members", `{"type":"webauthn.get","challenge":"` + c + `","a":{"type":"x","type":"y"}}`},
	} {
		list = append(list, goodAssertion(t, "webauthn with "+good.name, assertion{presentAndVerified, good.client}))
	}
	list = append(list, goodAssertion(t, "webauthn with a backed up key", assertion{presentAndVerified | 0x18, usualClientData()}))
	return slices.Concat(list, badFlags(t), badClientData(t), badAssertions(t))
}

func badFlags(t *testing.T) []signatureVector {
	t.Helper()
	var list []signatureVector
	for _, bad := range []struct {
		name  string
		flags byte
	}{
		{"user not present", 0x04},
		{"user not verified", 0x01},
		{"no flags", 0},
		{"attested data", 0x45},
		{"extensions", 0x85},
	} {
		list = append(list, badSignature("webauthn flags: "+bad.name, assertion{bad.flags, usualClientData()}.sign(t)))
	}
	return list
}

func badClientData(t *testing.T) []signatureVector {
	t.Helper()
	c, d := challenge(), secret("another digest")
	usual, get := usualClientData(), `"type":"webauthn.get"`
	var list []signatureVector
	for _, bad := range []struct{ name, client string }{
		{"made, not asserted", clientData(`"type":"webauthn.create","challenge":"` + c + `"`)},
		{"another challenge", clientData(get + `,"challenge":"` + base64.RawURLEncoding.EncodeToString(d[:]) + `"`)},
		{"padded challenge", clientData(get + `,"challenge":"` + c + `="`)},
		{"challenge in hex", clientData(get + `,"challenge":"` + ident.Hash(digest()).String() + `"`)},
		{"no challenge", clientData(get)},
		{"challenge no text", clientData(get + `,"challenge":[]`)},
		{"challenge null", clientData(get + `,"challenge":null`)},
		{"no type", clientData(`"challenge":"` + c + `"`)},
		{"names in another case", clientData(`"Type":"webauthn.get","Challenge":"` + c + `"`)},
		{"member twice", clientData(get + `,"challenge":"` + c + `",` + get)},
		{"member twice, once escaped", clientData(get + `,"challenge":"` + c + `","t\u0079pe":"webauthn.get"`)},
		{"other member twice", clientData(get + `,"challenge":"` + c + `","a":1,"a":1`)},
		{"empty", ""},
		{"cut off", usual[:len(usual)-1]},
		{"list", `[` + usual + `]`},
		{"text", `"webauthn.get"`},
		{"null", `null`},
		{"comma at the end", usual[:len(usual)-1] + `,}`},
		{"something after the object", usual + `{}`},
		{"byte order mark", "\ufeff" + usual},
		{"not UTF-8", strings.Replace(usual, "example", "ex\xffmple", 1)},
		{"single quotes", strings.ReplaceAll(usual, `"`, `'`)},
	} {
		list = append(list, badSignature("webauthn client data: "+bad.name, assertion{presentAndVerified, bad.client}.sign(t)))
	}
	return list
}

func badAssertions(t *testing.T) []signatureVector {
	t.Helper()
	good := assertion{presentAndVerified, usualClientData()}.sign(t)
	end := len(good)
	with := func(name string, change func(s []byte)) signatureVector {
		changed := slices.Clone(good)
		change(changed)
		return badSignature("webauthn "+name, changed)
	}
	tooLong := longestAssertion(t, "webauthn of 2,049 bytes", 2049)
	return []signatureVector{
		badSignature(tooLong.Name, tooLong.Signature),
		with("high S", func(s []byte) { negate(s[end-96:end-64], p256Order) }),
		with("with the key of another", func(s []byte) { copy(s[end-64:], p256Wallet(t, "another platform key").PublicKey()) }),
		with("off the curve", func(s []byte) { s[end-1] ^= 1 }),
		with("another counter than signed", func(s []byte) { s[37] ^= 1 }),
		with("another origin than signed", func(s []byte) { s[end-131] ^= 1 }),
		badSignature("webauthn too short", good[:165]),
	}
}
