package account

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/input"
	"makechain/internal/cli/output"
	"makechain/internal/cli/query"
	"makechain/internal/cli/signing"
	"makechain/internal/cli/submit"
	"makechain/internal/cli/usage"
	"makechain/internal/identity"
	"makechain/internal/keystore"
	"makechain/internal/term"
	"makechain/message"
)

// creator has the flags of account create.
type creator struct {
	query.Flags

	passphrases signing.Passphrases

	username, walletName, kind, claim, claimTx string

	units   uint32
	plain   bool
	timeout time.Duration
}

func newCreateCommand() *cobra.Command {
	m := new(creator)
	command := &cobra.Command{
		Use:   "create <name>",
		Short: "Create an account: wallet, key, storage and username",
		Long: `The wallet of the same name is used, or created. It registers a new key of this machine, which
signs from then on. Storage comes from the faucet of a development chain, or from a claim for a
payment on the settlement chain (makechain storage buy). The username is the name, unless --username is given.

After an interruption, run the command again: completed steps are not repeated. With the wallet
of an existing account, the command adds a key of this machine to that account.`,
		Example: "  makechain account create alice\n  makechain account create work --wallet alice --username alice-work --units 5",
		Args:    usage.Args("<name>"),

		ValidArgsFunction: connection.CompleteLocal((*identity.Store).AccountNames),
		RunE: func(command *cobra.Command, args []string) error {
			if err := m.check(command, args[0]); err != nil {
				return err
			}
			return m.Run(command, func(q *query.Query) error { return m.run(q, args[0]) })
		},
	}
	m.Register(command)
	flags := command.Flags()
	flags.StringVar(&m.username, "username", "", "the username to take (default the name)")
	flags.StringVar(&m.walletName, "wallet", "", "the wallet that owns the account (default the one of that name, or a new one)")
	signing.RegisterKind(command, &m.kind)
	flags.Uint32Var(&m.units, "units", 1, "minimum units of storage, from the faucet")
	flags.StringVar(&m.claim, "claim", "", "file with a STORAGE_CLAIM message, as JSON or protobuf, instead of the faucet")
	flags.StringVar(&m.claimTx, "claim-tx", "", "transaction of the settlement chain that paid for storage, instead of the faucet; requires --genesis")
	command.MarkFlagsMutuallyExclusive("claim", "claim-tx")
	flags.BoolVar(&m.plain, "insecure-plaintext", false, "store a new wallet and its keys without encryption, for development chains")
	flags.DurationVar(&m.timeout, "timeout", submit.DefaultTimeout, "how long to wait for all steps")
	connection.CompleteLocalFlag(command, "wallet", (*identity.Store).WalletNames)
	m.passphrases.Register(flags)
	return command
}

// check refuses invalid names by the rules of messages, before files are written.
func (m *creator) check(command *cobra.Command, name string) error {
	if err := keystore.CheckName(name); err != nil {
		return usage.Errorf(command, "%w", err)
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
		return usage.Errorf(command, "%q cannot be a username: %s; choose one with --username", username, refusal.Reason)
	}
	return nil
}

func (m *creator) run(q *query.Query, name string) error {
	// Without a node nothing is written.
	status, err := client.Call(q.Context(), q.Client.GetNodeStatus, &pb.GetNodeStatusRequest{})
	if err != nil {
		return err
	}
	creation, err := m.prepare(q, name, status)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(q.Context(), m.timeout, submit.ErrTimeout)
	defer cancel()
	if err := creation.Run(ctx); err != nil {
		return submit.PrintRefusal(q, adviseCreation(name, err))
	}
	owner := creation.Account.Owner
	state, err := client.Call(q.Context(), q.Client.GetAccount, &pb.GetAccountRequest{OwnerAddress: owner[:]})
	if err != nil {
		return err
	}
	return q.Print(state, func(p *output.Printer) {
		p.Line("%s is on chain %s", term.Text(state.GetUsername()), term.Text(creation.Account.ChainID))
	})
}

// prepare reads or makes the wallet and the account's file, and unlocks the account's key.
func (m *creator) prepare(q *query.Query, name string, status *pb.GetNodeStatusResponse) (*identity.Creation, error) {
	store, err := q.ConfigDir().Store()
	if err != nil {
		return nil, err
	}
	account, err := store.Account(name)
	switch {
	case errors.Is(err, identity.ErrNoAccount):
		account, err = m.newAccount(q, store, name, status)
	case err == nil:
		err = m.resume(q, store, account, status)
	}
	if err != nil {
		return nil, err
	}
	signer, err := m.passphrases.Unlock(q.Command, "account "+name, account.Key)
	if err != nil {
		return nil, err
	}
	creation := &identity.Creation{
		Client: q.Client, Store: store, Account: account, Signer: signer, Username: m.username, Units: m.units, Now: time.Now,
		Unlock: func() (keystore.Key, error) {
			return m.passphrases.UnlockWallet(q.Command, q.ConfigDir(), account.Wallet)
		},
		Report: func(step identity.Step, text string) { note(q, string(step), text) },
	}
	switch {
	case m.claim != "":
		creation.Claim, err = readClaim(m.claim, account.Owner)
	case m.claimTx != "":
		creation.Claim, err = collectClaim(q, m.claimTx, account.Owner)
	}
	return creation, err
}

