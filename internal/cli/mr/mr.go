// Package mr has the commands about merge requests.
package mr

import (
	"context"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/output"
	"makechain/internal/cli/proven"
	"makechain/internal/cli/query"
	"makechain/internal/cli/submit"
	"makechain/internal/cli/usage"
	"makechain/internal/term"
	"makechain/message"
)

// New returns the command mr.
func New() *cobra.Command {
	command := &cobra.Command{
		Use:     "mr",
		Aliases: []string{"merge-request"},
		Short:   "Open, show and close merge requests",
		Example: "  makechain mr open alice/hello@main --from bob/hello@fix --title \"Fix the greeting\"",
	}
	command.AddCommand(newOpenCommand(), newListCommand(), newShowCommand(), newCloseCommand())
	return command
}

func newOpenCommand() *cobra.Command {
	var from, title string
	command := submit.Command(&cobra.Command{
		Use:   "open <project>[@<branch>]",
		Short: "Open a merge request from a fork",
		Long:  "The default branch is main or master, or the only branch.",
		Example: `  makechain mr open alice/hello --from bob/hello@fix --title "Fix the greeting"
  makechain mr open alice/hello@next --from bob/hello --title "Try this"`,
		Args:              usage.Args("a project"),
		ValidArgsFunction: connection.Complete(connection.Refs),
	}, func(q *query.Query, args []string) (*submit.Plan, error) {
		if from == "" || title == "" {
			return nil, usage.Errorf(q.Command, "want --from and --title")
		}
		target, targetRef, err := resolveRef(q, args[0])
		if err != nil {
			return nil, err
		}
		source, sourceRef, err := resolveRef(q, from)
		if err != nil {
			return nil, err
		}
		return &submit.Plan{
			Done: "opened a merge request against " + args[0],
			Messages: []*pb.MessageData{message.MergeRequestAdd(target, message.MergeProposal{
				Source: source, SourceRef: sourceRef.Name, SourceCommit: sourceRef.Hash, TargetRef: targetRef.Name, Title: title,
			})},
		}, nil
	})
	command.Flags().StringVar(&from, "from", "", "the fork and its branch: bob/hello@fix")
	command.Flags().StringVar(&title, "title", "", "title, up to 200 bytes")
	return command
}

// resolveRef resolves <project>[@<branch>].
func resolveRef(q *query.Query, place string) (message.Hash, *client.Ref, error) {
	project, name, err := query.ProjectAndRef(q.Context(), q.Client, place)
	if err != nil {
		return project, nil, err
	}
	ref, err := q.Client.Ref(q.Context(), project, name)
	return project, ref, err
}

// filter selects merge requests: against a project, by an account, or both.
type filter struct{ project, requester []byte }

func newListCommand() *cobra.Command {
	var by string
	command := query.List(&cobra.Command{
		Use:               "list [project]",
		Short:             "List the open merge requests against a project, or by an account",
		Example:           "  makechain mr list alice/hello\n  makechain mr list --by bob",
		Args:              usage.Args("[project]"),
		ValidArgsFunction: connection.Complete(connection.Projects),
	}, query.Listing[filter, *pb.ListMergeRequestsResponse, *pb.MergeRequestSummary]{
		Resolve: func(q *query.Query, args []string) (selected filter, err error) {
			if len(args) == 0 && by == "" {
				return selected, usage.Errorf(q.Command, "want a project, --by an account, or both")
			}
			if selected.requester, err = query.AccountFilter(q.Context(), q.Client, by); err != nil || len(args) == 0 {
				return selected, err
			}
			project, err := q.Client.Project(q.Context(), args[0])
			selected.project = project[:]
			return selected, err
		},
		Fetch:   fetch,
		Columns: []string{"ID", "INTO", "FROM", "BY", "OPENED", "TITLE"},
		Items:   (*pb.ListMergeRequestsResponse).GetMergeRequests,
		Row: func(p *output.Printer, _ filter, request *pb.MergeRequestSummary) []string {
			return []string{
				p.ID(request.GetRequestId()), into(p, request), from(p, request), p.Account(request.GetRequesterOwnerAddress()),
				p.Time(uint64(request.GetAddedAt())), p.Clip(request.GetTitle()),
			}
		},
		Empty: "no merge requests",
	})
	command.Flags().StringVar(&by, "by", "", "only those of this account")
	return command
}

