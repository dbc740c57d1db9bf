package account

import (
	"strings"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/query"
	"makechain/internal/cli/submit"
	"makechain/internal/cli/usage"
	"makechain/message"
)

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
		Use:   "set",
		Short: "Change your profile or username",
		Long: `Change your profile or username.

An empty value clears a field. A username can be changed once in seven days.`,
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
