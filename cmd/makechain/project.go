package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/term"
	"makechain/message"
)

// statusRemoved is the status of a project that is no more.
const statusRemoved = "removed"

func newProjectCommand() *cobra.Command {
	command := &cobra.Command{
		Use:     "project",
		Short:   "Create, find and change projects",
		Example: "  makechain project create hello\n  makechain project show alice/hello",
	}
	command.AddCommand(
		newProjectCreateCommand(), newProjectShowCommand(), newProjectListCommand(), newProjectSearchCommand(),
		newProjectSetCommand(), newProjectForkCommand(), newProjectArchiveCommand(), newProjectRemoveCommand(),
	)
	return command
}

func newProjectCreateCommand() *cobra.Command {
	var r remote
	var description, license string
	var private bool
	command := &cobra.Command{
		Use:     "create <name>",
		Short:   "Create a project of your account",
		Example: "  makechain project create hello --description \"A first project\" --license MIT",
		Args:    arguments("a name: letters, digits and hyphens"),
		RunE: func(command *cobra.Command, args []string) error {
			return r.creating(command, args[0], message.ProjectCreate(args[0], visibility(private), description, license))
		},
	}
	r.registerWriter(command)
	flags := command.Flags()
	flags.StringVar(&description, "description", "", "what it is, up to 500 bytes")
	flags.StringVar(&license, "license", "", "its license, up to 100 bytes")
	flags.BoolVar(&private, "private", false, "mark it private: only collaborators may fork it and propose to it")
	return command
}

// creating sends a message that makes a project, and says what it is called.
func (r *remote) creating(command *cobra.Command, name string, data *pb.MessageData) error {
	return r.reading(command, func(ctx context.Context, c *client.Client) error {
		author, err := r.author(command, c)
		if err != nil {
			return err
		}
		receipts, err := r.submit(command, c, author, data)
		if err != nil {
			return err
		}
		p, owner := r.printer(command), author.Owner()
		done := fmt.Sprintf("created %s/%s %s", newLabels(c, p).account(ctx, owner[:]), name, p.ID(receipts[0].Hash[:]))
		return r.printReceipts(command, done, receipts)
	})
}

func visibility(private bool) pb.Visibility {
	if private {
		return pb.Visibility_VISIBILITY_PRIVATE
	}
	return pb.Visibility_VISIBILITY_PUBLIC
}

func newProjectShowCommand() *cobra.Command {
	var r remote
	command := &cobra.Command{
		Use:               "show <project>",
		Short:             "Show a project",
		Example:           "  makechain project show alice/hello\n  makechain project show 3fa9c1d2 --json",
		Args:              arguments("a project"),
		ValidArgsFunction: completing(projectNames),
		RunE: func(command *cobra.Command, args []string) error {
			return r.reading(command, func(ctx context.Context, c *client.Client) error {
				id, err := c.Project(ctx, args[0])
				if err != nil {
					return err
				}
				project, err := client.Call(ctx, c.GetProject, &pb.GetProjectRequest{ProjectId: id[:]})
				if err != nil {
					return err
				}
				return r.print(command, project, func(p *term.Printer) { printProject(ctx, p, newLabels(c, p), project) })
			})
		},
	}
	r.register(command)
	return command
}

func printProject(ctx context.Context, p *term.Printer, l *labels, project *pb.GetProjectResponse) {
	facts := []term.Fact{
		{Label: "project", Value: p.Style(term.Bold, l.account(ctx, project.GetOwnerAddress())+"/"+term.Text(project.GetName()))},
		{Label: "id", Value: p.ID(project.GetProjectId())},
		{Label: "description", Value: term.Text(project.GetDescription())},
		{Label: "license", Value: term.Text(project.GetLicense())},
		{Label: "visibility", Value: word(project.GetVisibility(), "VISIBILITY_")},
		{Label: "status", Value: term.Text(project.GetStatus())},
	}
	if source := project.GetForkSource(); len(source) > 0 {
		facts = append(facts, term.Fact{Label: "forked from", Value: l.project(ctx, source)})
	}
	p.Facts(append(facts,
		term.Fact{Label: "refs", Value: usedOf(project.GetRefCount(), project.GetMaxRefs())},
		term.Fact{Label: "commits", Value: usedOf(project.GetCommitCount(), project.GetMaxCommits())},
		term.Fact{Label: "collaborators", Value: usedOf(project.GetCollaboratorCount(), project.GetMaxCollaborators())},
		term.Fact{Label: "merge requests", Value: count(project.GetMergeRequestCount())},
	)...)
}