func fetch(ctx context.Context, c *client.Client, selected filter, limit uint32, cursor []byte) (*pb.ListMergeRequestsResponse, error) {
	if selected.project != nil {
		return client.Call(ctx, proven.Service(ctx, c).ListMergeRequests, &pb.ListMergeRequestsRequest{
			ProjectId: selected.project, RequesterOwnerAddress: selected.requester, Limit: limit, Cursor: cursor,
		})
	}
	list, err := client.Call(ctx, proven.Service(ctx, c).ListMergeRequestsByRequester, &pb.ListMergeRequestsByRequesterRequest{
		OwnerAddress: selected.requester, Limit: limit, Cursor: cursor,
	})
	return &pb.ListMergeRequestsResponse{MergeRequests: list.GetMergeRequests(), NextCursor: list.GetNextCursor()}, err
}

func into(p *output.Printer, request *pb.MergeRequestSummary) string {
	return p.Project(request.GetProjectId()) + "@" + output.Ref(request.GetTargetRef())
}

func from(p *output.Printer, request *pb.MergeRequestSummary) string {
	return p.Project(request.GetSourceProjectId()) + "@" + output.Ref(request.GetSourceRef())
}

// requestID identifies a merge request.
type requestID struct{ project, request message.Hash }

// resolve returns the merge request that <project> <id> names.
func resolve(q *query.Query, names []string) (id requestID, err error) {
	if id.project, err = q.Client.Project(q.Context(), names[0]); err != nil {
		return id, err
	}
	id.request, err = q.Client.MergeRequest(q.Context(), id.project, names[1])
	return id, err
}

func newShowCommand() *cobra.Command {
	return query.Show(&cobra.Command{
		Use:               "show <project> <id>",
		Short:             "Show an open merge request",
		Example:           "  makechain mr show alice/hello 3fa9c1d2",
		Args:              usage.Args("a project", "the id of a merge request"),
		ValidArgsFunction: connection.Complete(connection.Projects),
	}, query.Showing[requestID, *pb.GetMergeRequestResponse]{
		Resolve: resolve,
		Fetch: func(ctx context.Context, c *client.Client, id requestID) (*pb.GetMergeRequestResponse, error) {
			return client.Call(ctx, c.GetMergeRequest, &pb.GetMergeRequestRequest{ProjectId: id.project[:], RequestId: id.request[:]})
		},
		Print: func(p *output.Printer, answer *pb.GetMergeRequestResponse) {
			request := answer.GetMergeRequest()
			p.Facts(
				term.Fact{Label: "title", Value: p.Style(term.Bold, term.Text(request.GetTitle()))},
				term.Fact{Label: "id", Value: p.ID(request.GetRequestId())},
				term.Fact{Label: "into", Value: into(p, request)},
				term.Fact{Label: "from", Value: from(p, request)},
				term.Fact{Label: "commit", Value: p.ID(request.GetSourceCommitHash())},
				term.Fact{Label: "by", Value: p.Account(request.GetRequesterOwnerAddress())},
				term.Fact{Label: "opened", Value: p.Time(uint64(request.GetAddedAt()))},
			)
		},
	})
}

func newCloseCommand() *cobra.Command {
	return submit.Command(&cobra.Command{
		Use:               "close <project> <id>",
		Short:             "Close a merge request",
		Example:           "  makechain mr close alice/hello 3fa9c1d2",
		Args:              usage.Args("a project", "the id of a merge request"),
		ValidArgsFunction: connection.Complete(connection.Projects),
	}, func(q *query.Query, args []string) (*submit.Plan, error) {
		id, err := resolve(q, args)
		return &submit.Plan{
			Done: "closed " + args[1], Messages: []*pb.MessageData{message.MergeRequestRemove(id.project, id.request)},
		}, err
	})
}
