package keystore

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"makechain/internal/ident"
)

// containerVersion is the only supported version of the container.
const containerVersion = 3

// containerJSON is the JSON form of a container. Members of other tools are ignored.
type containerJSON struct {
	Address   string         `json:"address,omitempty"`
	Crypto    *cryptoJSON    `json:"crypto,omitempty"`
	Makechain *makechainJSON `json:"makechain,omitempty"`
	ID        string         `json:"id"`
	Version   int            `json:"version"`
}

// makechainJSON is the extension of the standard.
type makechainJSON struct {
	Kind      Kind     `json:"kind"`
	PublicKey hexBytes `json:"public_key"`
	// Plaintext is the secret of a key that is not encrypted.
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

// kdfParams contains the parameters of scrypt or of PBKDF2.
type kdfParams struct {
	DKLen int      `json:"dklen"`
	Salt  hexBytes `json:"salt"`
	N     int      `json:"n,omitempty"`
	R     int      `json:"r,omitempty"`
	P     int      `json:"p,omitempty"`
	C     int      `json:"c,omitempty"`
	PRF   string   `json:"prf,omitempty"`
}

// hexBytes is encoded in hex, without 0x.
type hexBytes []byte

// MarshalText encodes lower-case hex.
func (b hexBytes) MarshalText() ([]byte, error) { return []byte(hex.EncodeToString(b)), nil }

// UnmarshalText decodes hex with or without 0x.
func (b *hexBytes) UnmarshalText(text []byte) error {
	decoded, err := hex.DecodeString(strings.TrimPrefix(string(text), "0x"))
	// The text may be a secret, so it is not repeated.
	if err != nil {
		return errors.New("a member is not hex")
	}
	*b = decoded
	return nil
}

// MarshalJSON encodes the container.
func (c *Container) MarshalJSON() ([]byte, error) { return json.Marshal(c.fields) }

// UnmarshalJSON decodes a container and checks its limits.
func (c *Container) UnmarshalJSON(data []byte) error {
	var decoded containerJSON
	if err := json.Unmarshal(data, &decoded); err != nil {
		return fmt.Errorf("not a keystore: %w", err)
	}
	if err := decoded.check(); err != nil {
		return err
	}
	c.fields = decoded
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
		return errors.New("keystore: want either the member crypto or a plaintext")
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
	if !o.Kind.isValid() {
		return fmt.Errorf("kind %q, want %s, %s or %s", o.Kind, Secp256k1, P256, Ed25519)
	}
	if size := len(o.Plaintext); size != 0 && size != SecretSize {
		return fmt.Errorf("secret of %d bytes, want %d", size, SecretSize)
	}
	return o.Kind.checkPublicKey(o.PublicKey)
}
