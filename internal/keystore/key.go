package keystore

import (
	"crypto/rand"
	"fmt"

	"github.com/oasisprotocol/curve25519-voi/primitives/ed25519"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
)

// Kind is the kind of a key.
type Kind string

// The kinds of keys. Wallets are of the first two, delegated keys of the third.
const (
	Secp256k1 Kind = "secp256k1"
	P256      Kind = "p256"
	Ed25519   Kind = "ed25519"
)

// SecretSize is the size of the secrets of all kinds in bytes.
const SecretSize = 32

// Key is a secret key. The zero Key is not valid.
type Key struct {
	kind   Kind
	secret [SecretSize]byte
	public []byte
}

// Wallet signs custody digests.
type Wallet interface {
	custody.Wallet
	PublicKey() []byte
	Type() pb.CustodySignatureType
}

// Generate returns a new random key.
func Generate(kind Kind) (Key, error) {
	for {
		key, err := NewKey(kind, [SecretSize]byte(randomBytes(SecretSize)))
		// A secret above the order of its curve has a probability of at most 2^-32; try again.
		if err == nil || !kind.isValid() {
			return key, err
		}
	}
}

// NewKey returns the key of a secret. A secp256k1 or P-256 secret must be between 1 and the order of the curve.
func NewKey(kind Kind, secret [SecretSize]byte) (Key, error) {
	key := Key{kind: kind, secret: secret}
	if kind == Ed25519 {
		key.public = ed25519.NewKeyFromSeed(secret[:])[ed25519.SeedSize:]
		return key, nil
	}
	wallet, err := key.Wallet()
	if err != nil {
		return Key{}, err
	}
	key.public = wallet.PublicKey()
	return key, nil
}

// Kind returns the kind of the key.
func (k Key) Kind() Kind { return k.kind }

// Secret returns the secret.
func (k Key) Secret() [SecretSize]byte { return k.secret }

// PublicKey returns the public key: 65 bytes starting with 0x04 for secp256k1, 64 for P-256, 32 for Ed25519.
func (k Key) PublicKey() []byte { return k.public }

// Wallet returns a wallet with the key, which must be a secp256k1 or P-256 key.
func (k Key) Wallet() (Wallet, error) {
	switch k.kind {
	case Secp256k1:
		return custody.NewSecp256k1Wallet(k.secret)
	case P256:
		return custody.NewP256Wallet(k.secret)
	default:
		return nil, fmt.Errorf("a key of kind %q is not a wallet: want %s or %s", k.kind, Secp256k1, P256)
	}
}

// Format prints the kind and the public key.
func (k Key) Format(state fmt.State, _ rune) {
	_, _ = fmt.Fprintf(state, "%s key %x", k.kind, k.public)
}

func (k Kind) isValid() bool { return k == Secp256k1 || k == P256 || k == Ed25519 }

// signatureType returns the custody signature type of the kind.
func (k Kind) signatureType() pb.CustodySignatureType {
	switch k {
	case Secp256k1:
		return pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1
	case P256:
		return pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_P256
	default:
		return pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_NONE
	}
}

// checkPublicKey checks that a public key is valid for the kind.
func (k Kind) checkPublicKey(public []byte) error {
	if k == Ed25519 {
		if len(public) != ident.PublicKeySize {
			return fmt.Errorf("public key of %d bytes, want %d", len(public), ident.PublicKeySize)
		}
		return nil
	}
	_, err := custody.KeyIDFromPublicKey(k.signatureType(), public)
	return err
}

// randomBytes returns random bytes. crypto/rand never returns an error.
func randomBytes(size int) []byte {
	out := make([]byte, size)
	_, _ = rand.Read(out)
	return out
}
