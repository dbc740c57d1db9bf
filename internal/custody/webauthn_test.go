package custody_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/asn1"
	"encoding/base64"
	"math/big"
	"strings"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
)

// assertion is a WebAuthn assertion before it is signed. Tests sign it with the standard library alone, so that only the
// part that a case changes can be the reason for a refusal.
type assertion struct {
	flags  byte
	client string
}

const presentAndVerified = 0x05

var challenge = base64.RawURLEncoding.EncodeToString(digest[:])

// clientData returns good client data with another challenge.
func clientData(challenge string) string {
	return `{"type":"webauthn.get","challenge":"` + challenge + `","origin":"https://anything","crossOrigin":false}`
}

func (a assertion) sign(tb testing.TB) []byte {
	tb.Helper()
	secret := sha256.Sum256([]byte("passkey"))
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), secret[:])
	if err != nil {
		tb.Fatal(err)
	}
	authenticatorData := append(bytes.Repeat([]byte{0xab}, 32), a.flags, 0, 0, 0, 3)
	clientHash := sha256.Sum256([]byte(a.client))
	signed := sha256.Sum256(append(bytes.Clone(authenticatorData), clientHash[:]...))
	der, err := ecdsa.SignASN1(rand.Reader, key, signed[:])
	if err != nil {
		tb.Fatal(err)
	}
	var numbers struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(der, &numbers); err != nil {
		tb.Fatal(err)
	}
	if high := new(big.Int).Rsh(p256Curve.n, 1); numbers.S.Cmp(high) > 0 {
		numbers.S.Sub(p256Curve.n, numbers.S)
	}
	point, err := key.PublicKey.Bytes()
	if err != nil {
		tb.Fatal(err)
	}
	return bytes.Join([][]byte{
		{0x02},
		authenticatorData, []byte(a.client),
		bytes32(numbers.R), bytes32(numbers.S), point[1:],
	}, nil)
}

// padded returns an assertion of exactly size bytes.
func padded(size int) assertion {
	const around = 1 + 37 + 128
	start, end := `{"type":"webauthn.get","challenge":"`+challenge+`","origin":"`, `"}`
	return assertion{presentAndVerified, start + strings.Repeat("o", size-around-len(start)-len(end)) + end}
}

// TestWebAuthnAccepts checks optional content that browsers and authenticators may send.
//
// Rules: P4.2, P4.3.
func TestWebAuthnAccepts(t *testing.T) {
	t.Parallel()
	good := clientData(challenge)
	cases := map[string]assertion{
		"plain":               {presentAndVerified, good},
		"backup flags":        {presentAndVerified | 0x18, good},
		"white space":         {presentAndVerified, " { \"type\" : \"webauthn.get\" ,\n\t\"challenge\" : \"" + challenge + "\" } "},
		"other order":         {presentAndVerified, `{"challenge":"` + challenge + `","type":"webauthn.get"}`},
		"escaped":             {presentAndVerified, `{"\u0074ype":"webauthn\u002eget","challenge":"` + challenge + `"}`},
		"nested members":      {presentAndVerified, `{"x":{"type":"a","challenge":["b"]},"type":"webauthn.get","challenge":"` + challenge + `"}`},
		"name in other case":  {presentAndVerified, `{"Type":"x","CHALLENGE":1,"type":"webauthn.get","challenge":"` + challenge + `"}`},
		"maximum size":        padded(2_048),
		"origin not in ASCII": {presentAndVerified, strings.Replace(good, "anything", "überall", 1)},
	}
	for name, a := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sig, _, err := parseAndRecover(a.sign(t), digest)
			if err != nil {
				t.Fatal(err)
			}
			if got := sig.Type(); got != pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_WEBAUTHN_P256 {
				t.Errorf("type %v", got)
			}
		})
	}
}

