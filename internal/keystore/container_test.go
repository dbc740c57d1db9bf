package keystore

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/crypto/scrypt"
	"golang.org/x/crypto/sha3"
)

// cheap is a low cost for tests.
const cheap Cost = 4

func kinds() []Kind { return []Kind{Secp256k1, P256, Ed25519} }

func generate(t *testing.T, kind Kind) Key {
	t.Helper()
	key, err := Generate(kind)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func seal(t *testing.T, key Key) *Container {
	t.Helper()
	container, err := Seal(key, []byte("open sesame"), cheap)
	if err != nil {
		t.Fatal(err)
	}
	return container
}

// TestRoundTrip encodes, parses and opens keys of every kind, encrypted and not.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds() {
		key := generate(t, kind)
		plain, err := Plaintext(key)
		if err != nil {
			t.Fatal(err)
		}
		for name, made := range map[string]*Container{"sealed": seal(t, key), "plain": plain} {
			data, err := json.Marshal(made)
			if err != nil {
				t.Fatal(err)
			}
			secret := key.Secret()
			if holds := bytes.Contains(data, []byte(hex.EncodeToString(secret[:]))); holds != (name == "plain") {
				t.Errorf("%s %s: the secret is readable: %v", name, kind, holds)
			}
			read, err := Parse(data)
			if err != nil {
				t.Fatalf("%s %s: %v", name, kind, err)
			}
			if read.Kind() != kind || read.Encrypted() != (name == "sealed") || !bytes.Equal(read.PublicKey(), key.PublicKey()) {
				t.Errorf("%s %s: read as %s, encrypted %v, public key %x", name, kind, read.Kind(), read.Encrypted(), read.PublicKey())
			}
			opened, err := read.Open([]byte("open sesame"))
			if err != nil || opened.Secret() != key.Secret() || opened.Kind() != kind {
				t.Errorf("%s %s: opened as %v, %v; want %v", name, kind, opened, err, key)
			}
		}
	}
}

