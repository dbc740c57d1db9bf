package keystore

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"makechain/internal/ident"
)

// containerVersion is the one version of the container that is read and written.
const containerVersion = 3

// form is the JSON of a container. Members of other tools are passed over.
type containerJSON struct {
	Address   string         `json:"address,omitempty"`
	Crypto    *cryptoJSON    `json:"crypto,omitempty"`
	Makechain *makechainJSON `json:"makechain,omitempty"`
	ID        string         `json:"id"`
	Version   int            `json:"version"`
}

// ownForm is what the container says beyond the standard.
type makechainJSON struct {
	Kind      Kind     `json:"kind"`
	PublicKey hexBytes `json:"public_key"`
	// Plaintext is the secret of a key that was to be stored without encryption.
	Plaintext hexBytes `json:"insecure_plaintext,omitempty"`
}

type cryptoJSON struct {
	Cipher       string    `json:"cipher"`
	Ciphertext   hexBytes  `json:"ciphertext"`
	CipherParams ivJSON    `json:"cipherparams"`
	KDF          string    `json:"kdf"`
	KDFParams    kdfParams `json:"kdfparams"`
	MAC          hexBytes  `json:"mac"`
}

type ivJSON struct {
	IV hexBytes `json:"iv"`
}

// kdfParams has the parameters of both functions; the other one's are absent.
type kdfParams struct {
	DKLen int      `json:"dklen"`
	Salt  hexBytes `json:"salt"`
	N     int      `json:"n,omitempty"`
	R     int      `json:"r,omitempty"`
	P     int      `json:"p,omitempty"`
	C     int      `json:"c,omitempty"`
	PRF   string   `json:"prf,omitempty"`
}

// hexBytes is hex in JSON, without 0x when written.
type hexBytes []byte

// MarshalText prints lower-case hex.
func (b hexBytes) MarshalText() ([]byte, error) { return []byte(hex.EncodeToString(b)), nil }

// UnmarshalText reads hex with or without 0x.
func (b *hexBytes) UnmarshalText(text []byte) error {
	decoded, err := hex.DecodeString(strings.TrimPrefix(string(text), "0x"))
	// The text may be a secret, so it is not repeated.
	if err != nil {
		return errors.New("a member that should be hex is not")
	}
	*b = decoded
	return nil
}

// MarshalJSON writes the container.
func (c *Container) MarshalJSON() ([]byte, error) { return json.Marshal(c.fields) }

// UnmarshalJSON reads a container and refuses what is out of bounds.
func (c *Container) UnmarshalJSON(data []byte) error {
	var read containerJSON
	if err := json.Unmarshal(data, &read); err != nil {
		return fmt.Errorf("not a keystore: %w", err)
	}
	if err := read.check(); err != nil {
		return err
	}
	c.fields = read
	return nil
}

func (f *containerJSON) check() error {
	if f.Version != containerVersion {
		return fmt.Errorf("keystore of version %d, want %d", f.Version, containerVersion)
	}
	if f.Address != "" {
		if _, err := ident.ParseAddress(f.Address); err != nil {
			return fmt.Errorf("keystore: %w", err)
		}
	}
	if err := f.Makechain.check(); err != nil {
		return fmt.Errorf("keystore: member makechain: %w", err)
	}
	plain := f.Makechain != nil && len(f.Makechain.Plaintext) > 0
	switch {
	case plain == (f.Crypto != nil):
		return errors.New("keystore: want the member crypto or a plain text, one of them")
	case plain:
		return nil
	}
	if err := f.Crypto.check(); err != nil {
		return fmt.Errorf("keystore: member crypto: %w", err)
	}
	return nil
}

func (o *makechainJSON) check() error {
	if o == nil {
		return nil
	}
	if !o.Kind.known() {
		return fmt.Errorf("kind %q, want %s, %s or %s", o.Kind, Secp256k1, P256, Ed25519)
	}
	if size := len(o.Plaintext); size != 0 && size != SecretSize {
		return fmt.Errorf("secret of %d bytes, want %d", size, SecretSize)
	}
	return o.Kind.checkPublicKey(o.PublicKey)
}
