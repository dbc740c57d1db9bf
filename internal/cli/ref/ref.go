// Package ref has the commands about the branches and tags of a project.
package ref

import (
	"context"
	"fmt"
	"strings"

	"connectrpc.com/connect"
	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/output"
	"makechain/internal/cli/proven"
	"makechain/internal/cli/query"
	"makechain/internal/cli/submit"
	"makechain/internal/cli/usage"
	"makechain/internal/gitid"
	"makechain/internal/gitrepo"
	"makechain/message"
)

// New returns the command ref.
func New() *cobra.Command {
	command := &cobra.Command{
		Use:     "ref",
		Short:   "List, update and delete branches and tags",
		Example: "  makechain ref list alice/hello\n  makechain ref log alice/hello@main",
	}
	command.AddCommand(newListCommand(), newUpdateCommand(), newDeleteCommand(), newLogCommand())
	return command
}

func newListCommand() *cobra.Command {
	return query.List(&cobra.Command{
		Use:               "list [project]",
		Short:             "List the branches and tags of a project",
		Example:           "  makechain ref list alice/hello\n  makechain ref list",
		Args:              usage.Args("[project]"),
		ValidArgsFunction: connection.Complete(connection.Projects),
	}, query.Listing[message.Hash, *pb.ListRefsResponse, *pb.GetRefResponse]{
		Resolve: query.Project,
		Fetch: func(ctx context.Context, c *client.Client, project message.Hash, limit uint32, cursor []byte) (*pb.ListRefsResponse, error) {
			return client.Call(ctx, proven.Service(ctx, c).ListRefs, &pb.ListRefsRequest{ProjectId: project[:], Limit: limit, Cursor: cursor})
		},
		Columns: []string{"REF", "TYPE", "COMMIT", "UPDATES", "TAG OBJECT"},
		Items:   (*pb.ListRefsResponse).GetRefs,
		Row: func(p *output.Printer, _ message.Hash, ref *pb.GetRefResponse) []string {
			return []string{
				output.Ref(ref.GetRefName()), output.Enum(ref.GetRefType(), "REF_TYPE_"), output.Commit(p.Printer, ref.GetHash()),
				output.Number(ref.GetNonce()), output.Commit(p.Printer, ref.GetTagObject()),
			}
		},
		Empty: "no branches or tags",
	})
}

func newUpdateCommand() *cobra.Command {
	var force, tag bool
	var tagObject string
	command := submit.Command(&cobra.Command{
		Use:   "update <project>@<ref> <commit>",
		Short: "Create or update a branch or tag",
		Long:  "The update applies to the current value of the ref: of two concurrent updates one is refused.",
		Example: `  makechain ref update alice/hello@stable 3fa9c1d2
  makechain ref update alice/hello@v1.0 main --tag
  makechain ref update alice/hello@v1.0 main --tag-object $(git rev-parse v1.0)`,
		Args:              usage.Args("a place: <project>@<ref>", "a commit"),
		ValidArgsFunction: connection.Complete(connection.Refs),
	}, func(q *query.Query, args []string) (*submit.Plan, error) {
		project, ref, err := resolve(q.Context(), q.Client, args[0])
		if err != nil {
			return nil, err
		}
		commit, err := q.Client.Commit(q.Context(), project, args[1])
		if err != nil {
			return nil, err
		}
		if ref.Nonce == 0 {
			ref.Name, ref.Type = newRef(ref.Name, tag || tagObject != "")
		}
		move := message.RefMove{Type: ref.Type, Old: ref.Hash, New: commit, Force: force, Nonce: ref.Nonce + 1}
		if tagObject != "" {
			if move.TagObject, err = gitid.Parse(tagObject); err != nil {
				return nil, usage.Errorf(q.Command, "--tag-object: %w", err)
			}
		}
		return &submit.Plan{
			Done:     fmt.Sprintf("%s is at %s", args[0], output.Commit(q.Printer().Printer, commit[:])),
			Messages: []*pb.MessageData{message.RefUpdate(project, ref.Name, move)},
			Floor:    ref.Floor,
		}, nil
	})
	command.Flags().BoolVar(&force, "force", false, "allow an update that is not a fast-forward")
	command.Flags().BoolVar(&tag, "tag", false, "create a tag, if the ref does not exist")
	command.Flags().StringVar(&tagObject, "tag-object", "", "git id of the annotated tag that points to the commit, for a tag")
	return command
}

// newRef returns the full name and the type of a ref that is created. A full name stays as it is.
func newRef(name string, tag bool) (string, pb.RefType) {
	if !strings.HasPrefix(name, "refs/") {
		prefix := gitrepo.BranchPrefix
		if tag {
			prefix = gitrepo.TagPrefix
		}
		name = prefix + name
	}
	if tag || strings.HasPrefix(name, gitrepo.TagPrefix) {
		return name, pb.RefType_REF_TYPE_TAG
	}
	return name, pb.RefType_REF_TYPE_BRANCH
}

