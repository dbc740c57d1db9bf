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

// networkPrefix begins the names of networks in the schema.
const networkPrefix = "NETWORK_"

// NetworkName is how people write a network: devnet, testnet or mainnet.
func NetworkName(network pb.Network) string {
	return strings.ToLower(strings.TrimPrefix(network.String(), networkPrefix))
}

// Account is what this machine knows of an account.
type Account struct {
	Name    string // the file's
	Owner   ident.Address
	Network pb.Network
	ChainID string
	// Wallet names the wallet that manages the account; empty when it is not on this machine.
	Wallet string
	// Key is the delegated key that signs for the account.
	Key *keystore.Container

	// sent is the message under way when a creation broke off.
	sent *sentMessage
}

// sentMessage is a message that may have reached the chain.
type sentMessage struct {
	Step Step `json:"step"`
	// Hash is empty while a faucet has been asked and has not said which message it sends.
	Hash string `json:"hash,omitempty"`
}

// accountForm is the JSON of an account.
type accountJSON struct {
	Owner   string              `json:"owner"`
	Network string              `json:"network"`
	ChainID string              `json:"chain_id"`
	Wallet  string              `json:"wallet,omitempty"`
	Key     *keystore.Container `json:"key"`
	Sent    *sentMessage        `json:"sent,omitempty"`
}

// MarshalJSON writes everything but the name.
func (a *Account) MarshalJSON() ([]byte, error) {
	return json.Marshal(accountJSON{
		Owner: a.Owner.String(), Network: NetworkName(a.Network), ChainID: a.ChainID, Wallet: a.Wallet, Key: a.Key, Sent: a.sent,
	})
}

// UnmarshalJSON reads everything but the name.
func (a *Account) UnmarshalJSON(data []byte) error {
	var read accountJSON
	if err := json.Unmarshal(data, &read); err != nil {
		return fmt.Errorf("not an account: %w", err)
	}
	owner, err := ident.ParseAddress(read.Owner)
	if err != nil {
		return fmt.Errorf("owner: %w", err)
	}
	network := pb.Network(pb.Network_value[networkPrefix+strings.ToUpper(read.Network)])
	if network == pb.Network_NETWORK_NONE {
		return fmt.Errorf("network %q is none", read.Network)
	}
	if read.Key == nil || read.Key.Kind() != keystore.Ed25519 {
		return errors.New("the account has no key to sign with")
	}
	a.Owner, a.Network, a.ChainID, a.Wallet = owner, network, read.ChainID, read.Wallet
	a.Key, a.sent = read.Key, read.Sent
	return nil
}

// PublicKey is the delegated key as the file states it.
func (a *Account) PublicKey() ident.PublicKey {
	key, _ := ident.PublicKeyFrom(a.Key.PublicKey())
	return key
}

// Author signs for the account with its key, once that is open.
func (a *Account) Author(key keystore.Key) *message.Author {
	return message.NewAuthor(key.Secret(), a.Network, a.Owner)
}
