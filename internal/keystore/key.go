package keystore

import (
	"crypto/rand"
	"fmt"

	"github.com/oasisprotocol/curve25519-voi/primitives/ed25519"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
)

// Kind says what a secret is a key of.
type Kind string

// The kinds. Wallets are of the first two, delegated keys of the third.
const (
	Secp256k1 Kind = "secp256k1"
	P256      Kind = "p256"
	Ed25519   Kind = "ed25519"
)

// SecretSize is the size of a secret of every kind, in bytes.
const SecretSize = 32

// Key is a secret of some kind. The zero Key is none.
type Key struct {
	kind   Kind
	secret [SecretSize]byte
	public []byte
}

// Wallet signs custody digests and says how its key is authorized.
type Wallet interface {
	custody.Wallet
	PublicKey() []byte
	Type() pb.CustodySignatureType
}

// Generate makes a new key.
func Generate(kind Kind) (Key, error) {
	for {
		key, err := NewKey(kind, [SecretSize]byte(randomBytes(SecretSize)))
		// A secret beyond the order of its curve comes once in 2^32 times at most; the next one will do.
		if err == nil || !kind.known() {
			return key, err
		}
	}
}

// NewKey makes a key of a secret. Those of curves must be from 1 up to below the order of the curve.
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

// Kind is what the key is a key of.
func (k Key) Kind() Kind { return k.kind }

// Secret is the secret itself.
func (k Key) Secret() [SecretSize]byte { return k.secret }

// PublicKey is the public key: 65 bytes with 0x04 first for secp256k1, 64 for P256, 32 for Ed25519.
func (k Key) PublicKey() []byte { return k.public }

// Wallet signs custody digests with the key, which must be of a curve.
func (k Key) Wallet() (Wallet, error) {
	switch k.kind {
	case Secp256k1:
		return custody.NewSecp256k1Wallet(k.secret)
	case P256:
		return custody.NewP256Wallet(k.secret)
	default:
		return nil, fmt.Errorf("a key of kind %q is no wallet: want %s or %s", k.kind, Secp256k1, P256)
	}
}

// Format prints what may be known of the key.
func (k Key) Format(state fmt.State, _ rune) {
	_, _ = fmt.Fprintf(state, "%s key %x", k.kind, k.public)
}

func (k Kind) known() bool { return k == Secp256k1 || k == P256 || k == Ed25519 }

// signatureType is the type that a wallet of the kind is authorized with.
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

// checkPublicKey says whether a public key can be one of the kind.
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

// randomBytes come from the system's source, which either answers or ends the program.
func randomBytes(size int) []byte {
	out := make([]byte, size)
	_, _ = rand.Read(out)
	return out
}
