package submit

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/query"
	"makechain/internal/cli/signing"
	"makechain/internal/identity"
	"makechain/internal/keystore"
	"makechain/message"
)

// CustodyFlags are the flags of a command that changes the keys of an account. A wallet signs such changes, not a
// delegated key.
type CustodyFlags struct {
	Flags

	wallet string
}

// Register adds the flags to a command.
func (f *CustodyFlags) Register(command *cobra.Command) {
	f.Flags.Register(command)
	command.Flags().StringVar(&f.wallet, "wallet", "", "wallet that signs (default that of the account; another one must be an admin custody key)")
	connection.CompleteLocalFlag(command, "wallet", (*identity.Store).WalletNames)
}

// Custody is an account and an unlocked wallet that manages it.
type Custody struct {
	Account *identity.Account // without a key when the account is not on this machine; its wallet is the one that signs
	Wallet  message.Wallet
	Plain   bool // the wallet is stored in plaintext
	// Author signs the envelopes of custody messages with a key made for the purpose, because any key may sign them (P3.3).
	Author *message.Author

	nonce uint64
}

// Permit returns the permit for the wallet's next signature.
func (c *Custody) Permit() message.Permit { return identity.Permit(time.Now(), c.nonce) }

// Now returns the timestamp of an envelope.
func Now() uint32 { return uint32(time.Now().Unix()) }

// CustodyChange signs a change of an account's keys, and returns it with the sentence to print when it is committed.
type CustodyChange func(q *query.Query, of *Custody) (signed *message.Envelope, done string, err error)

// RunCustody unlocks the account's wallet and submits a change that it signs.
func (f *CustodyFlags) RunCustody(command *cobra.Command, change CustodyChange) error {
	return f.Run(command, func(q *query.Query) error {
		opened, err := f.open(q)
		if err != nil {
			return err
		}
		signed, done, err := change(q, opened)
		if err != nil {
			return err
		}
		return f.Send(q, opened.Author, &Plan{Done: done, Messages: []*pb.MessageData{signed.Data}})
	})
}

// open finds the account and unlocks the wallet.
func (f *CustodyFlags) open(q *query.Query) (*Custody, error) {
	account, err := f.account(q)
	if err != nil {
		return nil, err
	}
	if f.wallet != "" {
		account.Wallet = f.wallet
	}
	container, err := signing.Wallet(q.ConfigDir(), account.Wallet)
	if err != nil {
		return nil, err
	}
	key, err := f.Signing.Unlock(q.Command, "wallet "+account.Wallet, container)
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
	state, err := client.Call(q.Context(), q.Client.GetAccount, &pb.GetAccountRequest{OwnerAddress: account.Owner[:]})
	if err != nil {
		return nil, err
	}
	return &Custody{
		Account: account, Wallet: wallet, Plain: !container.Encrypted(), Author: account.Author(envelopes), nonce: state.GetCustodyNonce(),
	}, nil
}

// account finds the local account that --account names. With --wallet it may be any account of the chain: a custody key
// manages it from a machine that has nothing else of it.
func (f *CustodyFlags) account(q *query.Query) (*identity.Account, error) {
	account, err := signing.Account(q.ConfigDir(), f.Signing.Account)
	if err == nil {
		return account, signing.CheckChain(q.Context(), q.Client, account)
	}
	if f.wallet == "" || f.Signing.Account == "" || !errors.Is(err, identity.ErrNoAccount) {
		return nil, err
	}
	return chainAccount(q.Context(), q.Client, f.Signing.Account)
}

// chainAccount describes an account that is not on this machine.
func chainAccount(ctx context.Context, c *client.Client, name string) (*identity.Account, error) {
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
