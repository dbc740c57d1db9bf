// Package project has the commands about projects.
package project

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/input"
	"makechain/internal/cli/output"
	"makechain/internal/cli/proven"
	"makechain/internal/cli/query"
	"makechain/internal/cli/submit"
	"makechain/internal/cli/usage"
	"makechain/internal/gitrepo"
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
		newCreateCommand(), newShowCommand(), newActivityCommand(), newListCommand(), newSearchCommand(), newForksCommand(),
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
			return client.Call(ctx, proven.Service(ctx, c).GetProject, &pb.GetProjectRequest{ProjectId: id[:]})
		},
		Print: printProject,
	})
}

func newActivityCommand() *cobra.Command {
	return query.ListMessages(&cobra.Command{
		Use:               "activity [project]",
		Short:             "List the messages about a project, the newest first",
		Example:           "  makechain project activity alice/hello\n  makechain project activity alice/hello --type ref_update --all",
		Args:              usage.Args("[project]"),
		ValidArgsFunction: connection.Complete(connection.Projects),
	}, query.Messages[message.Hash, *pb.GetProjectActivityResponse]{
		Resolve: query.Project,
		Fetch: func(
			ctx context.Context, c *client.Client, id message.Hash, types []pb.MessageType, limit uint32, cursor []byte,
		) (*pb.GetProjectActivityResponse, error) {
			return client.Call(ctx, c.GetProjectActivity, &pb.GetProjectActivityRequest{
				ProjectId: id[:], Types: types, Limit: limit, Cursor: cursor,
			})
		},
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
	if branch := project.GetDefaultBranch(); branch != "" {
		facts = append(facts, term.Fact{Label: "default branch", Value: output.Ref([]byte(branch))})
	}
	for _, url := range project.GetContentUrls() {
		facts = append(facts, term.Fact{Label: "content", Value: term.Text(url)})
	}
	ofLimit := func(count, limit uint32) string { return fmt.Sprintf("%d of %d", count, limit) }
	p.Facts(append(facts,
		term.Fact{Label: "refs", Value: ofLimit(project.GetRefCount(), project.GetMaxRefs())},
		term.Fact{Label: "commits", Value: ofLimit(project.GetCommitCount(), project.GetMaxCommits())},
		term.Fact{Label: "collaborators", Value: ofLimit(project.GetCollaboratorCount(), project.GetMaxCollaborators())},
		term.Fact{Label: "merge requests", Value: output.Number(project.GetMergeRequestCount())},
	)...)
}

// fetcher reads a page of projects: those of an owner, or the forks of a project. Nil means all.
type fetcher = func(ctx context.Context, c *client.Client, of []byte, limit uint32, cursor []byte) (*pb.ListProjectsResponse, error)

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

func newForksCommand() *cobra.Command {
	return newProjectsCommand(&cobra.Command{
		Use:               "forks [project]",
		Short:             "List the forks of a project",
		Example:           "  makechain project forks alice/hello --all",
		Args:              usage.Args("[project]"),
		ValidArgsFunction: connection.Complete(connection.Projects),
	}, func(q *query.Query, args []string) ([]byte, error) {
		id, err := query.Project(q, args)
		return id[:], err
	}, func(ctx context.Context, c *client.Client, id []byte, limit uint32, cursor []byte) (*pb.ListProjectsResponse, error) {
		return client.Call(ctx, c.ListForks, &pb.ListForksRequest{ProjectId: id, Limit: limit, Cursor: cursor})
	})
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

func newCreateCommand() *cobra.Command {
	var flags submit.Flags
	var description, license string
	var private bool
	command := &cobra.Command{
		Use:     "create <name>",
		Short:   "Create a project",
		Example: "  makechain project create hello --description \"A first project\" --license MIT",
		Args:    usage.Args("a name: letters, digits, hyphens, underscores and dots"),
		RunE: func(command *cobra.Command, args []string) error {
			return flags.Run(command, func(q *query.Query) error {
				return create(q, &flags, args[0], message.ProjectCreate(args[0], visibility(private), description, license))
			})
		},
	}
	flags.Register(command)
	command.Flags().StringVar(&description, "description", "", "description, up to 500 bytes")
	command.Flags().StringVar(&license, "license", "", "license, up to 100 bytes")
	command.Flags().BoolVar(&private, "private", false, "mark it private: only collaborators may fork it and open merge requests")
	return command
}

// create submits a message that creates a project, and prints the name and id of the project.
func create(q *query.Query, flags *submit.Flags, name string, data *pb.MessageData) error {
	author, err := flags.Author(q)
	if err != nil {
		return err
	}
	receipts, err := flags.Submit(q, author, data)
	if err != nil {
		return err
	}
	p, owner := q.Printer(), author.Owner()
	done := fmt.Sprintf("created %s/%s %s", p.Account(owner[:]), name, p.ID(receipts[0].Hash[:]))
	return submit.PrintReceipts(q, done, receipts)
}

func visibility(private bool) pb.Visibility {
	if private {
		return pb.Visibility_VISIBILITY_PRIVATE
	}
	return pb.Visibility_VISIBILITY_PUBLIC
}

// field is a field of a project, set by a flag.
type field struct {
	flag, help string
	field      pb.ProjectMetadataType
	value      string
	// values is set for a flag that can be repeated. Each value is a line of the field.
	values []string
}

// text returns the value of the field.
func (f *field) text() string {
	switch f.field {
	case pb.ProjectMetadataType_PROJECT_METADATA_CONTENT:
		return strings.Join(f.values, "\n")
	case pb.ProjectMetadataType_PROJECT_METADATA_DEFAULT_BRANCH:
		if f.value != "" && !strings.HasPrefix(f.value, "refs/") {
			return gitrepo.BranchPrefix + f.value
		}
	}
	return f.value
}

func newSetCommand() *cobra.Command {
	fields := []*field{
		{flag: "name", help: "new name; requires permission admin", field: pb.ProjectMetadataType_PROJECT_METADATA_NAME},
		{flag: "description", help: "description, up to 500 bytes", field: pb.ProjectMetadataType_PROJECT_METADATA_DESCRIPTION},
		{flag: "license", help: "license, up to 100 bytes", field: pb.ProjectMetadataType_PROJECT_METADATA_LICENSE},
		{flag: "visibility", help: "public or private; requires permission admin", field: pb.ProjectMetadataType_PROJECT_METADATA_VISIBILITY},
		{flag: "default-branch", help: "branch that a clone checks out; empty for none", field: pb.ProjectMetadataType_PROJECT_METADATA_DEFAULT_BRANCH},
	}
	stores := &field{flag: "content-url", field: pb.ProjectMetadataType_PROJECT_METADATA_CONTENT}
	command := submit.Command(&cobra.Command{
		Use:   "set <project>",
		Short: "Change the name, description, license, visibility, default branch or stores of a project",
		Example: "  makechain project set alice/hello --description \"Says hello\"\n" +
			"  makechain project set alice/hello --default-branch trunk --content-url https://example.org",
		Args:              usage.Args("a project"),
		ValidArgsFunction: connection.Complete(connection.Projects),
	}, func(q *query.Query, args []string) (*submit.Plan, error) {
		changed := slices.DeleteFunc(append(slices.Clone(fields), stores), func(f *field) bool { return !q.Command.Flags().Changed(f.flag) })
		if len(changed) == 0 {
			return nil, usage.Errorf(q.Command, "nothing to change: want --name, --description, --license, --visibility, --default-branch or --content-url")
		}
		plan := &submit.Plan{Done: "changed " + args[0]}
		id, err := q.Client.Project(q.Context(), args[0])
		for _, f := range changed {
			plan.Messages = append(plan.Messages, message.ProjectMetadata(id, f.field, f.text()))
		}
		return plan, err
	})
	for _, f := range fields {
		command.Flags().StringVar(&f.value, f.flag, "", f.help)
	}
	command.Flags().StringArrayVar(&stores.values, stores.flag, nil,
		"base URL of a content store, up to 8 times; replaces the present ones, empty for none; requires permission admin")
	return command
}

// newEndCommand completes a command that ends a project after a confirmation.
func newEndCommand(command *cobra.Command, verb, done string, end func(message.Hash) *pb.MessageData) *cobra.Command {
	var yes bool
	command.Args = usage.Args("a project")
	command.ValidArgsFunction = connection.Complete(connection.Projects)
	submit.Command(command, func(q *query.Query, args []string) (*submit.Plan, error) {
		id, err := q.Client.Project(q.Context(), args[0])
		if err != nil {
			return nil, err
		}
		err = input.Confirm(q.Command, yes, "%s %s (%s)? This cannot be undone.", verb, args[0], id)
		return &submit.Plan{Done: done + " " + args[0], Messages: []*pb.MessageData{end(id)}}, err
	})
	command.Flags().BoolVar(&yes, "yes", false, "do not ask for confirmation")
	return command
}