func newDeleteCommand() *cobra.Command {
	return submit.Command(&cobra.Command{
		Use:               "delete <project>@<ref>",
		Short:             "Delete a branch or tag",
		Long:              `Its commits stay until the quota of the project is used up; then commits that no ref reaches are pruned first.`,
		Example:           "  makechain ref delete alice/hello@review",
		Args:              usage.Args("a place: <project>@<ref>"),
		ValidArgsFunction: connection.Complete(connection.Refs),
	}, func(q *query.Query, args []string) (*submit.Plan, error) {
		project, name, err := query.SplitRef(q.Context(), q.Client, args[0])
		if err != nil {
			return nil, err
		}
		ref, err := q.Client.Ref(q.Context(), project, name)
		if err != nil {
			return nil, err
		}
		return &submit.Plan{
			Done:     fmt.Sprintf("deleted %s, which was at %s", args[0], output.Commit(q.Printer().Printer, ref.Hash[:])),
			Messages: []*pb.MessageData{message.RefDelete(project, ref.Name, ref.Hash, ref.Nonce+1)},
			Floor:    ref.Floor,
		}, nil
	})
}

// loggedRef is a ref with a log.
type loggedRef struct {
	project message.Hash
	name    string
}

func newLogCommand() *cobra.Command {
	return query.List(&cobra.Command{
		Use:               "log <project>@<ref>",
		Short:             "Show the ref log of a branch or tag",
		Example:           "  makechain ref log alice/hello@main\n  makechain ref log alice/hello@main --all",
		Args:              usage.Args("a place: <project>@<ref>"),
		ValidArgsFunction: connection.Complete(connection.Refs),
	}, query.Listing[loggedRef, *pb.GetRefLogResponse, *pb.RefLogEntry]{
		Resolve: func(q *query.Query, args []string) (loggedRef, error) {
			return resolveLog(q.Context(), q.Client, args[0])
		},
		Fetch:   readLog,
		Columns: []string{"UPDATE", "FROM", "TO", "BY", "WHEN", "BLOCK", ""},
		Items:   (*pb.GetRefLogResponse).GetEntries,
		Row:     logRow,
		Empty:   "no updates",
	})
}

// resolveLog returns the ref that <project>@<ref> names. A deleted ref has no row any more, but still its log.
func resolveLog(ctx context.Context, c *client.Client, place string) (loggedRef, error) {
	project, ref, err := resolve(ctx, c, place)
	if err != nil {
		return loggedRef{}, err
	}
	if ref.Nonce > 0 {
		return loggedRef{project, ref.Name}, nil
	}
	names, err := client.RefCandidates(ref.Name)
	if err != nil {
		return loggedRef{}, err
	}
	for _, name := range names {
		deleted := loggedRef{project, name}
		if _, err := readLog(ctx, c, deleted, 1, nil); connect.CodeOf(err) != connect.CodeNotFound {
			return deleted, err
		}
	}
	return loggedRef{}, &client.NotFoundError{Kind: "ref", Name: ref.Name}
}

func readLog(ctx context.Context, c *client.Client, of loggedRef, limit uint32, cursor []byte) (*pb.GetRefLogResponse, error) {
	return client.Call(ctx, c.GetRefLog, &pb.GetRefLogRequest{
		ProjectId: of.project[:], RefName: []byte(of.name), Limit: limit, Cursor: cursor,
	})
}

func logRow(p *output.Printer, _ loggedRef, entry *pb.RefLogEntry) []string {
	note := ""
	switch {
	case len(entry.GetNewHash()) == 0:
		note = "deleted"
	case entry.GetForce():
		note = "forced"
	}
	return []string{
		output.Number(entry.GetNonce()), output.Commit(p.Printer, entry.GetOldHash()), output.Commit(p.Printer, entry.GetNewHash()),
		p.Account(entry.GetOwnerAddress()), p.Time(uint64(entry.GetTimestamp())), output.Number(entry.GetBlockNumber()), note,
	}
}

// resolve resolves <project>@<ref>. A ref that does not exist has the nonce 0 and the name as it was given.
func resolve(ctx context.Context, c *client.Client, place string) (message.Hash, *client.Ref, error) {
	project, name, err := query.SplitRef(ctx, c, place)
	if err != nil {
		return project, nil, err
	}
	ref, err := c.Ref(ctx, project, name)
	if query.IsNotFound(err) {
		return project, &client.Ref{Name: name}, nil
	}
	return project, ref, err
}
