// Package signing opens the user's accounts and wallets: it finds them, gets their passphrases and unlocks their keys.
package signing

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/usage"
	"makechain/internal/identity"
	"makechain/internal/keystore"
	"makechain/message"
)

// Flags are the flags of a command that signs for an account.
type Flags struct {
	Passphrases

	Account string // the local name; empty for the default account
}

// Register adds the flags to a command.
func (f *Flags) Register(command *cobra.Command) {
	command.Flags().StringVar(&f.Account, "account", "",
		"account that signs, by its local name (default the only account, or that of makechain account use)")
	connection.CompleteLocalFlag(command, "account", (*identity.Store).AccountNames)
	f.Passphrases.Register(command.Flags())
}

// Author unlocks the local key of the account. The account must be on the chain that the node serves.
func (f *Flags) Author(command *cobra.Command, dir *connection.ConfigDir, c *client.Client) (*message.Author, error) {
	account, err := Account(dir, f.Account)
	if err != nil {
		return nil, err
	}
	if err := CheckChain(command.Context(), c, account); err != nil {
		return nil, err
	}
	key, err := f.Unlock(command, "account "+account.Name, account.Key)
	if err != nil {
		return nil, err
	}
	return account.Author(key), nil
}

// Account reads a local account, or the default account for an empty name.
func Account(dir *connection.ConfigDir, name string) (*identity.Account, error) {
	store, err := dir.Store()
	if err != nil {
		return nil, err
	}
	if name == "" {
		if name, err = store.Default(); err != nil {
			return nil, adviseDefault(store, err)
		}
	}
	account, err := store.Account(name)
	if errors.Is(err, identity.ErrNoAccount) {
		return nil, usage.Advise(err, "makechain account list, or makechain account create %s", name)
	}
	return account, err
}

// adviseDefault adds how to choose a default account.
func adviseDefault(store *identity.Store, err error) error {
	if !errors.Is(err, identity.ErrNoDefault) {
		return err
	}
	if names, listed := store.AccountNames(); listed != nil || len(names) == 0 {
		return usage.Advise(errors.New("no account on this machine"), "makechain account create <name>")
	}
	return usage.Advise(err, "--account <name>, or makechain account use <name>; makechain account list shows them")
}

// CheckChain returns an error for an account on a chain that the node does not serve. The node itself would only
// answer that the signer is unknown.
func CheckChain(ctx context.Context, c *client.Client, account *identity.Account) error {
	status, err := client.Call(ctx, c.GetNodeStatus, &pb.GetNodeStatusRequest{})
	if err != nil {
		return err
	}
	if status.GetChainId() == account.ChainID && status.GetNetwork() == account.Network {
		return nil
	}
	err = fmt.Errorf("account %s is on chain %s (%s), but the node serves %s (%s)", account.Name,
		account.ChainID, identity.NetworkName(account.Network), status.GetChainId(), identity.NetworkName(status.GetNetwork()))
	return usage.Advise(err, "another --node, or makechain account create %s to create it on this chain too", account.Name)
}

// Wallet reads a local wallet without unlocking it.
func Wallet(dir *connection.ConfigDir, name string) (*keystore.Container, error) {
	store, err := dir.Store()
	if err != nil {
		return nil, err
	}
	container, err := store.Wallet(name)
	if errors.Is(err, identity.ErrNoWallet) {
		return nil, usage.Advise(err, "makechain wallet list, or makechain wallet new %s", name)
	}
	return container, err
}

// RegisterKind adds --type, the kind of a new wallet.
func RegisterKind(command *cobra.Command, kind *string) {
	command.Flags().StringVar(kind, "type", string(keystore.Secp256k1), "secp256k1 or p256")
	usage.CompleteValues(command, "type", string(keystore.Secp256k1), string(keystore.P256))
}

// ParseKind parses --type.
func ParseKind(command *cobra.Command, kind string) (keystore.Kind, error) {
	if kind := keystore.Kind(kind); kind == keystore.Secp256k1 || kind == keystore.P256 {
		return kind, nil
	}
	return "", usage.Errorf(command, "--type: %q is not %s or %s", kind, keystore.Secp256k1, keystore.P256)
}
