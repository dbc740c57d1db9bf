// Package account has the commands about accounts.
package account

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/output"
	"makechain/internal/cli/query"
	"makechain/internal/cli/usage"
	"makechain/internal/identity"
	"makechain/internal/term"
	"makechain/message"
)

// New returns the command account.
func New() *cobra.Command {
	command := &cobra.Command{
		Use:   "account",
		Short: "Create, show and change accounts",
		Long: `Create, show and change accounts.

An account is an address that a wallet owns. The key with which this machine signs for it is in
accounts/ of the configuration directory, under a local name of your choice.`,
		Example: "  makechain account create alice\n  makechain account show\n  makechain account set --bio \"I write compilers\"",
	}
	command.AddCommand(newCreateCommand(), newShowCommand(), newSetCommand(), newListCommand(), newUseCommand())
	return command
}

func newShowCommand() *cobra.Command {
	return query.Show(&cobra.Command{
		Use:               "show [account]",
		Short:             "Show an account of the chain (default: yours)",
		Example:           "  makechain account show\n  makechain account show alice",
		Args:              usage.Args("[account]"),
		ValidArgsFunction: connection.Complete(connection.Accounts),
	}, query.Showing[message.Address, *pb.GetAccountResponse]{
		Resolve: query.Account,
		Fetch: func(ctx context.Context, c *client.Client, owner message.Address) (*pb.GetAccountResponse, error) {
			return client.Call(ctx, c.GetAccount, &pb.GetAccountRequest{OwnerAddress: owner[:]})
		},
		Print: printAccount,
	})
}

func printAccount(p *output.Printer, a *pb.GetAccountResponse) {
	ofLimit := func(count, limit uint32) string { return fmt.Sprintf("%d of %d", count, limit) }
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

// localAccount describes an account of this machine.
type localAccount struct {
	Name         string `json:"name"`
	OwnerAddress string `json:"owner_address"`
	Network      string `json:"network"`
	ChainID      string `json:"chain_id"`
	Wallet       string `json:"wallet"`
	Key          string `json:"key"`
	Default      bool   `json:"default"`
}

func newListCommand() *cobra.Command {
	var dir connection.ConfigDir
	var out output.Flags
	command := &cobra.Command{
		Use:     "list",
		Short:   "List the accounts of this machine",
		Example: "  makechain account list",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			store, err := dir.Store()
			if err != nil {
				return err
			}
			accounts, err := localAccounts(store)
			if err != nil {
				return err
			}
			answer := struct {
				Accounts []localAccount `json:"accounts"`
			}{accounts}
			return out.PrintValue(command, answer, func(p *term.Printer) {
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
		},
	}
	dir.Register(command.Flags())
	out.RegisterJSON(command.Flags())
	return command
}

func localAccounts(store *identity.Store) ([]localAccount, error) {
	names, err := store.AccountNames()
	if err != nil {
		return nil, err
	}
	chosen, err := store.Default()
	if err != nil && !errors.Is(err, identity.ErrNoDefault) {
		return nil, err
	}
	accounts := make([]localAccount, 0, len(names))
	for _, name := range names {
		account, err := store.Account(name)
		if err != nil {
			return nil, err
		}
		accounts = append(accounts, localAccount{
			Name: name, OwnerAddress: account.Owner.String(), Network: identity.NetworkName(account.Network), ChainID: account.ChainID,
			Wallet: account.Wallet, Key: account.PublicKey().String(), Default: name == chosen,
		})
	}
	return accounts, nil
}

func newUseCommand() *cobra.Command {
	var dir connection.ConfigDir
	command := &cobra.Command{
		Use:               "use <name>",
		Short:             "Set the default account",
		Example:           "  makechain account use alice",
		Args:              usage.Args("<name>"),
		ValidArgsFunction: connection.CompleteLocal((*identity.Store).AccountNames),
		RunE: func(command *cobra.Command, args []string) error {
			store, err := dir.Store()
			if err != nil {
				return err
			}
			if err := store.SetDefault(args[0]); errors.Is(err, identity.ErrNoAccount) {
				return usage.Advise(err, "makechain account list, or makechain account create %s", args[0])
			} else if err != nil {
				return err
			}
			_, err = fmt.Fprintf(command.OutOrStdout(), "account %s is the default; --account selects another\n", args[0])
			return err
		},
	}
	dir.Register(command.Flags())
	return command
}
