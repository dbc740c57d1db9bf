package message

import (
	"fmt"

	"github.com/oasisprotocol/curve25519-voi/primitives/ed25519"
	"github.com/zeebo/blake3"

	pb "makechain/gen/makechain"
)

// Seed is the private key of an Ed25519 key pair, as in RFC 8032.
type Seed = [ed25519.SeedSize]byte

// Author signs messages of one account with one key on one network. It holds a private key, is immutable, and is safe
// for concurrent use.
type Author struct {
	secret  ed25519.PrivateKey
	key     PublicKey
	network pb.Network
	owner   Address
}

// NewAuthor returns an author that signs for owner with the key of seed.
func NewAuthor(seed Seed, network pb.Network, owner Address) *Author {
	secret := ed25519.NewKeyFromSeed(seed[:])
	return &Author{secret: secret, key: PublicKey(secret[ed25519.SeedSize:]), network: network, owner: owner}
}

// Key returns the public key, which the author's messages have as their signer.
func (a *Author) Key() PublicKey { return a.key }

// Owner returns the account that the author signs for.
func (a *Author) Owner() Address { return a.owner }

// Network returns the network that the author signs for.
func (a *Author) Network() pb.Network { return a.network }

// Sign returns a signed message with the type and body of data, the timestamp, and the author's network and owner. It
// does not modify data and does not check the rules of P5; see Validate.
func (a *Author) Sign(timestamp uint32, data *pb.MessageData) (*Envelope, error) {
	encoded, err := Canonical(&pb.MessageData{
		Type:         data.GetType(),
		Timestamp:    timestamp,
		Network:      a.network,
		OwnerAddress: a.owner[:],
		Body:         data.GetBody(),
	})
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", typeName(data.GetType()), err)
	}
	hash := blake3.Sum256(encoded)
	envelope, refusal := seal(encoded, hash[:], ed25519.Sign(a.secret, hash[:]), a.key[:])
	if refusal != nil {
		return nil, refusal
	}
	return envelope, nil
}
