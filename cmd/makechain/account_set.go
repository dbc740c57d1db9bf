package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/message"
)

// profile is what account set can change.
type profile struct {
	remote

	username string
	fields   []profileField
}

// profileField is a flag and the field of the chain that it sets.
type profileField struct {
	flag  string
	field pb.AccountDataType
	value string
}

func newAccountSetCommand() *cobra.Command {
	s := &profile{fields: []profileField{
		{flag: "display-name", field: pb.AccountDataType_ACCOUNT_DATA_DISPLAY_NAME},
		{flag: "bio", field: pb.AccountDataType_ACCOUNT_DATA_BIO},
		{flag: "avatar", field: pb.AccountDataType_ACCOUNT_DATA_AVATAR},
		{flag: "website", field: pb.AccountDataType_ACCOUNT_DATA_WEBSITE},
	}}
	command := &cobra.Command{
		Use:   "set",
		Short: "Change your profile or username",
		Long: `Change your profile or username.

An empty value clears a field. A username can be changed once in seven days.`,
		Example: "  makechain account set --display-name Alice --website https://alice.example\n  makechain account set --username alice-b",
		Args:    cobra.NoArgs,
		RunE:    func(command *cobra.Command, _ []string) error { return s.run(command) },
	}
	s.registerWriter(command)
	flags := command.Flags()
	flags.StringVar(&s.username, "username", "", "the username to take")
	flags.StringVar(&s.fields[0].value, s.fields[0].flag, "", "name to show, at most 32 bytes")
	flags.StringVar(&s.fields[1].value, s.fields[1].flag, "", "a few words about you")
	flags.StringVar(&s.fields[2].value, s.fields[2].flag, "", "address of a picture")
	flags.StringVar(&s.fields[3].value, s.fields[3].flag, "", "address of a web page")
	return command
}

func (s *profile) run(command *cobra.Command) error {
	flags := command.Flags()
	var changes []*pb.MessageData
	var changed []string
	for _, field := range s.fields {
		if flags.Changed(field.flag) {
			changes, changed = append(changes, message.AccountData(field.field, field.value)), append(changed, field.flag)
		}
	}
	if len(changes) == 0 && !flags.Changed("username") {
		return misused(command, "nothing to set")
	}
	return s.reading(command, func(ctx context.Context, c *client.Client) error {
		author, err := s.author(command, c)
		if err != nil {
			return err
		}
		if flags.Changed("username") {
			change, err := usernameChange(ctx, c, author.Owner(), s.username)
			if err != nil {
				return err
			}
			changes, changed = append(changes, change), append(changed, "username")
		}
		return s.send(command, c, author, strings.Join(changed, ", ")+" set", changes...)
	})
}

// usernameChange takes a first username, or another one.
func usernameChange(ctx context.Context, c *client.Client, owner message.Address, username string) (*pb.MessageData, error) {
	state, err := client.Call(ctx, c.GetAccount, &pb.GetAccountRequest{OwnerAddress: owner[:]})
	if err != nil {
		return nil, err
	}
	if state.GetUsername() == "" {
		return message.UsernameCreate(username), nil
	}
	return message.UsernameUpdate(username), nil
}