// TestContainerFormat decrypts a container with an independent implementation of the format.
func TestContainerFormat(t *testing.T) {
	t.Parallel()
	key := generate(t, Secp256k1)
	data, err := json.Marshal(seal(t, key))
	if err != nil {
		t.Fatal(err)
	}
	var file map[string]any
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	crypto := file["crypto"].(map[string]any)
	parameters := crypto["kdfparams"].(map[string]any)
	number := func(name string) int { return int(parameters[name].(float64)) }
	unhex := func(in any) []byte {
		out, err := hex.DecodeString(in.(string))
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	derived, err := scrypt.Key([]byte("open sesame"), unhex(parameters["salt"]), number("n"), number("r"), number("p"), number("dklen"))
	if err != nil {
		t.Fatal(err)
	}
	hash := sha3.NewLegacyKeccak256()
	hash.Write(append(derived[16:32:32], unhex(crypto["ciphertext"])...))
	if got := hash.Sum(nil); !bytes.Equal(got, unhex(crypto["mac"])) {
		t.Errorf("checksum %x, stated %v", got, crypto["mac"])
	}
	wallet, err := key.Wallet()
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.TrimPrefix(wallet.KeyID().String(), "0x"); file["address"] != want || file["version"] != 3.0 {
		t.Errorf("address %v and version %v, want %s and 3", file["address"], file["version"], want)
	}
	if number("n") != 1<<cheap || number("r") != 8 || number("p") != 1 || crypto["cipher"] != "aes-128-ctr" || crypto["kdf"] != "scrypt" {
		t.Errorf("parameters %v of %v", parameters, crypto)
	}
}

// TestAddressMember checks that only containers of secp256k1 keys have an address, which other tools use.
func TestAddressMember(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds() {
		data, err := json.Marshal(seal(t, generate(t, kind)))
		if err != nil {
			t.Fatal(err)
		}
		if states := bytes.Contains(data, []byte(`"address"`)); states != (kind == Secp256k1) {
			t.Errorf("%s: %s", kind, data)
		}
	}
}

// TestWrongPassphrase checks that wrong and empty passphrases are refused.
func TestWrongPassphrase(t *testing.T) {
	t.Parallel()
	container := seal(t, generate(t, P256))
	for _, guess := range []string{"", "open sesam", "Open sesame", "open sesame "} {
		if key, err := container.Open([]byte(guess)); !errors.Is(err, ErrPassphrase) || key.Kind() != "" {
			t.Errorf("%q: %v, %v", guess, key, err)
		}
	}
	if _, err := Seal(generate(t, Ed25519), nil, cheap); !errors.Is(err, ErrNoPassphrase) {
		t.Errorf("an empty passphrase: %v", err)
	}
}

// TestPublicPart checks that a file whose public part was replaced is refused.
func TestPublicPart(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds() {
		mine, other := seal(t, generate(t, kind)), generate(t, kind)
		mine.fields.Makechain.PublicKey = other.PublicKey()
		if key, err := mine.Open([]byte("open sesame")); err == nil || !strings.Contains(err.Error(), "has public key") {
			t.Errorf("%s: %v, %v", kind, key, err)
		}
	}
	mine := seal(t, generate(t, Secp256k1))
	mine.fields.Makechain, mine.fields.Address = nil, strings.Repeat("01", 20)
	if key, err := mine.Open([]byte("open sesame")); err == nil || !strings.Contains(err.Error(), "has address") {
		t.Errorf("%v, %v", key, err)
	}
}

// TestParseErrors checks malformed containers and the limits of their parameters.
func TestParseErrors(t *testing.T) {
	t.Parallel()
	change := func(from, to string) string {
		changed := strings.Replace(publishedScrypt, from, to, 1)
		if changed == publishedScrypt {
			t.Fatalf("%q is not in the container", from)
		}
		return changed
	}
	tests := map[string]struct{ text, want string }{
		"nothing":              {``, "unexpected end"},
		"not an object":        {`[]`, "not a keystore"},
		"other version":        {change(`"version": 3`, `"version": 1`), "version 1, want 3"},
		"no version":           {`{"crypto": {}}`, "version 0, want 3"},
		"no secret":            {`{"version": 3}`, "either the member crypto"},
		"cipher":               {change("aes-128-ctr", "aes-128-cbc"), `cipher "aes-128-cbc"`},
		"kdf":                  {change(`"scrypt"`, `"argon2"`), `kdf "argon2"`},
		"memory":               {change("262144", "4194304"), "scrypt with n=4194304"},
		"huge memory":          {change("262144", "4611686018427387904"), "scrypt with n="},
		"n out of range":       {change("262144", "1e30"), "not a keystore"},
		"negative n":           {change("262144", "-262144"), "scrypt with n=-262144"},
		"n not a power of two": {change("262144", "262143"), "power of two"},
		"n one":                {change("262144", "1"), "power of two"},
		"lanes":                {change(`"p": 8`, `"p": 1000000`), "p=1000000"},
		"no lanes":             {change(`"p": 8`, `"p": 0`), "p=0"},
		"block factor":         {change(`"r": 1`, `"r": 33`), "r=33"},
		"n and r":              {change(`"r": 1`, `"r": 16`), "scrypt with n=262144 and r=16"},
		"derived size":         {change(`"dklen": 32`, `"dklen": 2147483647`), "derived key of 2147483647 bytes"},
		"short ciphertext":     {change("d172bf", "d172"), "ciphertext of 31 bytes"},
		"long iv":              {change("83dbcc", "83dbcc00"), "iv of 17 bytes"},
		"short mac":            {change("2103ac", "21"), "mac of 30 bytes"},
		"no salt":              {change("ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19", ""), "salt of 0 bytes"},
		"long salt":            {change("ab0c", strings.Repeat("ab", 64)), "salt of"},
		"not hex":              {change("ab0c", "zz0c"), "not hex"},
		"iterations":           {strings.Replace(publishedPBKDF2, "262144", "2147483647", 1), "c=2147483647"},
		"other prf":            {strings.Replace(publishedPBKDF2, "hmac-sha256", "hmac-md5", 1), `"hmac-md5"`},
		"short address":        {change(`{`, `{"address": "0x01",`), `address "0x01"`},
		"unknown kind":         {change(`{`, `{"makechain": {"kind": "rsa"},`), `kind "rsa"`},
		"not on the curve":     {change(`{`, fmt.Sprintf(`{"makechain": {"kind": "p256", "public_key": "%0128d"},`, 1)), "makechain"},
		"short public key":     {change(`{`, `{"makechain": {"kind": "ed25519", "public_key": "00"},`), "public key of 1 bytes"},
		"both":                 {change(`{`, fmt.Sprintf(`{"makechain": {"kind": "ed25519", "public_key": "%064d", "insecure_plaintext": "%064d"},`, 1, 1)), "either the member crypto"},
		"short plaintext":      {`{"version": 3, "makechain": {"kind": "ed25519", "insecure_plaintext": "00"}}`, "secret of 1 bytes"},
	}
	for name, test := range tests {
		if _, err := Parse([]byte(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want an error with %q", name, err, test.want)
		}
	}
}

// TestKeyFormat checks that no verb of fmt prints the secret, also inside other values.
func TestKeyFormat(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds() {
		key := generate(t, kind)
		secret := key.Secret()
		decimal := strings.Trim(fmt.Sprint(secret), "[]")
		inside := struct{ Key Key }{key}
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%o"} {
			for _, value := range []any{key, &key, inside, []Key{key}} {
				text := fmt.Sprintf(verb, value)
				raw := strings.ToLower(text)
				if strings.Contains(raw, hex.EncodeToString(secret[:])) || strings.Contains(raw, decimal) {
					t.Errorf("%s of %T prints %s", verb, value, text)
				}
			}
		}
		if data, err := json.Marshal(inside); err != nil || string(data) != `{"Key":{}}` {
			t.Errorf("JSON %s, %v", data, err)
		}
	}
}

// TestKinds checks the kinds of keys, their wallets and addresses.
func TestKinds(t *testing.T) {
	t.Parallel()
	if _, err := Generate("rsa"); err == nil || !strings.Contains(err.Error(), `kind "rsa"`) {
		t.Errorf("unknown kind: %v", err)
	}
	if _, err := generate(t, Ed25519).Wallet(); err == nil {
		t.Error("an Ed25519 key is accepted as a wallet")
	}
	if _, err := NewKey(P256, [SecretSize]byte{}); err == nil {
		t.Error("a zero secret is accepted")
	}
	for _, kind := range []Kind{Secp256k1, P256} {
		key := generate(t, kind)
		wallet, err := key.Wallet()
		if err != nil {
			t.Fatal(err)
		}
		if address, ok := seal(t, key).Address(); !ok || address != wallet.KeyID() || wallet.Type() != kind.signatureType() {
			t.Errorf("%s: address %s, %v; want %s", kind, address, ok, wallet.KeyID())
		}
	}
	if address, ok := seal(t, generate(t, Ed25519)).Address(); ok {
		t.Errorf("an Ed25519 key has address %s", address)
	}
}
