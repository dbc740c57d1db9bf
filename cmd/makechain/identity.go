package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/identity"
	"makechain/internal/keystore"
	"makechain/message"
)

// store is the person's wallets and accounts.
func (l *local) store() (*identity.Store, error) {
	dir, err := l.dir()
	if err != nil {
		return nil, err
	}
	return identity.Open(dir), nil
}

// author signs for --account, or for the account that was chosen, with the key of this machine.
func (r *remote) author(command *cobra.Command, c *client.Client) (*message.Author, error) {
	account, err := r.localAccount()
	if err != nil {
		return nil, err
	}
	if err := checkChain(command.Context(), c, account); err != nil {
		return nil, err
	}
	key, err := r.unlock(command, "account "+account.Name, account.Key)
	if err != nil {
		return nil, err
	}
	return account.Author(key), nil
}

// localAccount is the account of this machine that --account names, or the one that was chosen.
func (r *remote) localAccount() (*identity.Account, error) {
	store, err := r.store()
	if err != nil {
		return nil, err
	}
	name := r.account
	if name == "" {
		if name, err = store.Default(); err != nil {
			return nil, adviseDefault(store, err)
		}
	}
	account, err := store.Account(name)
	if errors.Is(err, identity.ErrNoAccount) {
		return nil, advise(err, "makechain account list, or makechain account create %s", name)
	}
	return account, err
}

// adviseDefault says how an account comes to be chosen.
func adviseDefault(store *identity.Store, err error) error {
	if !errors.Is(err, identity.ErrNoDefault) {
		return err
	}
	if names, listed := store.AccountNames(); listed != nil || len(names) == 0 {
		return advise(errors.New("no account on this machine"), "makechain account create <name>")
	}
	return advise(err, "--account <name>, or makechain account use <name>; makechain account list shows them")
}

// checkChain refuses an account on a chain that the node does not serve. Without it the node would only say that it
// does not know the signer.
func checkChain(ctx context.Context, c *client.Client, account *identity.Account) error {
	status, err := client.Call(ctx, c.GetNodeStatus, &pb.GetNodeStatusRequest{})
	if err != nil {
		return err
	}
	if status.GetChainId() == account.ChainID && status.GetNetwork() == account.Network {
		return nil
	}
	err = fmt.Errorf("account %s is on chain %s (%s), and the node serves %s (%s)", account.Name,
		account.ChainID, identity.NetworkName(account.Network), status.GetChainId(), identity.NetworkName(status.GetNetwork()))
	return advise(err, "another --node, or makechain account create %s to put it on this chain too", account.Name)
}

// wallet reads a wallet of this machine, still locked.
func (l *local) wallet(name string) (*keystore.Container, error) {
	store, err := l.store()
	if err != nil {
		return nil, err
	}
	container, err := store.Wallet(name)
	if errors.Is(err, identity.ErrNoWallet) {
		return nil, advise(err, "makechain wallet list, or makechain wallet new %s", name)
	}
	return container, err
}
