package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/term"
	"makechain/message"
)

func newRefCommand() *cobra.Command {
	command := &cobra.Command{
		Use:     "ref",
		Short:   "List branches and tags of a project, and move them",
		Example: "  makechain ref list alice/hello\n  makechain ref log alice/hello@main",
	}
	command.AddCommand(newRefListCommand(), newRefUpdateCommand(), newRefDeleteCommand(), newRefLogCommand())
	return command
}

func newRefListCommand() *cobra.Command {
	var r remote
	var l listing
	command := &cobra.Command{
		Use:               "list [project]",
		Short:             "List the branches and tags of a project",
		Example:           "  makechain ref list alice/hello\n  makechain ref list",
		Args:              arguments("[project]"),
		ValidArgsFunction: completing(projectNames),
		RunE: func(command *cobra.Command, args []string) error {
			return r.reading(command, func(ctx context.Context, c *client.Client) error {
				project, err := namedProject(ctx, command, c, args)
				if err != nil {
					return err
				}
				list, err := collect(command, &l, func(limit uint32, cursor []byte) (*pb.ListRefsResponse, error) {
					return client.Call(ctx, c.ListRefs, &pb.ListRefsRequest{ProjectId: project[:], Limit: limit, Cursor: cursor})
				})
				if err != nil {
					return err
				}
				return r.print(command, list, func(p *term.Printer) {
					table := p.Table("REF", "TYPE", "COMMIT", "MOVES")
					for _, ref := range list.GetRefs() {
						table.Row(refLabel(ref.GetRefName()), word(ref.GetRefType(), "REF_TYPE_"), commitID(p, ref.GetHash()), strconv.FormatUint(ref.GetNonce(), 10))
					}
					table.Print("no branches or tags")
					printMore(p, list)
				})
			})
		},
	}
	r.register(command)
	l.register(command.Flags())
	return command
}

func newRefUpdateCommand() *cobra.Command {
	var r remote
	var force, tag bool
	command := &cobra.Command{
		Use:   "update <project>@<ref> <commit>",
		Short: "Create a branch or tag, or move one, to a commit that the project has",
		Long: `Create a branch or tag, or move one, to a commit that the project has.

It moves from where it is now: if somebody else moves it at the same moment, one of the two is refused.`,
		Example: `  makechain ref update alice/hello@stable 3fa9c1d2
  makechain ref update alice/hello@v1.0 main --tag`,
		Args:              arguments("a place: <project>@<ref>", "a commit"),
		ValidArgsFunction: completing(placeNames),
		RunE: func(command *cobra.Command, args []string) error {
			return r.acting(command, func(ctx context.Context, c *client.Client) (string, []*pb.MessageData, error) {
				project, ref, err := placeOfRef(ctx, c, args[0])
				if err != nil {
					return "", nil, err
				}
				commit, err := c.Commit(ctx, project, args[1])
				if err != nil {
					return "", nil, err
				}
				if ref.Nonce == 0 && tag {
					ref.Name, ref.Type = newRefName(ref.Name, "refs/tags/"), pb.RefType_REF_TYPE_TAG
				} else if ref.Nonce == 0 {
					ref.Name = newRefName(ref.Name, "refs/heads/")
					ref.Type = refType(ref.Name)
				}
				move := message.RefMove{Type: ref.Type, Old: ref.Hash, New: commit, Force: force, Nonce: ref.Nonce + 1}
				done := fmt.Sprintf("%s is at %s", args[0], commitID(r.printer(command), commit[:]))
				return done, []*pb.MessageData{message.RefUpdate(project, ref.Name, move)}, nil
			})
		},
	}
	r.registerWriter(command)
	command.Flags().BoolVar(&force, "force", false, "move it backwards or sideways too")
	command.Flags().BoolVar(&tag, "tag", false, "make a tag, if there is no such ref yet")
	return command
}

func newRefDeleteCommand() *cobra.Command {
	var r remote
	command := &cobra.Command{
		Use:   "delete <project>@<ref>",
		Short: "Delete a branch or tag",
		Long: `Delete a branch or tag.

Its commits stay until the project has many others: those that no ref reaches are then pruned first.`,
		Example:           "  makechain ref delete alice/hello@review",
		Args:              arguments("a place: <project>@<ref>"),
		ValidArgsFunction: completing(placeNames),
		RunE: func(command *cobra.Command, args []string) error {
			return r.acting(command, func(ctx context.Context, c *client.Client) (string, []*pb.MessageData, error) {
				name, label, err := client.SplitRevision(args[0])
				if err != nil {
					return "", nil, err
				}
				project, err := c.Project(ctx, name)
				if err != nil {
					return "", nil, err
				}
				ref, err := c.Ref(ctx, project, label)
				if err != nil {
					return "", nil, err
				}
				done := fmt.Sprintf("deleted %s, which was at %s", args[0], commitID(r.printer(command), ref.Hash[:]))
				return done, []*pb.MessageData{message.RefDelete(project, ref.Name, ref.Hash, ref.Nonce+1)}, nil
			})
		},
	}
	r.registerWriter(command)
	return command
}

func newRefLogCommand() *cobra.Command {
	var r remote
	var limit uint32
	command := &cobra.Command{
		Use:               "log <project>@<ref>",
		Short:             "Show how a branch or tag moved, newest first",
		Example:           "  makechain ref log alice/hello@main",
		Args:              arguments("a place: <project>@<ref>"),
		ValidArgsFunction: completing(placeNames),
		RunE: func(command *cobra.Command, args []string) error {
			if limit < 1 || limit > maxPage {
				return misused(command, "--limit: %d is not between 1 and %d", limit, maxPage)
			}
			return r.reading(command, func(ctx context.Context, c *client.Client) error {
				log, err := refLog(ctx, c, args[0], limit)
				if err != nil {
					return err
				}
				return r.print(command, log, func(p *term.Printer) { printRefLog(ctx, p, newLabels(c, p), log) })
			})
		},
	}
	r.register(command)
	command.Flags().Uint32Var(&limit, "limit", 50, "how many moves to show, 1 to 200")
	return command
}

func printRefLog(ctx context.Context, p *term.Printer, l *labels, log *pb.GetRefLogResponse) {
	table := p.Table("MOVE", "FROM", "TO", "BY", "WHEN", "BLOCK", "")
	for _, entry := range log.GetEntries() {
		note := ""
		switch {
		case len(entry.GetNewHash()) == 0:
			note = "deleted"
		case entry.GetForce():
			note = "forced"
		}
		table.Row(strconv.FormatUint(entry.GetNonce(), 10), commitID(p, entry.GetOldHash()), commitID(p, entry.GetNewHash()),
			l.account(ctx, entry.GetOwnerAddress()), p.Time(uint64(entry.GetTimestamp())), strconv.FormatUint(entry.GetBlockNumber(), 10), note)
	}
	table.Print("it never moved")
}

// placeOfRef finds a ref, also one that is not there yet: it has the nonce 0.
func placeOfRef(ctx context.Context, c *client.Client, place string) (message.Hash, *client.Ref, error) {
	name, label, err := client.SplitRevision(place)
	if err != nil {
		return message.Hash{}, nil, err
	}
	project, err := c.Project(ctx, name)
	if err != nil {
		return message.Hash{}, nil, err
	}
	ref, err := c.Ref(ctx, project, label)
	if missing := (*client.NotFoundError)(nil); errors.As(err, &missing) {
		return project, &client.Ref{Name: label}, nil
	}
	return project, ref, err
}
