package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/identity"
	"makechain/internal/term"
	"makechain/message"
)

func newKeyCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "key",
		Short: "Say which keys may sign for an account",
		Long: `Say which keys may sign for an account.

A delegated key signs messages for one account. Its scope says which: an agent moves refs and
sends commits, and may be bound to single projects; signing is for everything that an account
does; owner is the highest, and allows the same. The account's wallet adds and removes keys.`,
		Example: "  makechain key list\n  makechain key add --scope agent --project alice/hello --save-as ci\n  makechain key remove 3f2a91c0",
	}
	command.AddCommand(newKeyListCommand(), newKeyAddCommand(), newKeyRemoveCommand())
	return command
}

// keyAdder has the flags of key add.
type keyAdder struct {
	keeper

	scope, saveAs, requester, requesterWallet string

	projects []string
}

func newKeyAddCommand() *cobra.Command {
	a := new(keyAdder)
	command := &cobra.Command{
		Use:   "add [public key]",
		Short: "Let another key sign for an account",
		Long: `Let another key sign for an account.

A public key of 64 hex digits belongs to somebody who keeps its secret elsewhere. Without one a
key is made and kept on this machine under the name of --save-as; --account then uses it.

A key that another account asked for carries that account's name: --requester says whose, and
a wallet of the requester signs as well.`,
		Example: "  makechain key add --scope agent --project alice/hello --save-as ci\n" +
			"  makechain key add 5d1f20cd4a1d3a0f3c0e5a5f6f7d8c9bb0a1928374655647382910abcdef0123 --scope signing",
		Args: arguments("[public key]"),
		RunE: func(command *cobra.Command, args []string) error { return a.run(command, args) },
	}
	a.register(command)
	flags := command.Flags()
	flags.StringVar(&a.scope, "scope", "signing", "owner, signing or agent")
	flags.StringArrayVar(&a.projects, "project", nil, "a project that an agent key may act on; can be repeated (default all)")
	flags.StringVar(&a.saveAs, "save-as", "", "make the key, and keep it as the local account of this name")
	flags.StringVar(&a.requester, "requester", "", "the account that asked for the key (default the account itself)")
	flags.StringVar(&a.requesterWallet, "requester-wallet", "", "the wallet that signs for the requester")
	completeFlag(command, "requester-wallet", (*identity.Store).WalletNames)
	mustComplete(command, "project", completing(projectNames, projectNames))
	completeWords(command, "scope", "owner", "signing", "agent")
	return command
}

// parseScope reads a scope by its name.
func parseScope(command *cobra.Command, name string) (pb.KeyScope, error) {
	scope, known := pb.KeyScope_value["KEY_SCOPE_"+strings.ToUpper(name)]
	if !known {
		return 0, misused(command, "--scope: %q is none of owner, signing and agent", name)
	}
	return pb.KeyScope(scope), nil
}

// scopeName is how people write a scope.
func scopeName(scope pb.KeyScope) string {
	return strings.ToLower(strings.TrimPrefix(scope.String(), "KEY_SCOPE_"))
}

func (a *keyAdder) run(command *cobra.Command, args []string) error {
	scope, err := parseScope(command, a.scope)
	switch {
	case err != nil:
		return err
	case scope != pb.KeyScope_KEY_SCOPE_AGENT && len(a.projects) > 0:
		return misused(command, "--project is for --scope agent: other keys act on every project")
	case (len(args) == 0) == (a.saveAs == ""):
		return misused(command, "want the public key, or --save-as to make one")
	case a.requester != "" && a.requesterWallet == "":
		return misused(command, "--requester needs --requester-wallet")
	}
	return a.manage(command, func(ctx context.Context, c *client.Client, m *managed) (*message.Envelope, string, error) {
		grant := message.SignerGrant{Scope: scope, Requester: m.account.Owner}
		if grant.AllowedProjects, err = projectsNamed(ctx, c, a.projects); err != nil {
			return nil, "", err
		}
		// The key comes first, so that it is sealed with the passphrase of the account's own wallet.
		if grant.Key, err = a.key(command, m, args); err != nil {
			return nil, "", err
		}
		asking, err := a.asking(command, c, m, &grant)
		if err != nil {
			return nil, "", err
		}
		made, err := m.author.SignerAdd(now(), grant, m.permit(), m.wallet, asking)
		return made, a.describe(&grant), err
	})
}

// describe is the sentence for when the key is added.
func (a *keyAdder) describe(grant *message.SignerGrant) string {
	done := fmt.Sprintf("key %s added with scope %s", shortID(grant.Key[:]), scopeName(grant.Scope))
	if a.saveAs != "" {
		done += ": use it by --account " + a.saveAs
	}
	return done
}

// shortID is an id as people write it.
func shortID(id []byte) string { return hex.EncodeToString(id)[:term.ShortDigits] }

func projectsNamed(ctx context.Context, c *client.Client, names []string) ([]message.Hash, error) {
	ids := make([]message.Hash, len(names))
	for i, name := range names {
		id, err := c.Project(ctx, name)
		if err != nil {
			return nil, err
		}
		ids[i] = id
	}
	return ids, nil
}

