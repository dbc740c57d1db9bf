package keystore

import (
	"encoding/json"
	"testing"
)

// FuzzParse checks that accepted containers are within the limits, encode to the same container, and open to the key of
// their public part or not at all.
func FuzzParse(f *testing.F) {
	f.Add([]byte(publishedScrypt))
	f.Add([]byte(publishedPBKDF2))
	for _, kind := range kinds() {
		key, err := Generate(kind)
		if err != nil {
			f.Fatal(err)
		}
		sealed, err := Seal(key, []byte("fuzz"), cheap)
		if err != nil {
			f.Fatal(err)
		}
		plain, err := Plaintext(key)
		if err != nil {
			f.Fatal(err)
		}
		for _, container := range []*Container{sealed, plain} {
			data, err := json.Marshal(container)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		container, err := Parse(data)
		if err != nil {
			return
		}
		written, err := json.Marshal(container)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(written)
		if err != nil {
			t.Fatalf("%s was encoded and is refused: %v", written, err)
		}
		if rewritten, err := json.Marshal(again); err != nil || string(rewritten) != string(written) {
			t.Fatalf("encoded as %s, then as %s, %v", written, rewritten, err)
		}
		if crypto := container.fields.Crypto; crypto != nil && work(crypto) > 1<<16 {
			return
		}
		key, err := container.Open([]byte("fuzz"))
		if err != nil {
			return
		}
		if stated := container.PublicKey(); stated != nil && string(stated) != string(key.PublicKey()) {
			t.Fatalf("public key %x with key %v", stated, key)
		}
	})
}

// work returns the cost of Open, in blocks of scrypt or iterations of PBKDF2.
func work(c *cryptoJSON) int {
	return c.KDFParams.N*c.KDFParams.R*c.KDFParams.P + c.KDFParams.C
}
