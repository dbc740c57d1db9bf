package keystore

import (
	"encoding/hex"
	"strings"
	"testing"
)

// The two test vectors of the definition of the format, with the passphrase "testpassword".
const (
	publishedSecret = "7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d"

	publishedScrypt = `{
  "crypto": {
    "cipher": "aes-128-ctr",
    "cipherparams": {"iv": "83dbcc02d8ccb40e466191a123791e0e"},
    "ciphertext": "d172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c",
    "kdf": "scrypt",
    "kdfparams": {"dklen": 32, "n": 262144, "p": 8, "r": 1,
      "salt": "ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19"},
    "mac": "2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097"
  },
  "id": "3198bc9c-6672-5ab3-d995-4942343ae5b6",
  "version": 3
}`

	publishedPBKDF2 = `{
  "crypto": {
    "cipher": "aes-128-ctr",
    "cipherparams": {"iv": "6087dab2f9fdbbfaddc31a909735c1e6"},
    "ciphertext": "5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46",
    "kdf": "pbkdf2",
    "kdfparams": {"c": 262144, "dklen": 32, "prf": "hmac-sha256",
      "salt": "ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd"},
    "mac": "517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2"
  },
  "id": "3198bc9c-6672-5ab3-d995-4942343ae5b6",
  "version": 3
}`
)

// TestPublishedVectors opens the test vectors, also in the forms of older tools, with Crypto for crypto and 0x before hex.
func TestPublishedVectors(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"scrypt":  publishedScrypt,
		"pbkdf2":  publishedPBKDF2,
		"capital": strings.Replace(publishedPBKDF2, `"crypto"`, `"Crypto"`, 1),
		"with 0x": strings.Replace(publishedPBKDF2, `"517ead`, `"0x517ead`, 1),
		"address": strings.Replace(publishedPBKDF2, `{`, `{"address": "008aeeda4d805471df9b2a5b0f38a0c3bcba786b",`, 1),
		"foreign": strings.Replace(publishedPBKDF2, `{`, `{"x-ethers": {"client": "another"}, "name": "",`, 1),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			container, err := Parse([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if container.Kind() != Secp256k1 || !container.Encrypted() {
				t.Errorf("kind %s, encrypted %v", container.Kind(), container.Encrypted())
			}
			key, err := container.Open([]byte("testpassword"))
			if err != nil {
				t.Fatal(err)
			}
			secret := key.Secret()
			if got := hex.EncodeToString(secret[:]); got != publishedSecret {
				t.Errorf("secret %s, want %s", got, publishedSecret)
			}
			if address, err := key.Wallet(); err != nil || address.KeyID().String() != "0x008aeeda4d805471df9b2a5b0f38a0c3bcba786b" {
				t.Errorf("wallet %v, %v", address, err)
			}
		})
	}
}
