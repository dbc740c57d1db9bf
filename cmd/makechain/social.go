package main

import (
	"context"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/message"
)

// target is what a gesture is about.
type target struct {
	word     string
	example  string
	complete completer
}

// gesture is a command that says something about its target, or takes that back.
type gesture struct {
	name, short, done string
	target            target
	data              meaning
}

// newSocialCommands makes the commands by which people notice one another.
func newSocialCommands() []*cobra.Command {
	account := target{"account", "alice", accountNames}
	project := target{"project", "alice/hello", projectNames}
	commit := target{"project@commit", "alice/hello@main", placeNames}
	gestures := []gesture{
		{"follow", "Follow an account", "following", account, aboutAccount(message.Follow)},
		{"unfollow", "Stop following an account", "no longer following", account, aboutAccount(message.Unfollow)},
		{"star", "Star a project", "starred", project, aboutProject(message.Star)},
		{"unstar", "Take a star back", "no longer starred:", project, aboutProject(message.Unstar)},
		{"like", "Like a commit", "liked", commit, aboutCommit(message.Like)},
		{"unlike", "Take a like back", "no longer liked:", commit, aboutCommit(message.Unlike)},
	}
	commands := make([]*cobra.Command, len(gestures))
	for i, g := range gestures {
		commands[i] = g.command()
	}
	return commands
}

func (g gesture) command() *cobra.Command {
	var r remote
	command := &cobra.Command{
		Use:               g.name + " <" + g.target.word + ">",
		Short:             g.short,
		Example:           "  makechain " + g.name + " " + g.target.example,
		Args:              arguments("the " + g.target.word),
		ValidArgsFunction: completing(g.target.complete),
		RunE: func(command *cobra.Command, args []string) error {
			return r.acting(command, func(ctx context.Context, c *client.Client) (string, []*pb.MessageData, error) {
				data, err := g.data(ctx, c, args[0])
				return g.done + " " + args[0], []*pb.MessageData{data}, err
			})
		},
	}
	r.registerWriter(command)
	return command
}

// meaning finds what a name stands for and makes a message about it.
type meaning = func(context.Context, *client.Client, string) (*pb.MessageData, error)

func aboutAccount(say func(message.Address) *pb.MessageData) meaning {
	return func(ctx context.Context, c *client.Client, name string) (*pb.MessageData, error) {
		account, err := c.Account(ctx, name)
		return say(account), err
	}
}

func aboutProject(say func(message.Hash) *pb.MessageData) meaning {
	return func(ctx context.Context, c *client.Client, name string) (*pb.MessageData, error) {
		project, err := c.Project(ctx, name)
		return say(project), err
	}
}

func aboutCommit(say func(project, commit message.Hash) *pb.MessageData) meaning {
	return func(ctx context.Context, c *client.Client, name string) (*pb.MessageData, error) {
		project, commit, err := c.ProjectCommit(ctx, name)
		return say(project, commit), err
	}
}
