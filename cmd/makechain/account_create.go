package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/identity"
	"makechain/internal/keystore"
	"makechain/internal/term"
	"makechain/message"
)

// accountMaker has the flags of account create.
type accountMaker struct {
	remote

	username, walletName, kind, claim string

	units uint32
	plain bool
}

func newAccountCreateCommand() *cobra.Command {
	m := new(accountMaker)
	command := &cobra.Command{
		Use:   "create <name>",
		Short: "Put an account on the chain: wallet, key, storage, username",
		Long: `Put an account on the chain: wallet, key, storage, username.

The wallet of that name is used, or made. It registers a new key of this machine, which signs
from then on. Storage comes from the faucet of a development chain, or from a claim of what
was paid elsewhere. The username is the name, unless you say another.

A run that breaks off is completed by running it again: what is done already is not repeated.
With the wallet of an account that exists, this machine gets a key for it.`,
		Example: "  makechain account create alice\n  makechain account create work --wallet alice --username alice-work --units 5",
		Args:    arguments("<name>"),

		ValidArgsFunction: completeAccounts,
		RunE:              func(command *cobra.Command, args []string) error { return m.run(command, args[0]) },
	}
	m.register(command)
	flags := command.Flags()
	flags.StringVar(&m.username, "username", "", "the username to take (default the name)")
	flags.StringVar(&m.walletName, "wallet", "", "the wallet that owns the account (default the one of that name, or a new one)")
	registerKind(command, &m.kind)
	flags.Uint32Var(&m.units, "units", 1, "units of storage to have at least, from the faucet")
	flags.StringVar(&m.claim, "claim", "", "file with a STORAGE_CLAIM message, as JSON or protobuf, instead of the faucet")
	flags.BoolVar(&m.plain, "insecure-plaintext", false, "store a new wallet and its keys without encryption, for development chains")
	flags.DurationVar(&m.timeout, "timeout", defaultPatience, "how long to wait for all of it")
	completeFlag(command, "wallet", (*identity.Store).WalletNames)
	m.passphrases.register(flags)
	return command
}

func (m *accountMaker) run(command *cobra.Command, name string) error {
	if err := m.check(command, name); err != nil {
		return err
	}
	c, err := m.dial(command)
	if err != nil {
		return err
	}
	defer c.Close()
	// What cannot work is refused before there are files.
	status, err := client.Call(command.Context(), c.GetNodeStatus, &pb.GetNodeStatusRequest{})
	if err != nil {
		return err
	}
	creation, err := m.prepare(command, name, status)
	if err != nil {
		return err
	}
	creation.Client = c
	ctx, cancel := context.WithTimeoutCause(command.Context(), m.timeout, errPatience)
	defer cancel()
	if err := creation.Run(ctx); err != nil {
		return m.printRefusal(command, adviseCreation(name, err))
	}
	return m.printCreated(command, c, creation.Account)
}

// check refuses names that could never be used, by the rules of messages themselves.
func (m *accountMaker) check(command *cobra.Command, name string) error {
	if err := keystore.CheckName(name); err != nil {
		return misused(command, "%w", err)
	}
	username := m.username
	if username == "" {
		username = name
	}
	probe, err := message.NewAuthor(message.Seed{}, pb.Network_NETWORK_DEVNET, message.Address{}).Sign(1, message.UsernameCreate(username))
	if err != nil {
		return err
	}
	if refusal := probe.Validate(); refusal != nil {
		return misused(command, "%q cannot be a username: %s; choose one by --username", username, refusal.Reason)
	}
	return nil
}

// prepare finds or makes the wallet and the account's file, and opens the account's key.
func (m *accountMaker) prepare(command *cobra.Command, name string, status *pb.GetNodeStatusResponse) (*identity.Creation, error) {
	store, err := m.store()
	if err != nil {
		return nil, err
	}
	account, err := store.Account(name)
	switch {
	case errors.Is(err, identity.ErrNoAccount):
		account, err = m.begin(command, store, name, status)
	case err == nil:
		err = m.goOn(command, store, account, status)
	}
	if err != nil {
		return nil, err
	}
	signer, err := m.unlock(command, "account "+name, account.Key)
	if err != nil {
		return nil, err
	}
	creation := &identity.Creation{
		Store: store, Account: account, Signer: signer, Username: m.username, Units: m.units, Now: time.Now,
		Unlock: func() (keystore.Key, error) { return m.unlockWallet(command, account.Wallet) },
		Report: func(step identity.Step, text string) { m.note(command, string(step), text) },
	}
	if m.claim != "" {
		creation.Claim, err = readClaim(m.claim, account.Owner)
	}
	return creation, err
}

