// Package social has the commands follow, star and like, and those that undo them.
package social

import (
	"context"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/query"
	"makechain/internal/cli/submit"
	"makechain/internal/cli/usage"
	"makechain/message"
)

// target is the kind of thing that a command is about.
type target struct {
	name     string
	example  string
	complete connection.Completer
}

// builder resolves a name and builds a message about it.
type builder func(context.Context, *client.Client, string) (*pb.MessageData, error)

// New returns the commands.
func New() []*cobra.Command {
	account := target{"account", "alice", connection.Accounts}
	project := target{"project", "alice/hello", connection.Projects}
	commit := target{"project@commit", "alice/hello@main", connection.Refs}
	return []*cobra.Command{
		newCommand("follow", "Follow an account", "following", account, aboutAccount(message.Follow)),
		newCommand("unfollow", "Stop following an account", "no longer following", account, aboutAccount(message.Unfollow)),
		newCommand("star", "Star a project", "starred", project, aboutProject(message.Star)),
		newCommand("unstar", "Remove a star", "no longer starred:", project, aboutProject(message.Unstar)),
		newCommand("like", "Like a commit", "liked", commit, aboutCommit(message.Like)),
		newCommand("unlike", "Remove a like", "no longer liked:", commit, aboutCommit(message.Unlike)),
	}
}

func newCommand(name, short, done string, of target, build builder) *cobra.Command {
	return submit.Command(&cobra.Command{
		Use:               name + " <" + of.name + ">",
		Short:             short,
		Example:           "  makechain " + name + " " + of.example,
		Args:              usage.Args("the " + of.name),
		ValidArgsFunction: connection.Complete(of.complete),
	}, func(q *query.Query, args []string) (*submit.Plan, error) {
		data, err := build(q.Context(), q.Client, args[0])
		return &submit.Plan{Done: done + " " + args[0], Messages: []*pb.MessageData{data}}, err
	})
}

func aboutAccount(build func(message.Address) *pb.MessageData) builder {
	return func(ctx context.Context, c *client.Client, name string) (*pb.MessageData, error) {
		account, err := c.Account(ctx, name)
		return build(account), err
	}
}

func aboutProject(build func(message.Hash) *pb.MessageData) builder {
	return func(ctx context.Context, c *client.Client, name string) (*pb.MessageData, error) {
		project, err := c.Project(ctx, name)
		return build(project), err
	}
}

func aboutCommit(build func(project, commit message.Hash) *pb.MessageData) builder {
	return func(ctx context.Context, c *client.Client, name string) (*pb.MessageData, error) {
		project, commit, err := c.ProjectCommit(ctx, name)
		return build(project, commit), err
	}
}
