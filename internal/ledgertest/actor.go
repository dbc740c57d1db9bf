package ledgertest

import (
	"strings"

	"github.com/zeebo/blake3"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/custody/custodytest"
	"makechain/internal/ident"
	"makechain/message"
)

// Network is the network of every world.
const Network = pb.Network_NETWORK_DEVNET

// MainKey is the name of the delegated key that an actor joins with and signs with unless told otherwise.
const MainKey = "main"

// Secret is the secret that a name stands for, the same in every run.
func Secret(parts ...string) [32]byte {
	return blake3.Sum256([]byte("makechain:ledgertest:" + strings.Join(parts, ":")))
}

// Hash is the commit or content id that a name stands for.
func Hash(name string) ident.Hash { return Secret("hash", name) }

// CustodyWallet is a custody key that can be authorized and can sign.
type CustodyWallet interface {
	custody.Wallet
	Type() pb.CustodySignatureType
	PublicKey() []byte
}

// NewWallet makes the custody key that a name stands for. P256 and WebAuthn wallets of one name share a key.
func NewWallet(kind pb.CustodySignatureType, name string) (CustodyWallet, error) {
	switch kind {
	case pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_P256:
		return custody.NewP256Wallet(Secret("p256", name))
	case pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_WEBAUTHN_P256:
		return custodytest.NewWebAuthnWallet(Secret("p256", name))
	default:
		return custody.NewSecp256k1Wallet(Secret("secp256k1", name))
	}
}

// Actor is a person with a root custody key, whose id is the account, and delegated keys.
type Actor struct {
	*message.Author // of the key MainKey

	Name    string
	Address ident.Address
	Root    CustodyWallet
}

// NewActor makes the person that a name stands for, with a root key of a kind.
func NewActor(kind pb.CustodySignatureType, name string) (*Actor, error) {
	root, err := NewWallet(kind, "root:"+name)
	if err != nil {
		return nil, err
	}
	a := &Actor{Name: name, Address: root.KeyID(), Root: root}
	a.Author = a.With(MainKey)
	return a, nil
}

// With is the actor signing with another delegated key. Whether it is registered is for the chain to know.
func (a *Actor) With(key string) *message.Author {
	return message.NewAuthor(Secret("delegated", a.Name, key), Network, a.Address)
}

// Attester is one of the three that vouch for storage in every world.
func Attester(i int) message.Seed { return Secret("attester", string(rune('1'+i))) }

// Attesters of a world, and how many of them must vouch for a claim.
const (
	Attesters = 3
	Threshold = 2
)