// begin makes a key for a new account, and the wallet too if there is none of its name.
func (m *accountMaker) begin(
	command *cobra.Command, store *identity.Store, name string, status *pb.GetNodeStatusResponse,
) (*identity.Account, error) {
	walletName, made, err := m.ensureWallet(command, store, name)
	if err != nil {
		return nil, err
	}
	container, err := m.wallet(walletName)
	if err != nil {
		return nil, err
	}
	// A wallet that was just made is read back like any other, before the chain hears of it.
	wallet, err := m.unlockWallet(command, walletName)
	if err != nil {
		return nil, err
	}
	owner, err := wallet.Wallet()
	if err != nil {
		return nil, err
	}
	account := &identity.Account{
		Name: name, Owner: owner.KeyID(), Network: status.GetNetwork(), ChainID: status.GetChainId(), Wallet: walletName,
	}
	// The key is kept as the wallet is: beside a wallet in the open, a passphrase would protect nothing.
	if account.Key, err = m.newKey(command, "account "+name, !container.Encrypted()); err != nil {
		return nil, err
	}
	m.note(command, "wallet", fmt.Sprintf("%s, %s%s", walletName, account.Owner, made))
	return account, store.AddAccount(account)
}

// ensureWallet names the wallet of a new account. Unless one was asked for, it is the wallet of the account's name,
// which is made if there is none; made then says so.
func (m *accountMaker) ensureWallet(command *cobra.Command, store *identity.Store, account string) (name, made string, err error) {
	if m.walletName != "" {
		return m.walletName, "", nil
	}
	if _, err := store.Wallet(account); !errors.Is(err, identity.ErrNoWallet) {
		return account, "", err
	}
	kind, err := walletKind(command, m.kind)
	if err != nil {
		return "", "", err
	}
	key, err := keystore.Generate(kind)
	if err != nil {
		return "", "", err
	}
	container, err := m.seal(command, "wallet "+account, key, keystore.Standard, m.plain)
	if err != nil {
		return "", "", err
	}
	return account, ", new", store.AddWallet(account, container)
}

// newKey makes a delegated key.
func (p *passphrases) newKey(command *cobra.Command, what string, plain bool) (*keystore.Container, error) {
	key, err := keystore.Generate(keystore.Ed25519)
	if err != nil {
		return nil, err
	}
	return p.seal(command, what, key, keystore.Light, plain)
}

// goOn takes up an account whose file is there, perhaps on another chain.
func (m *accountMaker) goOn(command *cobra.Command, store *identity.Store, account *identity.Account, status *pb.GetNodeStatusResponse) error {
	if m.walletName != "" && m.walletName != account.Wallet {
		return advise(fmt.Errorf("account %s belongs to wallet %s", account.Name, account.Wallet), "another name for an account of wallet %s", m.walletName)
	}
	m.note(command, "wallet", fmt.Sprintf("%s, %s", account.Wallet, account.Owner))
	if account.ChainID == status.GetChainId() && account.Network == status.GetNetwork() {
		return nil
	}
	m.note(command, "chain", fmt.Sprintf("%s, from now on instead of %s", status.GetChainId(), account.ChainID))
	return store.SetChain(account, status.GetNetwork(), status.GetChainId())
}

func (r *remote) unlockWallet(command *cobra.Command, name string) (keystore.Key, error) {
	container, err := r.wallet(name)
	if err != nil {
		return keystore.Key{}, err
	}
	return r.unlock(command, "wallet "+name, container)
}

// note prints a step as it happens, out of the way of JSON.
func (m *accountMaker) note(command *cobra.Command, step, text string) {
	out := command.OutOrStdout()
	if m.json {
		out = command.ErrOrStderr()
	}
	_, _ = fmt.Fprintf(out, "%-8s  %s\n", step, term.Text(text)) // what matters is printed at the end
}

func (m *accountMaker) printCreated(command *cobra.Command, c *client.Client, account *identity.Account) error {
	owner := account.Owner
	state, err := client.Call(command.Context(), c.GetAccount, &pb.GetAccountRequest{OwnerAddress: owner[:]})
	if err != nil {
		return err
	}
	return m.print(command, state, func(p *term.Printer) {
		p.Line("%s is on chain %s", term.Text(state.GetUsername()), term.Text(account.ChainID))
	})
}

// adviseCreation says how a creation that stopped goes on.
func adviseCreation(name string, err error) error {
	refused := (*client.RefusedError)(nil)
	switch {
	case errors.Is(err, identity.ErrNoFaucet):
		return advise(err, "makechain account create %s --claim <file>, with the claim of storage that was paid for", name)
	case errors.As(err, &refused) && refused.Code == message.CodeUsernameTaken:
		return advise(err, "makechain account create %s --username <another>", name)
	case errors.As(err, &refused) && refused.Code == message.CodeNoUsableStorage:
		return advise(err, "makechain account create %s --units 1", name)
	case errors.As(err, &refused), client.IsUnreachable(err):
		return err
	default:
		return advise(err, "makechain account create %s again: it goes on where it stopped", name)
	}
}
