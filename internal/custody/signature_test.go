package custody_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/big"
	"strings"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/custody/custodytest"
	"makechain/internal/ident"
)

// digest is the digest that most tests sign.
var digest = sha256.Sum256([]byte("a custody operation"))

// keyedWallet has the methods of every wallet of the package.
type keyedWallet interface {
	custody.Wallet
	Type() pb.CustodySignatureType
	PublicKey() []byte
}

func newWallet(tb failer, kind pb.CustodySignatureType, secret [32]byte) keyedWallet {
	tb.Helper()
	var w keyedWallet
	var err error
	switch kind {
	case pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1:
		w, err = custody.NewSecp256k1Wallet(secret)
	case pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_P256:
		w, err = custody.NewP256Wallet(secret)
	default:
		w, err = custodytest.NewWebAuthnWallet(secret)
	}
	if err != nil {
		tb.Fatalf("wallet of type %v: %v", kind, err)
	}
	return w
}

// failer is implemented by tests, fuzz targets and rapid properties.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// signatureTypes returns the three types of a key.
var signatureTypes = []pb.CustodySignatureType{
	pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1,
	pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_P256,
	pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_WEBAUTHN_P256,
}

func sign(tb failer, w custody.Wallet, digest [32]byte) []byte {
	tb.Helper()
	sig, err := w.Sign(digest)
	if err != nil {
		tb.Fatalf("signing: %v", err)
	}
	return sig
}

// fixedSignature signs digest with a fixed secret.
func fixedSignature(tb failer, kind pb.CustodySignatureType) []byte {
	tb.Helper()
	return sign(tb, newWallet(tb, kind, sha256.Sum256([]byte("secret"))), digest)
}

// with returns a copy of sig that is overwritten from offset on; a negative offset counts from the end.
func with(sig []byte, offset int, b ...byte) []byte {
	out := bytes.Clone(sig)
	if offset < 0 {
		offset += len(out)
	}
	copy(out[offset:], b)
	return out
}

// bytes32 encodes n in 32 bytes.
func bytes32(n *big.Int) []byte { return n.FillBytes(make([]byte, 32)) }

// refusal is an input and a part of the expected error.
type refusal struct {
	name string
	sig  []byte
	want string
}

func checkParseRefusals(t *testing.T, cases []refusal) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			sig, err := custody.Parse(c.sig)
			if err == nil {
				t.Fatalf("parsed %x as type %v", c.sig, sig.Type())
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %q does not contain %q", err, c.want)
			}
			if _, err := sig.Recover(digest); err == nil {
				t.Error("a key recovers from a refused signature")
			}
		})
	}
}

// TestParseRefusesSecp256k1 checks that every malformed secp256k1 signature is refused.
//
// Rules: P4.2.
func TestParseRefusesSecp256k1(t *testing.T) {
	t.Parallel()
	good := fixedSignature(t, pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1)
	n := secp256k1Curve.n
	highS := new(big.Int).Sub(n, new(big.Int).SetBytes(good[32:64]))
	halfUp := new(big.Int).Add(new(big.Int).Rsh(n, 1), big.NewInt(1))
	cases := []refusal{
		{"one byte short", with(good, 0, 0x09)[:64], "unknown signature form 0x09 of 64 bytes"},
		{"one byte long", append(with(good, 0, 0x09), 0), "unknown signature form 0x09 of 66 bytes"},
		{"r zero", with(good, 0, make([]byte, 32)...), "r is zero"},
		{"r group order", with(good, 0, bytes32(n)...), "not below the group order"},
		{"r all ones", with(good, 0, bytes.Repeat([]byte{0xff}, 32)...), "not below the group order"},
		{"s zero", with(good, 32, make([]byte, 32)...), "s is zero"},
		{"s negated", with(good, 32, bytes32(highS)...), "is high"},
		{"s just over half", with(good, 32, bytes32(halfUp)...), "is high"},
		{"s group order", with(good, 32, bytes32(n)...), "is high"},
	}
	for _, v := range []byte{2, 3, 4, 26, 29, 30, 255} {
		cases = append(cases, refusal{fmt.Sprintf("v %d", v), with(good, -1, v), fmt.Sprintf("v is %d", v)})
	}
	checkParseRefusals(t, cases)
}

// TestParseRefusesP256 checks that every malformed P-256 signature is refused.
//
// Rules: P4.2.
func TestParseRefusesP256(t *testing.T) {
	t.Parallel()
	good := fixedSignature(t, pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_P256)
	n := p256Curve.n
	highS := new(big.Int).Sub(n, new(big.Int).SetBytes(good[33:65]))
	halfUp := new(big.Int).Add(new(big.Int).Rsh(n, 1), big.NewInt(1))
	checkParseRefusals(t, []refusal{
		{"one byte short", good[:129], "129 bytes, want 130"},
		{"one byte long", append(bytes.Clone(good), 1), "131 bytes, want 130"},
		{"form byte alone", good[:1], "1 bytes, want 130"},
		{"last byte 0", with(good, -1, 0), "last byte 0x00"},
		{"last byte 2", with(good, -1, 2), "last byte 0x02"},
		{"first byte 0", with(good, 0, 0), "unknown signature form 0x00"},
		{"first byte 4", with(good, 0, 4), "unknown signature form 0x04"},
		{"r zero", with(good, 1, make([]byte, 32)...), "r is zero"},
		{"r group order", with(good, 1, bytes32(n)...), "not below the group order"},
		{"s zero", with(good, 33, make([]byte, 32)...), "s is zero"},
		{"s negated", with(good, 33, bytes32(highS)...), "is high"},
		{"s just over half", with(good, 33, bytes32(halfUp)...), "is high"},
		{"point off the curve", with(good, -2, good[128]^1), "public key"},
		{"point zero", with(good, 65, make([]byte, 64)...), "public key"},
		{"x over the prime", with(good, 65, bytes.Repeat([]byte{0xff}, 32)...), "public key"},
	})
}