// TestParseRefusesWebAuthn checks that signed assertions with wrong content are refused.
//
// Rules: P4.2, P4.3.
func TestParseRefusesWebAuthn(t *testing.T) {
	t.Parallel()
	good := assertion{presentAndVerified, clientData(challenge)}
	goodSig := good.sign(t)
	flags := func(f byte) []byte { return assertion{f, good.client}.sign(t) }
	client := func(text string) []byte { return assertion{presentAndVerified, text}.sign(t) }
	member := `"challenge":"` + challenge + `"`
	get := `"type":"webauthn.get"`
	highS := new(big.Int).Sub(p256Curve.n, new(big.Int).SetBytes(goodSig[len(goodSig)-96:len(goodSig)-64]))
	checkParseRefusals(t, []refusal{
		{"form byte alone", []byte{0x02}, "1 bytes, want 166 to 2048"},
		{"too short for its parts", goodSig[:165], "165 bytes"},
		{"too long", padded(2_049).sign(t), "2049 bytes, want 166 to 2048"},
		{"no flags", flags(0x00), "user not present"},
		{"not present", flags(0x04), "user not present"},
		{"not verified", flags(0x01), "user not verified"},
		{"attested data", flags(0x45), "attested data"},
		{"extensions", flags(0x85), "extensions"},
		{"no client data", client(""), "not JSON"},
		{"not JSON", client("type=webauthn.get"), "not JSON"},
		{"truncated", client(good.client[:len(good.client)-1]), "not JSON"},
		{"trailing data", client(good.client + "{}"), "not JSON"},
		{"trailing comma", client("{" + get + "," + member + ",}"), "not JSON"},
		{"byte order mark", client("\ufeff" + good.client), "not JSON"},
		{"not UTF-8", client(strings.Replace(good.client, "anything", "\xff", 1)), "not JSON"},
		{"control character", client(strings.Replace(good.client, "anything", "\x01", 1)), "not JSON"},
		{"array", client("[" + good.client + "]"), "not a JSON object"},
		{"string", client(`"webauthn.get"`), "not a JSON object"},
		{"null", client("null"), "not a JSON object"},
		{"no type", client("{" + member + "}"), `no member "type"`},
		{"no challenge", client("{" + get + "}"), `no member "challenge"`},
		{"type in other case", client(`{"Type":"webauthn.get",` + member + "}"), `no member "type"`},
		{"type not a string", client(`{"type":["webauthn.get"],` + member + "}"), `member "type" is not a string`},
		{"challenge null", client("{" + get + `,"challenge":null}`), `member "challenge" is not a string`},
		{"challenge a number", client("{" + get + `,"challenge":1}`), `member "challenge" is not a string`},
		{"create", client(strings.Replace(good.client, ".get", ".create", 1)), `type "webauthn.create"`},
		{"type with a space", client(strings.Replace(good.client, ".get", ".get ", 1)), `type "webauthn.get "`},
		{"type twice", client("{" + get + "," + get + "," + member + "}"), `member "type" occurs twice`},
		{"challenge twice", client("{" + get + "," + member + "," + member + "}"), `member "challenge" occurs twice`},
		{"twice by escape", client("{" + get + "," + member + `,"\u0063hallenge":"x"}`), `member "challenge" occurs twice`},
		{"another member twice", client(`{"a":1,"a":2,` + get + "," + member + "}"), `member "a" occurs twice`},
		{"high s", with(goodSig, -96, bytes32(highS)...), "is high"},
		{"point off the curve", with(goodSig, -1, goodSig[len(goodSig)-1]^1), "public key"},
	})
}

// TestWebAuthnChallengeHasOneEncoding checks that encodings of the digest that a lenient decoder accepts are refused.
//
// Rules: P4.3.
func TestWebAuthnChallengeHasOneEncoding(t *testing.T) {
	t.Parallel()
	// 43 characters have 258 bits: a lenient decoder ignores two bits of the last character.
	last := strings.IndexByte(base64URL, challenge[42])
	if last%4 != 0 {
		t.Fatalf("the canonical challenge ends in %q", challenge[42])
	}
	for name, spelling := range map[string]string{
		"empty":          "",
		"padded":         challenge + "=",
		"hex":            "0x" + strings.Repeat("00", 32),
		"new line":       challenge + `\n`,
		"extra bits":     challenge[:42] + base64URL[last+1:last+2],
		"standard":       base64.RawStdEncoding.EncodeToString(symbolsDigest()),
		"one byte short": base64.RawURLEncoding.EncodeToString(digest[:31]),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			signed := digest
			if name == "standard" {
				signed = [32]byte(symbolsDigest())
			}
			sig, err := custody.Parse(assertion{presentAndVerified, clientData(spelling)}.sign(t))
			if err != nil {
				t.Fatal(err)
			}
			if id, err := sig.Recover(signed); err == nil || !strings.Contains(err.Error(), "challenge") {
				t.Errorf("key id %s, error %v", id, err)
			}
		})
	}
}

const base64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// symbolsDigest returns a digest whose encodings in the two base64 alphabets differ.
func symbolsDigest() []byte { return bytes.Repeat([]byte{0xff}, 32) }
