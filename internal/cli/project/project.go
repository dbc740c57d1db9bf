// Package project has the commands about projects.
package project

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/output"
	"makechain/internal/cli/query"
	"makechain/internal/cli/usage"
	"makechain/internal/term"
	"makechain/message"
)

// New returns the command project.
func New() *cobra.Command {
	command := &cobra.Command{
		Use:     "project",
		Short:   "Create, find and change projects",
		Example: "  makechain project create hello\n  makechain project show alice/hello",
	}
	command.AddCommand(
		newCreateCommand(), newShowCommand(), newListCommand(), newSearchCommand(),
		newSetCommand(), newForkCommand(),
		newEndCommand(&cobra.Command{
			Use:     "archive <project>",
			Short:   "Archive a project: make it read-only permanently",
			Example: "  makechain project archive alice/hello --yes",
		}, "Archive", "archived", message.ProjectArchive),
		newEndCommand(&cobra.Command{
			Use:     "remove <project>",
			Short:   "Remove a project permanently",
			Example: "  makechain project remove alice/hello --yes",
		}, "Remove", "removed", message.ProjectRemove),
	)
	return command
}

func newShowCommand() *cobra.Command {
	return query.Show(&cobra.Command{
		Use:               "show <project>",
		Short:             "Show a project",
		Example:           "  makechain project show alice/hello\n  makechain project show 3fa9c1d2 --json",
		Args:              usage.Args("a project"),
		ValidArgsFunction: connection.Complete(connection.Projects),
	}, query.Showing[message.Hash, *pb.GetProjectResponse]{
		Resolve: query.Project,
		Fetch: func(ctx context.Context, c *client.Client, id message.Hash) (*pb.GetProjectResponse, error) {
			return client.Call(ctx, c.GetProject, &pb.GetProjectRequest{ProjectId: id[:]})
		},
		Print: printProject,
	})
}

func printProject(p *output.Printer, project *pb.GetProjectResponse) {
	facts := []term.Fact{
		{Label: "project", Value: p.Style(term.Bold, p.Account(project.GetOwnerAddress())+"/"+term.Text(project.GetName()))},
		{Label: "id", Value: p.ID(project.GetProjectId())},
		{Label: "description", Value: term.Text(project.GetDescription())},
		{Label: "license", Value: term.Text(project.GetLicense())},
		{Label: "visibility", Value: output.Enum(project.GetVisibility(), "VISIBILITY_")},
		{Label: "status", Value: term.Text(project.GetStatus())},
	}
	if source := project.GetForkSource(); len(source) > 0 {
		facts = append(facts, term.Fact{Label: "forked from", Value: p.Project(source)})
	}
	ofLimit := func(count, limit uint32) string { return fmt.Sprintf("%d of %d", count, limit) }
	p.Facts(append(facts,
		term.Fact{Label: "refs", Value: ofLimit(project.GetRefCount(), project.GetMaxRefs())},
		term.Fact{Label: "commits", Value: ofLimit(project.GetCommitCount(), project.GetMaxCommits())},
		term.Fact{Label: "collaborators", Value: ofLimit(project.GetCollaboratorCount(), project.GetMaxCollaborators())},
		term.Fact{Label: "merge requests", Value: output.Number(project.GetMergeRequestCount())},
	)...)
}

// fetcher reads a page of projects, of one owner or of all for a nil owner.
type fetcher = func(ctx context.Context, c *client.Client, owner []byte, limit uint32, cursor []byte) (*pb.ListProjectsResponse, error)

func newListCommand() *cobra.Command {
	return newProjectsCommand(&cobra.Command{
		Use:               "list [account]",
		Short:             "List all projects, or those of an account",
		Example:           "  makechain project list\n  makechain project list alice --all",
		Args:              usage.Args("[account]"),
		ValidArgsFunction: connection.Complete(connection.Accounts),
	}, func(q *query.Query, args []string) ([]byte, error) {
		if len(args) == 0 {
			return nil, nil
		}
		return query.AccountFilter(q.Context(), q.Client, args[0])
	}, func(ctx context.Context, c *client.Client, owner []byte, limit uint32, cursor []byte) (*pb.ListProjectsResponse, error) {
		return client.Call(ctx, c.ListProjects, &pb.ListProjectsRequest{Limit: limit, Cursor: cursor, OwnerAddress: owner})
	})
}

func newSearchCommand() *cobra.Command {
	var owner, prefix string
	command := newProjectsCommand(&cobra.Command{
		Use:     "search <prefix>",
		Short:   "Search projects by a prefix of their names",
		Example: "  makechain project search hel\n  makechain project search hel --owner alice",
		Args:    usage.Args("a prefix of a name"),
	}, func(q *query.Query, args []string) ([]byte, error) {
		prefix = args[0]
		return query.AccountFilter(q.Context(), q.Client, owner)
	}, func(ctx context.Context, c *client.Client, owner []byte, limit uint32, cursor []byte) (*pb.ListProjectsResponse, error) {
		return client.Call(ctx, c.SearchProjects, &pb.SearchProjectsRequest{Query: prefix, Limit: limit, Cursor: cursor, OwnerAddress: owner})
	})
	command.Flags().StringVar(&owner, "owner", "", "only those of this account")
	return command
}

// newProjectsCommand completes a command that prints projects.
func newProjectsCommand(command *cobra.Command, resolve func(*query.Query, []string) ([]byte, error), fetch fetcher) *cobra.Command {
	return query.List(command, query.Listing[[]byte, *pb.ListProjectsResponse, *pb.GetProjectResponse]{
		Resolve: resolve,
		Fetch:   fetch,
		Columns: []string{"PROJECT", "ID", "STATUS", "COMMITS", "DESCRIPTION"},
		Items:   (*pb.ListProjectsResponse).GetProjects,
		Row: func(p *output.Printer, _ []byte, project *pb.GetProjectResponse) []string {
			return []string{
				p.Account(project.GetOwnerAddress()) + "/" + term.Text(project.GetName()), p.ID(project.GetProjectId()),
				term.Text(project.GetStatus()), output.Number(project.GetCommitCount()), p.Clip(project.GetDescription()),
			}
		},
		Empty: "no projects",
	})
}