func count(n uint32) string { return strconv.FormatUint(uint64(n), 10) }

// usedOf says how much of a limit is used.
func usedOf(used, most uint32) string { return fmt.Sprintf("%d of %d", used, most) }

func newProjectListCommand() *cobra.Command {
	var r remote
	var l listing
	command := &cobra.Command{
		Use:     "list [account]",
		Short:   "List all projects, or those of an account",
		Example: "  makechain project list\n  makechain project list alice --all",
		Args:    arguments("[account]"),

		ValidArgsFunction: completing(accountNames),
		RunE: func(command *cobra.Command, args []string) error {
			return r.projects(command, &l, func(ctx context.Context, c *client.Client, limit uint32, cursor []byte) (*pb.ListProjectsResponse, error) {
				owner, err := optionalAccount(ctx, c, args)
				if err != nil {
					return nil, err
				}
				return client.Call(ctx, c.ListProjects, &pb.ListProjectsRequest{Limit: limit, Cursor: cursor, OwnerAddress: owner})
			})
		},
	}
	r.register(command)
	l.register(command.Flags())
	return command
}

// optionalAccount finds the account that is named, if one is.
func optionalAccount(ctx context.Context, c *client.Client, names []string) ([]byte, error) {
	if len(names) == 0 || names[0] == "" {
		return nil, nil
	}
	owner, err := c.Account(ctx, names[0])
	return owner[:], err
}

func newProjectSearchCommand() *cobra.Command {
	var r remote
	var l listing
	var owner string
	command := &cobra.Command{
		Use:     "search <beginning>",
		Short:   "Find projects by the beginning of their names",
		Example: "  makechain project search hel\n  makechain project search hel --owner alice",
		Args:    arguments("the beginning of a name"),
		RunE: func(command *cobra.Command, args []string) error {
			return r.projects(command, &l, func(ctx context.Context, c *client.Client, limit uint32, cursor []byte) (*pb.ListProjectsResponse, error) {
				address, err := optionalAccount(ctx, c, []string{owner})
				if err != nil {
					return nil, err
				}
				return client.Call(ctx, c.SearchProjects, &pb.SearchProjectsRequest{
					Query: args[0], Limit: limit, Cursor: cursor, OwnerAddress: address,
				})
			})
		},
	}
	r.register(command)
	l.register(command.Flags())
	command.Flags().StringVar(&owner, "owner", "", "only those of this account")
	return command
}

// projects prints a list of projects.
func (r *remote) projects(
	command *cobra.Command, l *listing,
	fetch func(ctx context.Context, c *client.Client, limit uint32, cursor []byte) (*pb.ListProjectsResponse, error),
) error {
	return r.reading(command, func(ctx context.Context, c *client.Client) error {
		list, err := collect(command, l, func(limit uint32, cursor []byte) (*pb.ListProjectsResponse, error) {
			return fetch(ctx, c, limit, cursor)
		})
		if err != nil {
			return err
		}
		return r.print(command, list, func(p *term.Printer) {
			names := newLabels(c, p)
			table := p.Table("PROJECT", "ID", "STATUS", "COMMITS", "DESCRIPTION")
			for _, project := range list.GetProjects() {
				name := names.account(ctx, project.GetOwnerAddress()) + "/" + term.Text(project.GetName())
				table.Row(name, p.ID(project.GetProjectId()), term.Text(project.GetStatus()), count(project.GetCommitCount()),
					p.Clip(project.GetDescription()))
			}
			table.Print("no projects")
			printMore(p, list)
		})
	})
}
