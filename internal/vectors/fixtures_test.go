package vectors

import (
	"crypto/ed25519"
	"strings"
	"testing"

	"github.com/zeebo/blake3"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/custody/custodytest"
	"makechain/internal/ident"
	"makechain/message"
)

const (
	// network is the network of the vectors.
	network = pb.Network_NETWORK_DEVNET
	// now is the time of most vectors, in Unix seconds.
	now = 1_700_000_000
)

// secret derives a secret, or any other 32 bytes, from its purpose.
func secret(purpose string) [32]byte { return blake3.Sum256([]byte("makechain vectors: " + purpose)) }

// someHash derives the id of a commit, a project or another object from its purpose.
func someHash(purpose string) ident.Hash { return ident.Hash(secret(purpose)) }

func someAddress(purpose string) ident.Address {
	bytes := secret(purpose)
	return ident.Address(bytes[:ident.AddressSize])
}

// filler returns a string of a length.
func filler(length int) string { return strings.Repeat("x", length) }

// must returns a function that returns the value of a call that must succeed.
func must[T any](t *testing.T) func(value T, err error) T {
	t.Helper()
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func secp256k1Wallet(t *testing.T, purpose string) *custody.Secp256k1Wallet {
	t.Helper()
	return must[*custody.Secp256k1Wallet](t)(custody.NewSecp256k1Wallet(secret(purpose)))
}

func p256Wallet(t *testing.T, purpose string) *custody.P256Wallet {
	t.Helper()
	return must[*custody.P256Wallet](t)(custody.NewP256Wallet(secret(purpose)))
}

func webAuthnWallet(t *testing.T, purpose string) *custodytest.WebAuthnWallet {
	t.Helper()
	return must[*custodytest.WebAuthnWallet](t)(custodytest.NewWebAuthnWallet(secret(purpose)))
}

// actor is an account with its root wallet and one delegated key.
type actor struct {
	*message.Author
	seed   message.Seed
	wallet *custody.Secp256k1Wallet
}

func newActor(t *testing.T, name string) *actor {
	t.Helper()
	wallet := secp256k1Wallet(t, name+"'s wallet")
	seed := secret(name + "'s key")
	return &actor{Author: message.NewAuthor(seed, network, wallet.KeyID()), seed: seed, wallet: wallet}
}

// signHash signs arbitrary bytes with the delegated key.
func (p *actor) signHash(hash []byte) []byte {
	return ed25519.Sign(ed25519.NewKeyFromSeed(p.seed[:]), hash)
}

func (p *actor) publicKey() []byte {
	key := p.Key()
	return key[:]
}

func blake3Sum(data []byte) []byte {
	hash := blake3.Sum256(data)
	return hash[:]
}

// permit returns a permit for the half hour around now.
func permit(nonce uint64) message.Permit {
	return message.Permit{Nonce: nonce, ValidAfter: now - 900, ValidBefore: now + 900}
}
