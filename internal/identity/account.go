package identity

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/keystore"
	"makechain/message"
)

// networkPrefix is the prefix of the names of networks in the schema.
const networkPrefix = "NETWORK_"

// NetworkName returns the name of a network: devnet, testnet or mainnet.
func NetworkName(network pb.Network) string {
	return strings.ToLower(strings.TrimPrefix(network.String(), networkPrefix))
}

// Account is the file of an account.
type Account struct {
	Name    string // of the file, without its suffix
	Owner   ident.Address
	Network pb.Network
	ChainID string
	// Wallet is the name of the wallet of the account; empty when it is not on this machine.
	Wallet string
	// Key is the delegated key that signs for the account.
	Key *keystore.Container

	// sent is the message that was pending when a creation was interrupted.
	sent *sentMessage
}

// sentMessage is a message that the chain may have committed.
type sentMessage struct {
	Step Step `json:"step"`
	// Hash is empty while a request to the faucet has not returned the hash of its message.
	Hash string `json:"hash,omitempty"`
}

// accountJSON is the JSON form of an account.
type accountJSON struct {
	Owner   string              `json:"owner"`
	Network string              `json:"network"`
	ChainID string              `json:"chain_id"`
	Wallet  string              `json:"wallet,omitempty"`
	Key     *keystore.Container `json:"key"`
	Sent    *sentMessage        `json:"sent,omitempty"`
}

// MarshalJSON encodes everything but the name.
func (a *Account) MarshalJSON() ([]byte, error) {
	return json.Marshal(accountJSON{
		Owner: a.Owner.String(), Network: NetworkName(a.Network), ChainID: a.ChainID, Wallet: a.Wallet, Key: a.Key, Sent: a.sent,
	})
}

// UnmarshalJSON decodes everything but the name.
func (a *Account) UnmarshalJSON(data []byte) error {
	var decoded accountJSON
	if err := json.Unmarshal(data, &decoded); err != nil {
		return fmt.Errorf("not an account: %w", err)
	}
	owner, err := ident.ParseAddress(decoded.Owner)
	if err != nil {
		return fmt.Errorf("owner: %w", err)
	}
	network := pb.Network(pb.Network_value[networkPrefix+strings.ToUpper(decoded.Network)])
	if network == pb.Network_NETWORK_NONE {
		return fmt.Errorf("unknown network %q: want devnet, testnet or mainnet", decoded.Network)
	}
	if decoded.Key == nil || decoded.Key.Kind() != keystore.Ed25519 {
		return errors.New("the account has no signing key")
	}
	a.Owner, a.Network, a.ChainID, a.Wallet = owner, network, decoded.ChainID, decoded.Wallet
	a.Key, a.sent = decoded.Key, decoded.Sent
	return nil
}

// PublicKey returns the public delegated key in the file.
func (a *Account) PublicKey() ident.PublicKey {
	key, _ := ident.PublicKeyFrom(a.Key.PublicKey())
	return key
}

// Author returns an author that signs for the account with its decrypted key.
func (a *Account) Author(key keystore.Key) *message.Author {
	return message.NewAuthor(key.Secret(), a.Network, a.Owner)
}
