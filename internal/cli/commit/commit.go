// Package commit has the commands about the commits of a project.
package commit

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
	"makechain/internal/cli/query"
	"makechain/internal/cli/usage"
	"makechain/internal/history"
	"makechain/internal/limit"
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
		Long: `The list includes commits that no ref reaches. makechain commit log shows the history of a
branch, newest first.`,
		Example:           "  makechain commit list alice/hello --limit 200",
		Args:              usage.Args("[project]"),
		ValidArgsFunction: connection.Complete(connection.Projects),
	}, query.Listing[message.Hash, *pb.ListCommitsResponse, *pb.GetCommitResponse]{
		Resolve: query.Project,
		Fetch: func(ctx context.Context, c *client.Client, project message.Hash, limit uint32, cursor []byte) (*pb.ListCommitsResponse, error) {
			return client.Call(ctx, c.ListCommits, &pb.ListCommitsRequest{ProjectId: project[:], Limit: limit, Cursor: cursor})
		},
		Columns: []string{"COMMIT", "WRITTEN", "BY", "TITLE"},
		Items:   (*pb.ListCommitsResponse).GetCommits,
		Row: func(p *output.Printer, _ message.Hash, listed *pb.GetCommitResponse) []string {
			commit := listed.GetCommit()
			return []string{
				output.Commit(p.Printer, commit.GetHash()), p.Time(uint64(commit.GetAuthorTimestamp())),
				p.Account(commit.GetAuthorAddress()), term.Text(commit.GetTitle()),
			}
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
		term.Fact{Label: "author", Value: term.Text(commit.GetAuthorName())},
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

// errLimit ends a walk that has printed --limit commits.
var errLimit = errors.New("limit reached")

// Widths of columns, so that lines can be printed one by one.
const (
	timeWidth   = 14
	authorWidth = 16
)

func newLogCommand() *cobra.Command {
	var flags query.Flags
	var most int
	var noPager bool
	command := &cobra.Command{
		Use:   "log [<project>[@<ref or commit>]]",
		Short: "Show the history of a branch or commit, newest first",
		Long: `The order is that of git log --author-date-order: no commit before its children, otherwise the
newest first. The columns are the commit, when it was written, its author as git names them, the
account that pushed it, and the title. The author is what the commit claims; the account signed.

The default project is the one that the git repository in this directory is pushed to, and the
default ref is its main branch. The output on a terminal goes through $GIT_PAGER, $PAGER or less.
With --json it prints one commit per line.`,
		Example:           "  makechain commit log alice/hello --limit 10\n  makechain commit log alice/hello@v1.0 --full",
		Args:              usage.Args("[project]"),
		ValidArgsFunction: connection.Complete(connection.Refs),
		RunE: func(command *cobra.Command, args []string) error {
			if most < 0 {
				return usage.Errorf(command, "--limit: %d is not a number of commits", most)
			}
			pageSize := uint32(limit.MaxPage)
			if most > 0 {
				pageSize = uint32(min(most, limit.MaxPage))
			}
			return flags.Run(command, func(q *query.Query) error {
				project, tip, err := resolveTip(q, args)
				if err != nil {
					return err
				}
				graph, err := history.Read(q.Context(), q.Client, project, tip, pageSize)
				if err != nil {
					return err
				}
				through := ""
				if !noPager && !q.JSON() && term.IsTerminal(command.OutOrStdout()) {
					through = pager()
				}
				return paged(command, through, func() error { return printLog(q, graph, most) })
			})
		},
	}
	flags.Register(command)
	command.Flags().IntVarP(&most, "limit", "n", 0, "how many to show; 0 for all")
	command.Flags().BoolVar(&noPager, "no-pager", false, "print to the terminal without a pager")
	return command
}

// resolveTip returns the newest commit of the log.
func resolveTip(q *query.Query, args []string) (project, tip message.Hash, err error) {
	var place string
	if len(args) > 0 {
		place = args[0]
	} else if place, err = query.RepositoryProject(q.Context(), q.Command); err != nil {
		return project, tip, err
	}
	project, name, err := query.ProjectAndRef(q.Context(), q.Client, place)
	if err != nil {
		return project, tip, err
	}
	tip, err = q.Client.Commit(q.Context(), project, name)
	return project, tip, err
}

// printLog prints commits one by one, and notes parents that the project does not have.
func printLog(q *query.Query, graph *history.Graph, most int) error {
	shown, p := 0, q.Printer()
	err := graph.Walk(func(commit *pb.CommitMeta) error {
		if err := printLine(q, p, commit); err != nil {
			return err
		}
		if shown++; shown == most {
			return errLimit
		}
		return nil
	})
	if errors.Is(err, errLimit) {
		return nil
	}
	if missing := graph.MissingParents(); err == nil && missing > 0 {
		_, err = fmt.Fprintf(q.Command.ErrOrStderr(),
			"note: %s not in this project: a fork starts with one commit, and commits that no ref reaches may be pruned\n",
			term.Count(uint64(missing), "parent"))
	}
	return err
}

// printLine prints one commit of the log.
func printLine(q *query.Query, p *output.Printer, commit *pb.CommitMeta) error {
	if q.JSON() {
		return q.Print(commit, nil)
	}
	p.Line("%s  %-*s  %-*s  %s  %s", p.Style(term.Yellow, output.Commit(p.Printer, commit.GetHash())),
		timeWidth, p.Time(uint64(commit.GetAuthorTimestamp())), authorWidth, term.Text(commit.GetAuthorName()),
		p.Account(commit.GetAuthorAddress()), term.Text(commit.GetTitle()))
	return p.Err()
}
