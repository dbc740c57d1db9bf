package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/history"
	"makechain/internal/term"
	"makechain/message"
)

// errEnough ends a walk that has shown as much as was asked for.
var errEnough = errors.New("enough")

// timeWidth is how wide a column of times is, so that lines need not wait for one another to be aligned.
const timeWidth = 14

func newCommitLogCommand() *cobra.Command {
	var r remote
	var limit int
	command := &cobra.Command{
		Use:   "log [<project>[@<ref or commit>]]",
		Short: "Show a commit and all that led to it, newest first",
		Long: `Show a commit and all that led to it, in the order of git log --author-date-order: no commit
before its children, and otherwise the one that was written last.

Without a project it is the one that the git repository around is pushed to, without a ref its main
branch. With --json it prints a commit a line.`,
		Example:           "  makechain commit log alice/hello --limit 10\n  makechain commit log alice/hello@v1.0 --full",
		Args:              arguments("[project]"),
		ValidArgsFunction: completing(placeNames),
		RunE: func(command *cobra.Command, args []string) error {
			if limit < 0 {
				return misused(command, "--limit: %d is not a number of commits", limit)
			}
			return r.reading(command, func(ctx context.Context, c *client.Client) error {
				project, tip, err := logPlace(ctx, command, c, args)
				if err != nil {
					return err
				}
				progress := term.StartProgress(command.ErrOrStderr(), "reading commits")
				graph, err := history.Read(ctx, c, project, tip, func(read int) { progress.Set(fmt.Sprintf("reading commits: %d", read), 0, 0) })
				progress.Stop()
				if err != nil {
					return err
				}
				return r.printLog(command, c, graph, limit)
			})
		},
	}
	r.register(command)
	command.Flags().IntVar(&limit, "limit", 0, "how many to show; 0 is all")
	return command
}

// logPlace finds the commit to begin with.
func logPlace(ctx context.Context, command *cobra.Command, c *client.Client, args []string) (project, tip message.Hash, err error) {
	var place string
	if len(args) > 0 {
		place = args[0]
	} else if place, err = rememberedProject(ctx, command); err != nil {
		return project, tip, err
	}
	project, name, err := projectAndRef(ctx, c, place)
	if err != nil {
		return project, tip, err
	}
	tip, err = c.Commit(ctx, project, name)
	return project, tip, err
}

// printLog prints commits one after another.
func (r *remote) printLog(command *cobra.Command, c *client.Client, graph *history.Graph, limit int) error {
	ctx, shown := command.Context(), 0
	names := newLabels(c, r.printer(command))
	err := graph.Walk(func(commit *pb.CommitMeta) error {
		if limit > 0 && shown == limit {
			return errEnough
		}
		shown++
		return r.print(command, commit, func(p *term.Printer) {
			p.Line("%s  %-*s  %s  %s", p.Style(term.Yellow, commitID(p, commit.GetHash())), timeWidth, p.Time(uint64(commit.GetAuthorTimestamp())),
				names.account(ctx, commit.GetAuthorAddress()), term.Text(commit.GetTitle()))
		})
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	if err != nil {
		return err
	}
	return noteGaps(command, graph)
}

// noteGaps says that the history goes on elsewhere.
func noteGaps(command *cobra.Command, graph *history.Graph) error {
	missing := graph.MissingParents()
	if missing == 0 {
		return nil
	}
	_, err := fmt.Fprintf(command.ErrOrStderr(), "note: %s not in this project: a fork begins with one commit, and what no ref reaches may be pruned\n",
		term.Count(uint64(missing), "parent"))
	return err
}
