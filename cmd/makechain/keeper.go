package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/identity"
	"makechain/internal/keystore"
	"makechain/message"
)

// keeper is what commands that manage the keys of an account have in common: a wallet signs, not a delegated key.
type keeper struct {
	remote

	walletName string
}

func (k *keeper) register(command *cobra.Command) {
	k.registerWriter(command)
	command.Flags().StringVar(&k.walletName, "wallet", "", "the wallet that signs (default the account's; another must be an admin custody key of it)")
	completeFlag(command, "wallet", (*identity.Store).WalletNames)
}

// managed is an account and an open wallet that manages it.
type managed struct {
	account *identity.Account // without a key when the account is not on this machine; its wallet is the one that signs
	wallet  message.Wallet
	plain   bool // the wallet lies in the open
	nonce   uint64
	// author signs envelopes, which any key may do for these messages (P3.3): nobody has to open a second key.
	author *message.Author
}

// open finds the account and opens the wallet.
func (k *keeper) open(command *cobra.Command, c *client.Client) (*managed, error) {
	account, err := k.find(command, c)
	if err != nil {
		return nil, err
	}
	if k.walletName != "" {
		account.Wallet = k.walletName
	}
	container, err := k.wallet(account.Wallet)
	if err != nil {
		return nil, err
	}
	key, err := k.unlock(command, "wallet "+account.Wallet, container)
	if err != nil {
		return nil, err
	}
	wallet, err := identity.CustodySigner(key, account.Owner)
	if err != nil {
		return nil, err
	}
	envelopes, err := keystore.Generate(keystore.Ed25519)
	if err != nil {
		return nil, err
	}
	state, err := client.Call(command.Context(), c.GetAccount, &pb.GetAccountRequest{OwnerAddress: account.Owner[:]})
	if err != nil {
		return nil, err
	}
	return &managed{
		account: account, wallet: wallet, plain: !container.Encrypted(), nonce: state.GetCustodyNonce(), author: account.Author(envelopes),
	}, nil
}

// find gives the account of this machine that --account names. With --wallet it may be any account of the chain: a
// custody key manages it from a machine that knows nothing else of it.
func (k *keeper) find(command *cobra.Command, c *client.Client) (*identity.Account, error) {
	account, err := k.localAccount()
	if err == nil {
		return account, checkChain(command.Context(), c, account)
	}
	if k.walletName == "" || k.account == "" || !errors.Is(err, identity.ErrNoAccount) {
		return nil, err
	}
	return remoteAccount(command.Context(), c, k.account)
}

// remoteAccount describes an account that is not on this machine.
func remoteAccount(ctx context.Context, c *client.Client, name string) (*identity.Account, error) {
	owner, err := c.Account(ctx, name)
	if err != nil {
		return nil, err
	}
	status, err := client.Call(ctx, c.GetNodeStatus, &pb.GetNodeStatusRequest{})
	if err != nil {
		return nil, err
	}
	return &identity.Account{Name: name, Owner: owner, Network: status.GetNetwork(), ChainID: status.GetChainId()}, nil
}

// change makes a message about the keys of an account, and the sentence for when it is done.
type change func(context.Context, *client.Client, *managed) (made *message.Envelope, done string, err error)

// manage opens the account and sends a change of it.
func (k *keeper) manage(command *cobra.Command, next change) error {
	return k.reading(command, func(ctx context.Context, c *client.Client) error {
		m, err := k.open(command, c)
		if err != nil {
			return err
		}
		made, done, err := next(ctx, c, m)
		if err != nil {
			return err
		}
		return k.send(command, c, m.author, done, made.Data)
	})
}

// permit bounds the wallet's next signature.
func (m *managed) permit() message.Permit { return identity.Permit(time.Now(), m.nonce) }

// now is the timestamp of an envelope.
func now() uint32 { return uint32(time.Now().Unix()) }
