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

// Container is a key as it lies in a file, encrypted unless it was made by Plain.
type Container struct {
	fields containerJSON
}

// Errors of Seal and Open.
var (
	// ErrPassphrase is the answer to a passphrase that does not open the key, and to a damaged file: the checksum
	// cannot tell them apart.
	ErrPassphrase = errors.New("wrong passphrase, or a damaged file")
	// ErrNoPassphrase is the answer to an empty passphrase for a new file.
	ErrNoPassphrase = errors.New("an empty passphrase protects nothing")
)

// Seal encrypts a key.
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

// Plain stores a key without encryption.
func Plaintext(key Key) (*Container, error) {
	container, err := newContainer(key)
	if err != nil {
		return nil, err
	}
	container.fields.Makechain.Plaintext = key.secret[:]
	return container, nil
}

// Parse reads a container. What it accepts, MarshalJSON writes again without the members of other tools.
func Parse(data []byte) (*Container, error) {
	container := new(Container)
	if err := json.Unmarshal(data, container); err != nil {
		return nil, err
	}
	return container, nil
}

// Kind is what the container holds a key of. A container that does not say is one of Ethereum's.
func (c *Container) Kind() Kind {
	if c.fields.Makechain == nil {
		return Secp256k1
	}
	return c.fields.Makechain.Kind
}

// Encrypted says whether a passphrase is needed to open the container.
func (c *Container) Encrypted() bool { return c.fields.Crypto != nil }

// PublicKey is the public key that the container states; nil when it states none.
func (c *Container) PublicKey() []byte {
	if c.fields.Makechain == nil {
		return nil
	}
	return c.fields.Makechain.PublicKey
}

// Address is the wallet's key id as the container states it; ok is false when it states none.
func (c *Container) Address() (address ident.Address, ok bool) {
	if c.fields.Makechain != nil {
		address, err := custody.KeyIDFromPublicKey(c.Kind().signatureType(), c.PublicKey())
		return address, err == nil
	}
	address, err := ident.ParseAddress(c.fields.Address)
	return address, err == nil
}

// Open answers the key. The passphrase of a container that is not encrypted is not looked at.
func (c *Container) Open(passphrase []byte) (Key, error) {
	secret, err := c.secret(passphrase)
	if err != nil {
		return Key{}, err
	}
	key, err := NewKey(c.Kind(), secret)
	if err != nil {
		return Key{}, fmt.Errorf("keystore: %w", err)
	}
	if err := c.checkStated(key); err != nil {
		return Key{}, err
	}
	return key, nil
}

func (c *Container) secret(passphrase []byte) (secret [SecretSize]byte, err error) {
	if c.Encrypted() {
		return c.fields.Crypto.decrypt(passphrase)
	}
	if c.fields.Makechain == nil || copy(secret[:], c.fields.Makechain.Plaintext) != SecretSize {
		return secret, errors.New("an empty keystore")
	}
	return secret, nil
}

// checkStated compares the public part of the file, which nothing protects, with the key that it holds.
func (c *Container) checkStated(key Key) error {
	if stated := c.PublicKey(); stated != nil && !bytes.Equal(stated, key.public) {
		return fmt.Errorf("the keystore states public key %x and holds the secret of %x", stated, key.public)
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
		return fmt.Errorf("the keystore states address %s and holds the secret of %s", stated, holds)
	}
	return nil
}

// describe makes a container with everything but the secret.
func newContainer(key Key) (*Container, error) {
	f := containerJSON{
		Makechain: &makechainJSON{Kind: key.kind, PublicKey: key.public},
		ID:        newUUID(),
		Version:   containerVersion,
	}
	if key.kind == Secp256k1 {
		address, err := custody.KeyIDFromPublicKey(key.kind.signatureType(), key.public)
		if err != nil {
			return nil, err
		}
		f.Address = hex.EncodeToString(address[:])
	}
	return &Container{fields: f}, nil
}

// newUUID makes a random UUID, which is one of version 4.
func newUUID() string {
	id := randomBytes(16)
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}