// asking is the wallet that signs for the account which asked for the key (P4.6).
func (a *keyAdder) asking(command *cobra.Command, c *client.Client, m *managed, grant *message.SignerGrant) (message.Wallet, error) {
	if a.requesterWallet == "" {
		return m.wallet, nil
	}
	key, err := a.unlockWallet(command, a.requesterWallet)
	if err != nil {
		return nil, err
	}
	wallet, err := key.Wallet()
	if err != nil {
		return nil, err
	}
	grant.Requester = wallet.KeyID()
	if a.requester != "" {
		if grant.Requester, err = a.accountNamed(command.Context(), c, []string{a.requester}); err != nil {
			return nil, err
		}
	}
	return identity.CustodySigner(key, grant.Requester)
}

// key is the one that was given, or a new one that is kept before the chain hears of it. A key that an earlier try
// left behind is used.
func (a *keyAdder) key(command *cobra.Command, m *managed, args []string) (message.PublicKey, error) {
	if len(args) == 1 {
		key, err := ident.ParsePublicKey(args[0])
		if err != nil {
			return key, misused(command, "%w", err)
		}
		return key, nil
	}
	store, err := a.store()
	if err != nil {
		return message.PublicKey{}, err
	}
	kept, err := store.Account(a.saveAs)
	switch {
	case err == nil && kept.Owner != m.account.Owner:
		return message.PublicKey{}, advise(fmt.Errorf("local account %s is of another owner", a.saveAs), "another --save-as")
	case err == nil:
		return kept.PublicKey(), nil
	case !errors.Is(err, identity.ErrNoAccount):
		return message.PublicKey{}, err
	}
	made := &identity.Account{
		Name: a.saveAs, Owner: m.account.Owner, Network: m.account.Network, ChainID: m.account.ChainID, Wallet: m.account.Wallet,
	}
	if made.Key, err = a.newKey(command, "account "+a.saveAs, m.plain); err != nil {
		return message.PublicKey{}, err
	}
	return made.PublicKey(), store.AddAccount(made)
}

func newKeyRemoveCommand() *cobra.Command {
	k := new(keeper)
	command := &cobra.Command{
		Use:     "remove <key>",
		Short:   "Take a key its right to sign for an account",
		Example: "  makechain key remove 3f2a91c0",
		Args:    arguments("<key>"),
		RunE: func(command *cobra.Command, args []string) error {
			return k.manage(command, func(ctx context.Context, c *client.Client, m *managed) (*message.Envelope, string, error) {
				key, err := c.DelegatedKey(ctx, m.account.Owner, args[0])
				if err != nil {
					return nil, "", err
				}
				made, err := m.author.SignerRemove(now(), key, m.permit(), m.wallet)
				return made, fmt.Sprintf("key %s removed", shortID(key[:])), err
			})
		},
	}
	k.register(command)
	return command
}

func newKeyListCommand() *cobra.Command {
	r, l := new(remote), new(listing)
	command := &cobra.Command{
		Use:     "list [account]",
		Short:   "List the keys that may sign for an account (yours if you name none)",
		Example: "  makechain key list\n  makechain key list alice --full",
		Args:    arguments("[account]"),

		ValidArgsFunction: completing(accountNames),
		RunE: func(command *cobra.Command, args []string) error {
			return r.reading(command, func(ctx context.Context, c *client.Client) error {
				owner, err := r.accountNamed(ctx, c, args)
				if err != nil {
					return err
				}
				list, err := collect(command, l, func(limit uint32, cursor []byte) (*pb.ListKeysResponse, error) {
					return client.Call(ctx, c.ListKeys, &pb.ListKeysRequest{OwnerAddress: owner[:], Limit: limit, Cursor: cursor})
				})
				if err != nil {
					return err
				}
				return r.print(command, list, func(p *term.Printer) { printKeys(p, owner, list) })
			})
		},
	}
	r.register(command)
	l.register(command.Flags())
	return command
}

func printKeys(p *term.Printer, owner message.Address, list *pb.ListKeysResponse) {
	table := p.Table("KEY", "SCOPE", "PROJECTS", "ADDED", "REQUESTED BY")
	for _, key := range list.GetKeys() {
		projects, requester := "all", "the account"
		if allowed := key.GetAllowedProjects(); len(allowed) > 0 {
			names := make([]string, len(allowed))
			for i, project := range allowed {
				names[i] = p.ID(project)
			}
			projects = strings.Join(names, " ")
		}
		if message.Address(key.GetRequestOwnerAddress()) != owner {
			requester = p.Address(key.GetRequestOwnerAddress())
		}
		table.Row(p.ID(key.GetKey()), scopeName(key.GetScope()), projects, p.Time(uint64(key.GetAddedAt())), requester)
	}
	table.Print("no keys: makechain key add, or makechain account create")
	printMore(p, list)
}