// TestParseRefusesWrapper checks that only direct signatures can be wrapped.
//
// Rules: P4.2.
func TestParseRefusesWrapper(t *testing.T) {
	t.Parallel()
	p256 := fixedSignature(t, pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_P256)
	webAuthn := fixedSignature(t, pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_WEBAUTHN_P256)
	secp := fixedSignature(t, pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1)
	account := ident.Address{1, 2, 3}
	wrap := func(sig []byte) []byte { return custody.Wrap(account, sig) }
	oversize := append([]byte{0x03}, make([]byte, custody.MaxSignatureSize)...)
	checkParseRefusals(t, []refusal{
		{"nothing", nil, "empty"},
		{"over the size limit", oversize, "at most 16384"},
		{"form byte alone", []byte{0x03}, "carries no signature"},
		{"account alone", wrap(nil), "carries no signature"},
		{"one byte", wrap([]byte{0x01}), "p256 signature: 1 bytes"},
		{"unknown form", wrap([]byte{0x09}), "unknown signature form 0x09"},
		{"wrapped p256", wrap(wrap(p256)), "may not carry another"},
		{"wrapped webauthn", wrap(wrap(webAuthn)), "may not carry another"},
		{"wrapped secp256k1", wrap(wrap(secp)), "may not carry another"},
		{"bad p256", wrap(with(p256, -1, 0)), "keychain wrapper: p256 signature: last byte"},
		{"bad secp256k1", wrap(with(secp, -1, 9)), "keychain wrapper: secp256k1 signature: v is 9"},
	})
}

// TestLengthDecidesBeforeFirstByte checks secp256k1 signatures whose r starts with the form byte of another form.
//
// Rules: P4.2.
func TestLengthDecidesBeforeFirstByte(t *testing.T) {
	t.Parallel()
	wallet := newWallet(t, pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1, sha256.Sum256([]byte("secret")))
	for first := byte(0x01); first <= 0x03; first++ {
		digest, sig := signWithFirstByte(t, wallet, first)
		for name, encoded := range map[string][]byte{"direct": sig, "wrapped": custody.Wrap(ident.Address{7}, sig)} {
			parsed, id, err := parseAndRecover(encoded, digest)
			if err != nil || id != wallet.KeyID() || parsed.Type() != wallet.Type() {
				t.Errorf("%s signature with r starting with 0x%02x: key id %s of type %v (%v)",
					name, first, id, parsed.Type(), err)
			}
		}
	}
}

// signWithFirstByte tries digests until r starts with first, which one try in 256 does.
func signWithFirstByte(t *testing.T, w custody.Wallet, first byte) (digest [32]byte, sig []byte) {
	t.Helper()
	for i := range 10_000 {
		digest = sha256.Sum256([]byte{byte(i), byte(i >> 8)})
		if sig = sign(t, w, digest); sig[0] == first {
			return digest, sig
		}
	}
	t.Fatalf("no r starts with 0x%02x", first)
	return digest, nil
}

// TestRecoverErrors checks signatures that are well formed but not over this digest.
//
// Rules: P4.2, P4.3.
func TestRecoverErrors(t *testing.T) {
	t.Parallel()
	secp := fixedSignature(t, pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1)
	p256 := fixedSignature(t, pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_P256)
	webAuthn := fixedSignature(t, pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_WEBAUTHN_P256)
	other := sha256.Sum256([]byte("another operation"))
	authenticatorData := webAuthn[1:38]
	cases := []struct {
		name   string
		sig    []byte
		digest [32]byte
		want   string
	}{
		// No point of the curve has this x.
		{"secp256k1 r off the curve", with(secp, 0, bytes32(big.NewInt(5))...), digest, "no key recovers"},
		{"p256 other digest", p256, other, "p256 signature: does not verify"},
		{"p256 other s", with(p256, 64, p256[64]^1), digest, "p256 signature: does not verify"},
		{"webauthn other digest", webAuthn, other, "challenge is not this digest"},
		{"webauthn other counter", with(webAuthn, 37, 9), digest, "webauthn signature: does not verify"},
		{"webauthn other relying party", with(webAuthn, 1, authenticatorData[0]^1), digest, "webauthn signature: does not verify"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			parsed, err := custody.Parse(c.sig)
			if err != nil {
				t.Fatal(err)
			}
			id, err := parsed.Recover(c.digest)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("key id %s, error %v, want %q", id, err, c.want)
			}
			if id != (ident.Address{}) {
				t.Errorf("a failed recovery returns key id %s", id)
			}
		})
	}
}

// TestZeroSignature checks that the zero Signature authorizes nothing.
//
// Rules: P4.2.
func TestZeroSignature(t *testing.T) {
	t.Parallel()
	var zero custody.Signature
	if id, err := zero.Recover(digest); err == nil {
		t.Errorf("recovers key id %s", id)
	}
	if _, wrapped := zero.Account(); wrapped || zero.Type() != 0 || zero.Bytes() != nil {
		t.Errorf("type %v, wrapped %t, bytes %x", zero.Type(), wrapped, zero.Bytes())
	}
}
