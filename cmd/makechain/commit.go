package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/term"
)

func newCommitCommand() *cobra.Command {
	command := &cobra.Command{
		Use:     "commit",
		Short:   "Read the commits of a project",
		Example: "  makechain commit log alice/hello@main\n  makechain commit show alice/hello@3fa9c1d2",
	}
	command.AddCommand(newCommitListCommand(), newCommitShowCommand(), newCommitLogCommand())
	return command
}

func newCommitListCommand() *cobra.Command {
	var r remote
	var l listing
	command := &cobra.Command{
		Use:   "list [project]",
		Short: "List all commits that a project keeps, in the order of their ids",
		Long: `List all commits that a project keeps, in the order of their ids, also those that no ref reaches.

makechain commit log shows what led to a branch, newest first.`,
		Example:           "  makechain commit list alice/hello --limit 200",
		Args:              arguments("[project]"),
		ValidArgsFunction: completing(projectNames),
		RunE: func(command *cobra.Command, args []string) error {
			return r.reading(command, func(ctx context.Context, c *client.Client) error {
				project, err := namedProject(ctx, command, c, args)
				if err != nil {
					return err
				}
				list, err := collect(command, &l, func(limit uint32, cursor []byte) (*pb.ListCommitsResponse, error) {
					return client.Call(ctx, c.ListCommits, &pb.ListCommitsRequest{ProjectId: project[:], Limit: limit, Cursor: cursor})
				})
				if err != nil {
					return err
				}
				return r.print(command, list, func(p *term.Printer) {
					names := newLabels(c, p)
					table := p.Table("COMMIT", "WRITTEN", "BY", "TITLE")
					for _, listed := range list.GetCommits() {
						commit := listed.GetCommit()
						table.Row(commitID(p, commit.GetHash()), p.Time(uint64(commit.GetAuthorTimestamp())),
							names.account(ctx, commit.GetAuthorAddress()), term.Text(commit.GetTitle()))
					}
					table.Print("no commits")
					printMore(p, list)
				})
			})
		},
	}
	r.register(command)
	l.register(command.Flags())
	return command
}

func newCommitShowCommand() *cobra.Command {
	var r remote
	command := &cobra.Command{
		Use:               "show <project>@<commit>",
		Short:             "Show what the chain keeps of a commit",
		Example:           "  makechain commit show alice/hello@main\n  makechain commit show alice/hello@3fa9c1d2 --full",
		Args:              arguments("a place: <project>@<commit>"),
		ValidArgsFunction: completing(placeNames),
		RunE: func(command *cobra.Command, args []string) error {
			return r.reading(command, func(ctx context.Context, c *client.Client) error {
				project, hash, err := c.ProjectCommit(ctx, args[0])
				if err != nil {
					return err
				}
				commit, err := client.Call(ctx, c.GetCommit, &pb.GetCommitRequest{ProjectId: project[:], CommitHash: hash[:]})
				if err != nil {
					return err
				}
				return r.print(command, commit, func(p *term.Printer) { printCommit(ctx, p, newLabels(c, p), commit) })
			})
		},
	}
	r.register(command)
	return command
}

func printCommit(ctx context.Context, p *term.Printer, l *labels, answer *pb.GetCommitResponse) {
	commit := answer.GetCommit()
	var parents []string
	for _, parent := range commit.GetParents() {
		parents = append(parents, commitID(p, parent))
	}
	p.Facts(
		term.Fact{Label: "commit", Value: p.Style(term.Bold, commitID(p, commit.GetHash()))},
		term.Fact{Label: "title", Value: term.Text(commit.GetTitle())},
		term.Fact{Label: "pushed by", Value: l.account(ctx, commit.GetAuthorAddress())},
		term.Fact{Label: "written", Value: p.Time(uint64(commit.GetAuthorTimestamp()))},
		term.Fact{Label: "parents", Value: term.Text(strings.Join(parents, " "))},
		term.Fact{Label: "tree", Value: commitID(p, commit.GetTreeRoot())},
		term.Fact{Label: "message hash", Value: p.ID(commit.GetMessageHash())},
		term.Fact{Label: "project", Value: l.project(ctx, answer.GetProjectId())},
		term.Fact{Label: "content", Value: term.Text(answer.GetUrl())},
		term.Fact{Label: "content digest", Value: p.ID(answer.GetContentDigest())},
	)
}
