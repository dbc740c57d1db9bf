package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/identity"
	"makechain/internal/term"
	"makechain/message"
)

func newAccountCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "account",
		Short: "Put accounts on the chain, and look at them",
		Long: `Put accounts on the chain, and look at them.

An account is an address that a wallet owns. What this machine needs to act for it lies in
accounts/ of the configuration directory, under a name of your choice.`,
		Example: "  makechain account create alice\n  makechain account show\n  makechain account set --bio \"I write compilers\"",
	}
	command.AddCommand(newAccountCreateCommand(), newAccountShowCommand(), newAccountSetCommand(), newAccountListCommand(), newAccountUseCommand())
	return command
}

func newAccountShowCommand() *cobra.Command {
	r := new(remote)
	command := &cobra.Command{
		Use:     "show [account]",
		Short:   "Show an account of the chain (yours if you name none)",
		Example: "  makechain account show\n  makechain account show alice",
		Args:    arguments("[account]"),

		ValidArgsFunction: completing(accountNames),
		RunE: func(command *cobra.Command, args []string) error {
			return r.reading(command, func(ctx context.Context, c *client.Client) error {
				owner, err := r.accountNamed(ctx, c, args)
				if err != nil {
					return err
				}
				state, err := client.Call(ctx, c.GetAccount, &pb.GetAccountRequest{OwnerAddress: owner[:]})
				if err != nil {
					return err
				}
				return r.print(command, state, func(p *term.Printer) { printAccount(p, state) })
			})
		},
	}
	r.register(command)
	return command
}

// accountNamed finds the account that an argument names: on the chain, else on this machine, where an account may not
// have its username yet. Without an argument it is one's own.
func (r *remote) accountNamed(ctx context.Context, c *client.Client, args []string) (message.Address, error) {
	if len(args) == 0 {
		account, err := r.localAccount()
		if err != nil {
			return message.Address{}, err
		}
		return account.Owner, nil
	}
	owner, err := c.Account(ctx, args[0])
	if missing := (*client.NotFoundError)(nil); !errors.As(err, &missing) {
		return owner, err
	}
	store, opened := r.store()
	if opened != nil {
		return owner, err
	}
	if account, found := store.Account(args[0]); found == nil {
		return account.Owner, nil
	}
	return owner, err
}

func printAccount(p *term.Printer, a *pb.GetAccountResponse) {
	p.Facts(
		term.Fact{Label: "username", Value: term.Text(a.GetUsername())},
		term.Fact{Label: "address", Value: message.Address(a.GetOwnerAddress()).String()},
		term.Fact{Label: "display name", Value: term.Text(a.GetDisplayName())},
		term.Fact{Label: "bio", Value: term.Text(a.GetBio())},
		term.Fact{Label: "website", Value: term.Text(a.GetWebsite())},
		term.Fact{Label: "avatar", Value: term.Text(a.GetAvatar())},
		term.Fact{Label: "storage", Value: term.Count(uint64(a.GetStorageUnits()), "unit")},
		term.Fact{Label: "projects", Value: ofLimit(a.GetProjectCount(), a.GetMaxProjects())},
		term.Fact{Label: "links", Value: ofLimit(a.GetLinkCount(), a.GetMaxLinks())},
		term.Fact{Label: "reactions", Value: ofLimit(a.GetReactionCount(), a.GetMaxReactions())},
		term.Fact{Label: "verifications", Value: ofLimit(a.GetVerificationCount(), a.GetMaxVerifications())},
		term.Fact{Label: "keys", Value: fmt.Sprintf("%d delegated, %d custody and the root", a.GetKeyCount(), len(a.GetCustodyKeys()))},
	)
}

func ofLimit(count, limit uint32) string { return fmt.Sprintf("%d of %d", count, limit) }

func newAccountListCommand() *cobra.Command {
	o := new(offline)
	command := &cobra.Command{
		Use:     "list",
		Short:   "List the accounts of this machine",
		Example: "  makechain account list",
		Args:    cobra.NoArgs,
		RunE:    func(command *cobra.Command, _ []string) error { return o.listAccounts(command) },
	}
	o.register(command)
	return command
}

// accountInfo is what this machine knows of an account.
type accountInfo struct {
	Name         string `json:"name"`
	OwnerAddress string `json:"owner_address"`
	Network      string `json:"network"`
	ChainID      string `json:"chain_id"`
	Wallet       string `json:"wallet"`
	Key          string `json:"key"`
	Default      bool   `json:"default"`
}

func (o *offline) listAccounts(command *cobra.Command) error {
	store, err := o.store()
	if err != nil {
		return err
	}
	accounts, err := describeAccounts(store)
	if err != nil {
		return err
	}
	answer := struct {
		Accounts []accountInfo `json:"accounts"`
	}{accounts}
	return o.print(command, answer, func(p *term.Printer) {
		table := p.Table("", "NAME", "ADDRESS", "NETWORK", "CHAIN", "WALLET", "KEY")
		for _, a := range accounts {
			mark := ""
			if a.Default {
				mark = "*"
			}
			table.Row(mark, a.Name, a.OwnerAddress, a.Network, term.Text(a.ChainID), term.Text(a.Wallet), a.Key[:term.ShortDigits])
		}
		table.Print("no accounts yet: makechain account create <name>")
	})
}

func describeAccounts(store *identity.Store) ([]accountInfo, error) {
	names, err := store.AccountNames()
	if err != nil {
		return nil, err
	}
	chosen, err := store.Default()
	if err != nil && !errors.Is(err, identity.ErrNoDefault) {
		return nil, err
	}
	accounts := make([]accountInfo, 0, len(names))
	for _, name := range names {
		account, err := store.Account(name)
		if err != nil {
			return nil, err
		}
		accounts = append(accounts, accountInfo{
			Name: name, OwnerAddress: account.Owner.String(), Network: identity.NetworkName(account.Network), ChainID: account.ChainID,
			Wallet: account.Wallet, Key: account.PublicKey().String(), Default: name == chosen,
		})
	}
	return accounts, nil
}

func newAccountUseCommand() *cobra.Command {
	o := new(offline)
	command := &cobra.Command{
		Use:     "use <name>",
		Short:   "Choose the account that commands use when none is named",
		Example: "  makechain account use alice",
		Args:    arguments("<name>"),

		ValidArgsFunction: completeAccounts,
		RunE: func(command *cobra.Command, args []string) error {
			store, err := o.store()
			if err != nil {
				return err
			}
			if err := store.SetDefault(args[0]); errors.Is(err, identity.ErrNoAccount) {
				return advise(err, "makechain account list, or makechain account create %s", args[0])
			} else if err != nil {
				return err
			}
			_, err = fmt.Fprintf(command.OutOrStdout(), "commands use account %s unless --account says another\n", args[0])
			return err
		},
	}
	o.local.register(command.Flags())
	return command
}
