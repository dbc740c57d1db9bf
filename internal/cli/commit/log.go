package commit

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	pb "makechain/gen/makechain"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/output"
	"makechain/internal/cli/query"
	"makechain/internal/cli/usage"
	"makechain/internal/history"
	"makechain/internal/term"
	"makechain/message"
)

// errLimit ends a walk that has printed --limit commits.
var errLimit = errors.New("limit reached")

// timeWidth is the width of the column of times, so that lines can be printed one by one.
const timeWidth = 14

func newLogCommand() *cobra.Command {
	var flags query.Flags
	var limit int
	command := &cobra.Command{
		Use:   "log [<project>[@<ref or commit>]]",
		Short: "Show the history of a branch or commit, newest first",
		Long: `Show the history of a branch or commit in the order of git log --author-date-order: no commit
before its children, otherwise the newest first.

The default project is the one that the git repository in this directory is pushed to, and the
default ref is its main branch. With --json it prints one commit per line.`,
		Example:           "  makechain commit log alice/hello --limit 10\n  makechain commit log alice/hello@v1.0 --full",
		Args:              usage.Args("[project]"),
		ValidArgsFunction: connection.Complete(connection.Refs),
		RunE: func(command *cobra.Command, args []string) error {
			if limit < 0 {
				return usage.Errorf(command, "--limit: %d is not a number of commits", limit)
			}
			return flags.Run(command, func(q *query.Query) error {
				project, tip, err := resolveTip(q, args)
				if err != nil {
					return err
				}
				progress := term.StartProgress(command.ErrOrStderr(), "reading commits")
				graph, err := history.Read(q.Context(), q.Client, project, tip, func(read int) {
					progress.Set(fmt.Sprintf("reading commits: %d", read), 0, 0)
				})
				progress.Stop()
				if err != nil {
					return err
				}
				return printLog(q, graph, limit)
			})
		},
	}
	flags.Register(command)
	command.Flags().IntVar(&limit, "limit", 0, "how many to show; 0 for all")
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
func printLog(q *query.Query, graph *history.Graph, limit int) error {
	shown, p := 0, q.Printer()
	err := graph.Walk(func(commit *pb.CommitMeta) error {
		if limit > 0 && shown == limit {
			return errLimit
		}
		shown++
		if q.JSON() {
			return q.Print(commit, nil)
		}
		p.Line("%s  %-*s  %s  %s", p.Style(term.Yellow, output.Commit(p.Printer, commit.GetHash())), timeWidth,
			p.Time(uint64(commit.GetAuthorTimestamp())), p.Account(commit.GetAuthorAddress()), term.Text(commit.GetTitle()))
		return p.Err()
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