// newAccount makes a key for a new account, and its wallet unless that exists.
func (m *creator) newAccount(q *query.Query, store *identity.Store, name string, status *pb.GetNodeStatusResponse) (*identity.Account, error) {
	walletName, made, err := m.ensureWallet(q, store, name)
	if err != nil {
		return nil, err
	}
	container, err := signing.Wallet(q.ConfigDir(), walletName)
	if err != nil {
		return nil, err
	}
	// A new wallet is read back from its file before it is used on the chain.
	key, err := m.passphrases.UnlockWallet(q.Command, q.ConfigDir(), walletName)
	if err != nil {
		return nil, err
	}
	owner, err := key.Wallet()
	if err != nil {
		return nil, err
	}
	account := &identity.Account{
		Name: name, Owner: owner.KeyID(), Network: status.GetNetwork(), ChainID: status.GetChainId(), Wallet: walletName,
	}
	// The key is stored like the wallet: next to a wallet in plaintext, a passphrase would protect nothing.
	if account.Key, err = m.passphrases.NewKey(q.Command, "account "+name, !container.Encrypted()); err != nil {
		return nil, err
	}
	note(q, "wallet", fmt.Sprintf("%s, %s%s", walletName, account.Owner, made))
	return account, store.AddAccount(account)
}

// ensureWallet returns the name of the wallet of a new account: --wallet, or the account's name. A wallet of that name
// is made unless it exists; made is then text for the note about it.
func (m *creator) ensureWallet(q *query.Query, store *identity.Store, account string) (name, made string, err error) {
	if m.walletName != "" {
		return m.walletName, "", nil
	}
	if _, err := store.Wallet(account); !errors.Is(err, identity.ErrNoWallet) {
		return account, "", err
	}
	kind, err := signing.ParseKind(q.Command, m.kind)
	if err != nil {
		return "", "", err
	}
	key, err := keystore.Generate(kind)
	if err != nil {
		return "", "", err
	}
	container, err := m.passphrases.Seal(q.Command, "wallet "+account, key, keystore.Standard, m.plain)
	if err != nil {
		return "", "", err
	}
	return account, ", new", store.AddWallet(account, container)
}

// resume continues with an account whose file exists, possibly on another chain.
func (m *creator) resume(q *query.Query, store *identity.Store, account *identity.Account, status *pb.GetNodeStatusResponse) error {
	if m.walletName != "" && m.walletName != account.Wallet {
		err := fmt.Errorf("account %s belongs to wallet %s", account.Name, account.Wallet)
		return usage.Advise(err, "another name for an account of wallet %s", m.walletName)
	}
	note(q, "wallet", fmt.Sprintf("%s, %s", account.Wallet, account.Owner))
	if account.ChainID == status.GetChainId() && account.Network == status.GetNetwork() {
		return nil
	}
	note(q, "chain", fmt.Sprintf("%s instead of %s from now on", status.GetChainId(), account.ChainID))
	return store.SetChain(account, status.GetNetwork(), status.GetChainId())
}

// note prints a step when it is done; with --json to standard error.
func note(q *query.Query, step, text string) {
	out := q.Command.OutOrStdout()
	if q.JSON() {
		out = q.Command.ErrOrStderr()
	}
	_, _ = fmt.Fprintf(out, "%-8s  %s\n", step, term.Text(text)) // an error shows up when the result is printed
}

// adviseCreation adds how to continue after a creation that failed.
func adviseCreation(name string, err error) error {
	refused := (*client.RefusedError)(nil)
	switch {
	case errors.Is(err, identity.ErrNoFaucet):
		return usage.Advise(err, "makechain storage buy --owner %s --genesis <file> --rpc <URL>, which prints the payment for this account, then "+
			"makechain account create %s --claim-tx <transaction> --genesis <file>; "+
			"or --claim <file> with a claim", name, name)
	case errors.As(err, &refused) && refused.Code == message.CodeUsernameTaken:
		return usage.Advise(err, "makechain account create %s --username <another>", name)
	case errors.As(err, &refused) && refused.Code == message.CodeNoUsableStorage:
		return usage.Advise(err, "makechain account create %s --units 1", name)
	case errors.As(err, &refused), client.IsUnreachable(err):
		return err
	default:
		return usage.Advise(err, "makechain account create %s again; it continues where it stopped", name)
	}
}

// collectClaim collects the attestations of a payment for an account.
func collectClaim(q *query.Query, tx string, owner message.Address) (*pb.StorageClaimBody, error) {
	payment, err := query.ParsePayment(tx)
	if err != nil {
		return nil, usage.Errorf(q.Command, "--claim-tx: %w", err)
	}
	claimable, err := q.CollectClaim(payment)
	if err != nil {
		return nil, fmt.Errorf("--claim-tx: %w", err)
	}
	if claimable.Owner != owner {
		return nil, usage.Advise(fmt.Errorf("--claim-tx: %s paid for account %s, not for %s", tx, claimable.Owner, owner),
			"makechain storage claim %s, which claims it for that account", tx)
	}
	return claimable.Claim, nil
}

// readClaim reads a STORAGE_CLAIM message for an account from a file.
func readClaim(path string, owner message.Address) (*pb.StorageClaimBody, error) {
	content, err := input.ReadFile(path, keystore.MaxFile)
	if err != nil {
		return nil, fmt.Errorf("--claim: %w", err)
	}
	claim, err := input.DecodeMessage(content)
	if err != nil {
		return nil, fmt.Errorf("--claim: %s: %w", path, err)
	}
	body := claim.GetData().GetStorageClaim()
	if body == nil {
		return nil, fmt.Errorf("--claim: %s is not a STORAGE_CLAIM message", path)
	}
	if !bytes.Equal(claim.GetData().GetOwnerAddress(), owner[:]) {
		return nil, fmt.Errorf("--claim: %s is for account 0x%x, not for %s", path, claim.GetData().GetOwnerAddress(), owner)
	}
	return body, nil
}
