package ledgertest

import (
	"fmt"
	"strings"

	"github.com/zeebo/blake3"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/custody/custodytest"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/message"
)

// Network is the network of every test chain.
const Network = pb.Network_NETWORK_DEVNET

// MainKey is the name of the delegated key that an actor joins with and signs with by default.
const MainKey = "main"

// Secret returns the secret derived from a name, the same in every run.
func Secret(parts ...string) [32]byte {
	return blake3.Sum256([]byte("makechain:ledgertest:" + strings.Join(parts, ":")))
}

// Hash returns the commit or content id derived from a name.
func Hash(name string) ident.Hash { return Secret("hash", name) }

// CustodyWallet is a custody key that can be authorized and can sign.
type CustodyWallet interface {
	custody.Wallet
	Type() pb.CustodySignatureType
	PublicKey() []byte
}

// NewWallet returns the custody key derived from a name. P256 and WebAuthn wallets of one name have the same key.
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

// Actor is an account with its root custody key and its delegated keys.
type Actor struct {
	*message.Author // of the key MainKey

	Name    string
	Address ident.Address
	Root    CustodyWallet
}

// NewActor returns the account derived from a name, with a root key of a kind.
func NewActor(kind pb.CustodySignatureType, name string) (*Actor, error) {
	root, err := NewWallet(kind, "root:"+name)
	if err != nil {
		return nil, err
	}
	a := &Actor{Name: name, Address: root.KeyID(), Root: root}
	a.Author = a.With(MainKey)
	return a, nil
}

// With returns an author that signs with another delegated key of the actor, which need not be registered.
func (a *Actor) With(key string) *message.Author {
	return message.NewAuthor(Secret("delegated", a.Name, key), Network, a.Address)
}

// Attester returns the seed of one of the attesters of every test chain.
func Attester(i int) message.Seed { return Secret("attester", string(rune('1'+i))) }

// Domain is what attestations are valid for on every test chain.
func Domain() message.SettlementDomain {
	return message.SettlementDomain{
		Network: Network, ChainID: "test-1", SettlementChainID: 31_337, Contract: ident.Address{0: 0xC0, 19: 0x01},
	}
}

// Settlement returns the genesis settlement of every test chain: three attesters, of which two must sign a claim.
func Settlement() ledger.Settlement {
	domain := Domain()
	s := ledger.Settlement{ChainID: domain.SettlementChainID, Contract: domain.Contract, Threshold: Threshold}
	for i := range Attesters {
		key := message.NewAuthor(Attester(i), Network, ident.Address{}).Key()
		s.Attesters = append(s.Attesters, ledger.Attester{Key: key, URL: fmt.Sprintf("https://attester-%d.example", i+1)})
	}
	return s
}

// Number of attesters of a test chain, and how many of them must sign a claim.
const (
	Attesters = 3
	Threshold = 2
)
