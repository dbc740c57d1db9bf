package message

import (
	"fmt"

	"github.com/oasisprotocol/curve25519-voi/primitives/ed25519"
	"github.com/zeebo/blake3"

	pb "makechain/gen/makechain"
)

// Seed is the secret of an Ed25519 key, as RFC 8032 has it.
type Seed = [ed25519.SeedSize]byte

// Author signs messages of one account with one key on one network. It holds a secret, cannot change, and
// may be used by several goroutines at once.
type Author struct {
	secret  ed25519.PrivateKey
	key     PublicKey
	network pb.Network
	owner   Address
}

// NewAuthor makes an author who writes for owner with the key of seed.
func NewAuthor(seed Seed, network pb.Network, owner Address) *Author {
	secret := ed25519.NewKeyFromSeed(seed[:])
	return &Author{secret: secret, key: PublicKey(secret[ed25519.SeedSize:]), network: network, owner: owner}
}

// Key is the public key that the author's messages name as their signer.
func (a *Author) Key() PublicKey { return a.key }

// Owner is the account the author writes for.
func (a *Author) Owner() Address { return a.owner }

// Network is the network the author writes on.
func (a *Author) Network() pb.Network { return a.network }

// Sign makes a message of the type and body of data, which it leaves alone; timestamp, network and owner are
// the author's. It does not apply the rules of P5: that is what Validate is for.
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
