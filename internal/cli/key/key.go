// Package key has the commands about the delegated keys of an account.
package key

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/output"
	"makechain/internal/cli/proven"
	"makechain/internal/cli/query"
	"makechain/internal/cli/submit"
	"makechain/internal/cli/usage"
	"makechain/internal/ident"
	"makechain/internal/identity"
	"makechain/message"
)

const scopePrefix = "KEY_SCOPE_"

// New returns the command key.
func New() *cobra.Command {
	command := &cobra.Command{
		Use:   "key",
		Short: "Manage the keys that sign for an account",
		Long: `A delegated key signs messages for one account, within its scope: agent pushes commits and
updates refs, and can be limited to certain projects; signing allows everything that an account
does; owner is the highest scope, and allows the same. The account's wallet adds and revokes keys.`,
		Example: "  makechain key list\n  makechain key add --scope agent --project alice/hello --save-as ci\n  makechain key remove 3f2a91c0",
	}
	command.AddCommand(newListCommand(), newAddCommand(), newRemoveCommand())
	return command
}

// adder has the flags of key add.
type adder struct {
	submit.CustodyFlags

	scope, saveAs, requester, requesterWallet string

	projects []string
}

func newAddCommand() *cobra.Command {
	a := new(adder)
	command := &cobra.Command{
		Use:   "add [public key]",
		Short: "Add a key that signs for an account",
		Long: `A public key of 64 hex digits is one whose secret is elsewhere. Without a public key, a key is
created and stored on this machine under the name of --save-as, to be used with --account.

For a key that another account has requested, --requester names that account, whose wallet signs
the request (--requester-wallet).`,
		Example: "  makechain key add --scope agent --project alice/hello --save-as ci\n" +
			"  makechain key add 5d1f20cd4a1d3a0f3c0e5a5f6f7d8c9bb0a1928374655647382910abcdef0123 --scope signing",
		Args: usage.Args("[public key]"),
		RunE: a.run,
	}
	a.Register(command)
	flags := command.Flags()
	flags.StringVar(&a.scope, "scope", "signing", "owner, signing or agent")
	flags.StringArrayVar(&a.projects, "project", nil, "a project that an agent key may act on; can be repeated (default all)")
	flags.StringVar(&a.saveAs, "save-as", "", "create the key, and store it as a local account with this name")
	flags.StringVar(&a.requester, "requester", "", "the account that requested the key (default the account itself)")
	flags.StringVar(&a.requesterWallet, "requester-wallet", "", "the wallet that signs for the requester")
	connection.CompleteLocalFlag(command, "requester-wallet", (*identity.Store).WalletNames)
	usage.CompleteFlag(command, "project", connection.Complete(connection.Projects, connection.Projects))
	usage.CompleteValues(command, "scope", "owner", "signing", "agent")
	return command
}

func (a *adder) run(command *cobra.Command, args []string) error {
	number, known := pb.KeyScope_value[scopePrefix+strings.ToUpper(a.scope)]
	scope := pb.KeyScope(number)
	switch {
	case !known:
		return usage.Errorf(command, "--scope: %q is none of owner, signing and agent", a.scope)
	case scope != pb.KeyScope_KEY_SCOPE_AGENT && len(a.projects) > 0:
		return usage.Errorf(command, "--project is for --scope agent: other keys act on every project")
	case (len(args) == 0) == (a.saveAs == ""):
		return usage.Errorf(command, "want a public key, or --save-as to create one")
	case a.requester != "" && a.requesterWallet == "":
		return usage.Errorf(command, "--requester needs --requester-wallet")
	}
	return a.RunCustody(command, func(q *query.Query, of *submit.Custody) (*message.Envelope, string, error) {
		grant := message.SignerGrant{Scope: scope, Requester: of.Account.Owner}
		for _, name := range a.projects {
			project, err := q.Client.Project(q.Context(), name)
			if err != nil {
				return nil, "", err
			}
			grant.AllowedProjects = append(grant.AllowedProjects, project)
		}
		// The key comes first, so that it is sealed with the passphrase of the account's own wallet.
		var err error
		if grant.Key, err = a.key(q, of, args); err != nil {
			return nil, "", err
		}
		requester, err := a.requesterSigner(q, of, &grant)
		if err != nil {
			return nil, "", err
		}
		signed, err := of.Author.SignerAdd(submit.Now(), grant, of.Permit(), of.Wallet, requester)
		done := fmt.Sprintf("key %s added with scope %s", output.ShortID(grant.Key[:]), a.scope)
		if a.saveAs != "" {
			done += "; use it with --account " + a.saveAs
		}
		return signed, done, err
	})
}

