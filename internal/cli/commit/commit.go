// Package commit has the commands about the commits of a project.
package commit

import (
	"context"
	"strings"

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

// New returns the command commit.
func New() *cobra.Command {
	command := &cobra.Command{
		Use:     "commit",
		Short:   "Show the commits of a project",
		Example: "  makechain commit log alice/hello@main\n  makechain commit show alice/hello@3fa9c1d2",
	}
	command.AddCommand(newListCommand(), newShowCommand(), newLogCommand())
	return command
}

func newListCommand() *cobra.Command {
	return query.List(&cobra.Command{
		Use:   "list [project]",
		Short: "List all commits of a project, sorted by id",
		Long: `List all commits of a project, sorted by id, including those that no ref reaches.

makechain commit log shows the history of a branch, newest first.`,
		Example:           "  makechain commit list alice/hello --limit 200",
		Args:              usage.Args("[project]"),
		ValidArgsFunction: connection.Complete(connection.Projects),
	}, query.Listing[message.Hash, *pb.ListCommitsResponse]{
		Resolve: query.Project,
		Fetch: func(ctx context.Context, c *client.Client, project message.Hash, limit uint32, cursor []byte) (*pb.ListCommitsResponse, error) {
			return client.Call(ctx, c.ListCommits, &pb.ListCommitsRequest{ProjectId: project[:], Limit: limit, Cursor: cursor})
		},
		Columns: []string{"COMMIT", "WRITTEN", "BY", "TITLE"},
		Rows: func(p *output.Printer, _ message.Hash, list *pb.ListCommitsResponse) [][]string {
			var rows [][]string
			for _, listed := range list.GetCommits() {
				commit := listed.GetCommit()
				rows = append(rows, []string{
					output.Commit(p.Printer, commit.GetHash()), p.Time(uint64(commit.GetAuthorTimestamp())),
					p.Account(commit.GetAuthorAddress()), term.Text(commit.GetTitle()),
				})
			}
			return rows
		},
		Empty: "no commits",
	})
}

// place is a commit of a project.
type place struct{ project, commit message.Hash }

func newShowCommand() *cobra.Command {
	return query.Show(&cobra.Command{
		Use:               "show <project>@<commit>",
		Short:             "Show a commit",
		Example:           "  makechain commit show alice/hello@main\n  makechain commit show alice/hello@3fa9c1d2 --full",
		Args:              usage.Args("a place: <project>@<commit>"),
		ValidArgsFunction: connection.Complete(connection.Refs),
	}, query.Showing[place, *pb.GetCommitResponse]{
		Resolve: func(q *query.Query, args []string) (at place, err error) {
			at.project, at.commit, err = q.Client.ProjectCommit(q.Context(), args[0])
			return at, err
		},
		Fetch: func(ctx context.Context, c *client.Client, at place) (*pb.GetCommitResponse, error) {
			return client.Call(ctx, c.GetCommit, &pb.GetCommitRequest{ProjectId: at.project[:], CommitHash: at.commit[:]})
		},
		Print: printCommit,
	})
}

func printCommit(p *output.Printer, answer *pb.GetCommitResponse) {
	commit := answer.GetCommit()
	var parents []string
	for _, parent := range commit.GetParents() {
		parents = append(parents, output.Commit(p.Printer, parent))
	}
	p.Facts(
		term.Fact{Label: "commit", Value: p.Style(term.Bold, output.Commit(p.Printer, commit.GetHash()))},
		term.Fact{Label: "title", Value: term.Text(commit.GetTitle())},
		term.Fact{Label: "pushed by", Value: p.Account(commit.GetAuthorAddress())},
		term.Fact{Label: "written", Value: p.Time(uint64(commit.GetAuthorTimestamp()))},
		term.Fact{Label: "parents", Value: term.Text(strings.Join(parents, " "))},
		term.Fact{Label: "tree", Value: output.Commit(p.Printer, commit.GetTreeRoot())},
		term.Fact{Label: "message hash", Value: p.ID(commit.GetMessageHash())},
		term.Fact{Label: "project", Value: p.Project(answer.GetProjectId())},
		term.Fact{Label: "content", Value: term.Text(answer.GetUrl())},
		term.Fact{Label: "content digest", Value: p.ID(answer.GetContentDigest())},
	)
}
