package main

import (
	"context"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/message"
)

// gesture is a command that says something about what it names, or takes that back.
type gesture struct {
	name, target, short, example string
	done                         string
	data                         func(ctx context.Context, c *client.Client, target string) (*pb.MessageData, error)
}

// newSocialCommands makes the commands by which people notice one another.
func newSocialCommands() []*cobra.Command {
	const account, project, commit = "account", "project", "project@commit"
	gestures := []gesture{
		{"follow", account, "Follow an account", "makechain follow alice", "following", aboutAccount(message.Follow)},
		{"unfollow", account, "Stop following an account", "makechain unfollow alice", "no longer following", aboutAccount(message.Unfollow)},
		{"star", project, "Star a project", "makechain star alice/hello", "starred", aboutProject(message.Star)},
		{"unstar", project, "Take a star back", "makechain unstar alice/hello", "no longer starred:", aboutProject(message.Unstar)},
		{"like", commit, "Like a commit", "makechain like alice/hello@main", "liked", aboutCommit(message.Like)},
		{"unlike", commit, "Take a like back", "makechain unlike alice/hello@main", "no longer liked:", aboutCommit(message.Unlike)},
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
		Use:               g.name + " <" + g.target + ">",
		Short:             g.short,
		Example:           "  " + g.example,
		Args:              arguments("the " + g.target),
		ValidArgsFunction: completeProjects,
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
		project, commit, err := c.Place(ctx, name)
		return say(project, commit), err
	}
}