// requesterSigner returns the wallet that signs for the account which requested the key (P4.6).
func (a *adder) requesterSigner(q *query.Query, of *submit.Custody, grant *message.SignerGrant) (message.Wallet, error) {
	if a.requesterWallet == "" {
		return of.Wallet, nil
	}
	key, err := a.Signing.UnlockWallet(q.Command, q.ConfigDir(), a.requesterWallet)
	if err != nil {
		return nil, err
	}
	wallet, err := key.Wallet()
	if err != nil {
		return nil, err
	}
	grant.Requester = wallet.KeyID()
	if a.requester != "" {
		if grant.Requester, err = query.Account(q, []string{a.requester}); err != nil {
			return nil, err
		}
	}
	return identity.CustodySigner(key, grant.Requester)
}

// key returns the key that was given, or a new one that is saved before it is submitted. A key that an earlier attempt
// has saved is used again.
func (a *adder) key(q *query.Query, of *submit.Custody, args []string) (message.PublicKey, error) {
	if len(args) == 1 {
		key, err := ident.ParsePublicKey(args[0])
		if err != nil {
			return key, usage.Errorf(q.Command, "%w", err)
		}
		return key, nil
	}
	store, err := q.ConfigDir().Store()
	if err != nil {
		return message.PublicKey{}, err
	}
	saved, err := store.Account(a.saveAs)
	switch {
	case err == nil && saved.Owner != of.Account.Owner:
		return message.PublicKey{}, usage.Advise(fmt.Errorf("local account %s belongs to another owner", a.saveAs), "another --save-as")
	case err == nil:
		return saved.PublicKey(), nil
	case !errors.Is(err, identity.ErrNoAccount):
		return message.PublicKey{}, err
	}
	made := &identity.Account{
		Name: a.saveAs, Owner: of.Account.Owner, Network: of.Account.Network, ChainID: of.Account.ChainID, Wallet: of.Account.Wallet,
	}
	if made.Key, err = a.Signing.NewKey(q.Command, "account "+a.saveAs, of.Plain); err != nil {
		return message.PublicKey{}, err
	}
	return made.PublicKey(), store.AddAccount(made)
}

func newRemoveCommand() *cobra.Command {
	return submit.CustodyCommand(&cobra.Command{
		Use:     "remove <key>",
		Short:   "Revoke a key",
		Example: "  makechain key remove 3f2a91c0",
		Args:    usage.Args("<key>"),
	}, func(q *query.Query, of *submit.Custody, args []string) (*message.Envelope, string, error) {
		key, err := q.Client.DelegatedKey(q.Context(), of.Account.Owner, args[0])
		if err != nil {
			return nil, "", err
		}
		signed, err := of.Author.SignerRemove(submit.Now(), key, of.Permit(), of.Wallet)
		return signed, fmt.Sprintf("key %s revoked", output.ShortID(key[:])), err
	})
}

func newListCommand() *cobra.Command {
	return query.List(&cobra.Command{
		Use:               "list [account]",
		Short:             "List the keys that sign for an account (default: yours)",
		Example:           "  makechain key list\n  makechain key list alice --full",
		Args:              usage.Args("[account]"),
		ValidArgsFunction: connection.Complete(connection.Accounts),
	}, query.Listing[message.Address, *pb.ListKeysResponse, *pb.GetKeyResponse]{
		Resolve: query.Account,
		Fetch: func(ctx context.Context, c *client.Client, owner message.Address, limit uint32, cursor []byte) (*pb.ListKeysResponse, error) {
			return client.Call(ctx, proven.Service(ctx, c).ListKeys, &pb.ListKeysRequest{OwnerAddress: owner[:], Limit: limit, Cursor: cursor})
		},
		Columns: []string{"KEY", "SCOPE", "PROJECTS", "ADDED", "REQUESTED BY"},
		Items:   (*pb.ListKeysResponse).GetKeys,
		Row: func(p *output.Printer, owner message.Address, key *pb.GetKeyResponse) []string {
			var projects []string
			for _, project := range key.GetAllowedProjects() {
				projects = append(projects, p.ID(project))
			}
			requester := "the account"
			if message.Address(key.GetRequestOwnerAddress()) != owner {
				requester = p.Address(key.GetRequestOwnerAddress())
			}
			return []string{
				p.ID(key.GetKey()), output.Enum(key.GetScope(), scopePrefix), cmp.Or(strings.Join(projects, " "), "all"),
				p.Time(uint64(key.GetAddedAt())), requester,
			}
		},
		Empty: "no keys: makechain key add, or makechain account create",
	})
}
