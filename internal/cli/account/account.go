// Package account has the commands about accounts.
package account

import (
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
	"makechain/internal/identity"
	"makechain/internal/term"
	"makechain/message"
)

// New returns the command account.
func New() *cobra.Command {
	command := &cobra.Command{
		Use:   "account",
		Short: "Create, show and change accounts",
		Long: `An account is an address that a wallet owns. The key with which this machine signs for it is in
accounts/ of the configuration directory, under a local name of your choice.`,
		Example: "  makechain account create alice\n  makechain account show\n  makechain account set --bio \"I write compilers\"",
	}
	command.AddCommand(newCreateCommand(), newShowCommand(), newActivityCommand(), newSetCommand(), newListCommand(), newUseCommand())
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
			return client.Call(ctx, proven.Service(ctx, c).GetAccount, &pb.GetAccountRequest{OwnerAddress: owner[:]})
		},
		Print: printAccount,
	})
}

func newActivityCommand() *cobra.Command {
	return query.ListMessages(&cobra.Command{
		Use:               "activity [account]",
		Short:             "List the messages of an account, the newest first",
		Example:           "  makechain account activity\n  makechain account activity alice --type ref_update --all",
		Args:              usage.Args("[account]"),
		ValidArgsFunction: connection.Complete(connection.Accounts),
	}, query.Messages[message.Address, *pb.GetAccountActivityResponse]{
		Resolve: query.Account,
		Fetch: func(
			ctx context.Context, c *client.Client, owner message.Address, types []pb.MessageType, limit uint32, cursor []byte,
		) (*pb.GetAccountActivityResponse, error) {
			return client.Call(ctx, c.GetAccountActivity, &pb.GetAccountActivityRequest{
				OwnerAddress: owner[:], Types: types, Limit: limit, Cursor: cursor,
			})
		},
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
			return out.PrintValue(command, map[string]any{"accounts": accounts}, func(p *term.Printer) {
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

// field is a field of the profile, set by a flag.
type field struct {
	flag, help string
	field      pb.AccountDataType
	value      string
}

func newSetCommand() *cobra.Command {
	var flags submit.Flags
	var username string
	fields := []*field{
		{flag: "display-name", help: "name to show, at most 32 bytes", field: pb.AccountDataType_ACCOUNT_DATA_DISPLAY_NAME},
		{flag: "bio", help: "a few words about you", field: pb.AccountDataType_ACCOUNT_DATA_BIO},
		{flag: "avatar", help: "address of a picture", field: pb.AccountDataType_ACCOUNT_DATA_AVATAR},
		{flag: "website", help: "address of a web page", field: pb.AccountDataType_ACCOUNT_DATA_WEBSITE},
	}
	command := &cobra.Command{
		Use:     "set",
		Short:   "Change your profile or username",
		Long:    `An empty value clears a field. A username can be changed once in seven days.`,
		Example: "  makechain account set --display-name Alice --website https://alice.example\n  makechain account set --username alice-b",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			var changes []*pb.MessageData
			var changed []string
			for _, f := range fields {
				if command.Flags().Changed(f.flag) {
					changes, changed = append(changes, message.AccountData(f.field, f.value)), append(changed, f.flag)
				}
			}
			withUsername := command.Flags().Changed("username")
			if len(changes) == 0 && !withUsername {
				return usage.Errorf(command, "nothing to set: want --username, --display-name, --bio, --avatar or --website")
			}
			return flags.Run(command, func(q *query.Query) error {
				author, err := flags.Author(q)
				if err != nil {
					return err
				}
				if withUsername {
					change, err := usernameChange(q, author.Owner(), username)
					if err != nil {
						return err
					}
					changes, changed = append(changes, change), append(changed, "username")
				}
				return flags.Send(q, author, &submit.Plan{Done: strings.Join(changed, ", ") + " set", Messages: changes})
			})
		},
	}
	flags.Register(command)
	command.Flags().StringVar(&username, "username", "", "the username to take")
	for _, f := range fields {
		command.Flags().StringVar(&f.value, f.flag, "", f.help)
	}
	return command
}

// usernameChange returns the message that sets the first username of an account, or changes it.
func usernameChange(q *query.Query, owner message.Address, username string) (*pb.MessageData, error) {
	state, err := client.Call(q.Context(), q.Client.GetAccount, &pb.GetAccountRequest{OwnerAddress: owner[:]})
	if err != nil {
		return nil, err
	}
	if state.GetUsername() == "" {
		return message.UsernameCreate(username), nil
	}
	return message.UsernameUpdate(username), nil
}
