package keystore

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"makechain/internal/custody"
	"makechain/internal/ident"
)

// Container is the stored form of a key, encrypted unless it was created by Plaintext.
type Container struct {
	fields containerJSON
}

// Errors of Seal and Open.
var (
	// ErrPassphrase is returned for a wrong passphrase and for a damaged file, which the MAC cannot distinguish.
	ErrPassphrase = errors.New("wrong passphrase, or a damaged file")
	// ErrNoPassphrase is returned by Seal for an empty passphrase.
	ErrNoPassphrase = errors.New("the passphrase must not be empty")
)

// Seal returns a container with the key, encrypted with a passphrase.
func Seal(key Key, passphrase []byte, cost Cost) (*Container, error) {
	if len(passphrase) == 0 {
		return nil, ErrNoPassphrase
	}
	container, err := newContainer(key)
	if err != nil {
		return nil, err
	}
	if container.fields.Crypto, err = encrypt(key.secret, passphrase, cost); err != nil {
		return nil, err
	}
	return container, nil
}

// Plaintext returns a container with the key, not encrypted.
func Plaintext(key Key) (*Container, error) {
	container, err := newContainer(key)
	if err != nil {
		return nil, err
	}
	container.fields.Makechain.Plaintext = key.secret[:]
	return container, nil
}

// Parse parses a container. MarshalJSON writes it without the members of other tools.
func Parse(data []byte) (*Container, error) {
	container := new(Container)
	if err := json.Unmarshal(data, container); err != nil {
		return nil, err
	}
	return container, nil
}

// Kind returns the kind of the key. A container without a kind is that of an Ethereum tool.
func (c *Container) Kind() Kind {
	if c.fields.Makechain == nil {
		return Secp256k1
	}
	return c.fields.Makechain.Kind
}

// Encrypted reports whether Open needs a passphrase.
func (c *Container) Encrypted() bool { return c.fields.Crypto != nil }

// PublicKey returns the public key in the container, nil when there is none. Open verifies it.
func (c *Container) PublicKey() []byte {
	if c.fields.Makechain == nil {
		return nil
	}
	return c.fields.Makechain.PublicKey
}

// Address returns the key id of the wallet from the public part of the container, and false when there is none.
func (c *Container) Address() (address ident.Address, ok bool) {
	if c.fields.Makechain != nil {
		address, err := custody.KeyIDFromPublicKey(c.Kind().signatureType(), c.PublicKey())
		return address, err == nil
	}
	address, err := ident.ParseAddress(c.fields.Address)
	return address, err == nil
}

// Open returns the key. The passphrase is ignored if the container is not encrypted.
func (c *Container) Open(passphrase []byte) (Key, error) {
	secret, err := c.secret(passphrase)
	if err != nil {
		return Key{}, err
	}
	key, err := NewKey(c.Kind(), secret)
	if err != nil {
		return Key{}, fmt.Errorf("keystore: %w", err)
	}
	if err := c.checkPublic(key); err != nil {
		return Key{}, err
	}
	return key, nil
}

func (c *Container) secret(passphrase []byte) (secret [SecretSize]byte, err error) {
	if c.Encrypted() {
		return c.fields.Crypto.decrypt(passphrase)
	}
	if c.fields.Makechain == nil || copy(secret[:], c.fields.Makechain.Plaintext) != SecretSize {
		return secret, errors.New("the keystore is empty")
	}
	return secret, nil
}

// checkPublic compares the public part of the file, which is not authenticated, with the key.
func (c *Container) checkPublic(key Key) error {
	if stated := c.PublicKey(); stated != nil && !bytes.Equal(stated, key.public) {
		return fmt.Errorf("the keystore has public key %x and the secret of %x", stated, key.public)
	}
	if c.fields.Address == "" {
		return nil
	}
	stated, err := ident.ParseAddress(c.fields.Address)
	if err != nil {
		return err
	}
	holds, err := custody.KeyIDFromPublicKey(key.kind.signatureType(), key.public)
	if err != nil || holds != stated {
		return fmt.Errorf("the keystore has address %s and the secret of %s", stated, holds)
	}
	return nil
}

// newContainer returns a container with everything but the secret.
func newContainer(key Key) (*Container, error) {
	fields := containerJSON{
		Makechain: &makechainJSON{Kind: key.kind, PublicKey: key.public},
		ID:        newUUID(),
		Version:   containerVersion,
	}
	if key.kind == Secp256k1 {
		address, err := custody.KeyIDFromPublicKey(key.kind.signatureType(), key.public)
		if err != nil {
			return nil, err
		}
		fields.Address = hex.EncodeToString(address[:])
	}
	return &Container{fields: fields}, nil
}

// newUUID returns a random UUID (version 4).
func newUUID() string {
	id := randomBytes(16)
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}
