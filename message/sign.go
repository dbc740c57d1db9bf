package message

import (
	"fmt"

	"github.com/oasisprotocol/curve25519-voi/primitives/ed25519"
	"github.com/zeebo/blake3"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

// Seed is the private key of an Ed25519 key pair, as in RFC 8032.
type Seed = [ed25519.SeedSize]byte

// Author signs messages of one account with one key on one network. It is immutable, and safe for concurrent use if its
// key is.
type Author struct {
	sign    func(text []byte) ([]byte, error)
	key     PublicKey
	network pb.Network
	owner   Address
}

// NewAuthor returns an author that signs for owner with the key of seed.
func NewAuthor(seed Seed, network pb.Network, owner Address) *Author {
	secret := ed25519.NewKeyFromSeed(seed[:])
	sign := func(text []byte) ([]byte, error) { return ed25519.Sign(secret, text), nil }
	return NewRemoteAuthor(sign, PublicKey(secret[ed25519.SeedSize:]), network, owner)
}

// NewRemoteAuthor returns an author that signs for owner with a key that is held elsewhere. sign returns the Ed25519
// signature of a text by the secret of key.
func NewRemoteAuthor(sign func(text []byte) ([]byte, error), key PublicKey, network pb.Network, owner Address) *Author {
	return &Author{sign: sign, key: key, network: network, owner: owner}
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
	signature, err := a.sign(hash[:])
	if err != nil {
		return nil, fmt.Errorf("sign %s: %w", typeName(data.GetType()), err)
	}
	envelope, refusal := seal(encoded, hash[:], signature, a.key[:])
	if refusal != nil {
		return nil, refusal
	}
	return envelope, nil
}

// SignStatement returns the signature of a statement that is not a message and not 32 bytes long, as a message hash is.
func (a *Author) SignStatement(text []byte) ([]byte, error) {
	if len(text) == ident.HashSize {
		return nil, fmt.Errorf("a statement of %d bytes could be a message", len(text))
	}
	return a.sign(text)
}
