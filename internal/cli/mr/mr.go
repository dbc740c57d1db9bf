// Package mr has the commands about merge requests.
package mr

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/output"
	"makechain/internal/cli/proven"
	"makechain/internal/cli/query"
	"makechain/internal/cli/usage"
	"makechain/internal/ident"
	"makechain/internal/term"
	"makechain/message"
)

// New returns the command mr.
func New() *cobra.Command {
	command := &cobra.Command{
		Use:     "mr",
		Aliases: []string{"merge-request"},
		Short:   "Open, review, merge and close merge requests",
		Long: `A merge request asks to merge a branch of a fork into a project. The project can be left out in a git
repository that is pushed to it or to a fork of it. There are no review comments: discuss elsewhere.`,
		Example: `  makechain mr open alice/hello@main --from bob/hello@fix --title "Fix the greeting"
  makechain mr diff 3fa9c1d2
  makechain mr merge 3fa9c1d2`,
	}
	command.AddCommand(newOpenCommand(), newListCommand(), newShowCommand(), newUpdateCommand(), newCloseCommand(),
		newDiffCommand(), newCheckoutCommand(), newMergeCommand())
	return command
}

// filter selects merge requests: against a project, by an account, or both.
type filter struct {
	project, requester []byte
	closed             bool
}

func newListCommand() *cobra.Command {
	var by string
	var closed bool
	command := query.List(&cobra.Command{
		Use:   "list [project]",
		Short: "List the merge requests against a project, or by an account",
		Long: `Lists open merge requests, and with --closed those that are closed after them. The default is the project
of the git repository in this directory.`,
		Example:           "  makechain mr list alice/hello\n  makechain mr list --closed\n  makechain mr list --by bob",
		Args:              usage.Args("[project]"),
		ValidArgsFunction: connection.Complete(connection.Projects),
	}, query.Listing[filter, *pb.ListMergeRequestsResponse, *pb.MergeRequestSummary]{
		Resolve: func(q *query.Query, args []string) (selected filter, err error) {
			selected.closed = closed
			if selected.requester, err = query.AccountFilter(q.Context(), q.Client, by); err != nil || len(args) == 0 && by != "" {
				return selected, err
			}
			project, err := query.Project(q, args)
			selected.project = project[:]
			return selected, err
		},
		Fetch:   fetchList,
		Columns: []string{"ID", "INTO", "FROM", "BY", "OPENED", "STATE", "TITLE"},
		Items:   (*pb.ListMergeRequestsResponse).GetMergeRequests,
		Row: func(p *output.Printer, _ filter, request *pb.MergeRequestSummary) []string {
			return []string{
				p.ID(request.GetRequestId()), into(p, request), from(p, request), p.Account(request.GetRequesterOwnerAddress()),
				p.Time(uint64(request.GetAddedAt())), state(request), p.Clip(request.GetTitle()),
			}
		},
		Empty: "no merge requests",
	})
	command.Flags().StringVar(&by, "by", "", "only those of this account")
	command.Flags().BoolVar(&closed, "closed", false, "list closed ones, too")
	return command
}

// fetchList reads a page. The closed requests of an account are the node's word: no proof covers a list of them.
func fetchList(ctx context.Context, c *client.Client, selected filter, limit uint32, cursor []byte) (*pb.ListMergeRequestsResponse, error) {
	if selected.project != nil {
		return client.Call(ctx, proven.Service(ctx, c).ListMergeRequests, &pb.ListMergeRequestsRequest{
			ProjectId: selected.project, RequesterOwnerAddress: selected.requester, Limit: limit, Cursor: cursor, IncludeClosed: selected.closed,
		})
	}
	request := &pb.ListMergeRequestsByRequesterRequest{
		OwnerAddress: selected.requester, Limit: limit, Cursor: cursor, IncludeClosed: selected.closed,
	}
	read := proven.Service(ctx, c).ListMergeRequestsByRequester
	if selected.closed {
		read = c.ListMergeRequestsByRequester
	}
	list, err := client.Call(ctx, read, request)
	return &pb.ListMergeRequestsResponse{MergeRequests: list.GetMergeRequests(), NextCursor: list.GetNextCursor()}, err
}

func into(p *output.Printer, request *pb.MergeRequestSummary) string {
	return p.Project(request.GetProjectId()) + "@" + output.Ref(request.GetTargetRef())
}

func from(p *output.Printer, request *pb.MergeRequestSummary) string {
	return p.Project(request.GetSourceProjectId()) + "@" + output.Ref(request.GetSourceRef())
}

// state returns the outcome of a merge request, or that it is open.
func state(request *pb.MergeRequestSummary) string {
	if isOpen(request) {
		return "open"
	}
	return output.Enum(request.GetOutcome(), "MERGE_REQUEST_OUTCOME_")
}

func isOpen(request *pb.MergeRequestSummary) bool {
	return request.GetOutcome() == pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_UNSPECIFIED
}

// requestID identifies a merge request.
type requestID struct{ project, request message.Hash }

// resolve returns the open merge request that [<project>] <id> names. Without a project it is one of the project of the git
// repository, or of the project that this was forked from.
func resolve(q *query.Query, args []string) (requestID, error) {
	return resolveIn(q, args, q.Client.MergeRequest)
}

// resolveAny returns the merge request, open or closed, that [<project>] <id> names.
func resolveAny(q *query.Query, args []string) (requestID, error) {
	return resolveIn(q, args, q.Client.AnyMergeRequest)
}

func resolveIn(
	q *query.Query, args []string, find func(ctx context.Context, project message.Hash, name string) (message.Hash, error),
) (id requestID, err error) {
	last := len(args) - 1
	if id.project, err = query.Project(q, args[:last]); err != nil {
		return id, err
	}
	id.request, err = find(q.Context(), id.project, args[last])
	if last > 0 || !query.IsNotFound(err) {
		return id, err
	}
	// The requester works in a clone of the fork, and the request is for the project that was forked.
	fork, failed := client.Call(q.Context(), proven.Service(q.Context(), q.Client).GetProject, &pb.GetProjectRequest{ProjectId: id.project[:]})
	parent, isFork := ident.HashFrom(fork.GetForkSource())
	if failed != nil || !isFork {
		return id, err
	}
	if request, failed := find(q.Context(), parent, args[last]); failed == nil {
		return requestID{parent, request}, nil
	}
	return id, err
}

// requestArgs checks the arguments [<project>] <id>.
func requestArgs(command *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return usage.Errorf(command, "missing the id of a merge request")
	case 1, 2:
		return nil
	default:
		return usage.Errorf(command, "want a project and the id of a merge request, not %d arguments", len(args))
	}
}

// requireOne checks that at most one of some flags is given.
func requireOne(command *cobra.Command, flags ...string) error {
	given := slices.DeleteFunc(flags, func(name string) bool { return !command.Flags().Changed(name) })
	if len(given) > 1 {
		return usage.Errorf(command, "want --%s or --%s, not both", given[0], given[1])
	}
	return nil
}

// get reads a merge request from verified rows.
func get(ctx context.Context, c *client.Client, id requestID) (*pb.GetMergeRequestResponse, error) {
	return client.Call(ctx, proven.Service(ctx, c).GetMergeRequest, &pb.GetMergeRequestRequest{
		ProjectId: id.project[:], RequestId: id.request[:], IncludeClosed: true,
	})
}

func newShowCommand() *cobra.Command {
	return query.Show(&cobra.Command{
		Use:               "show [<project>] <id>",
		Short:             "Show a merge request, open or closed",
		Example:           "  makechain mr show alice/hello 3fa9c1d2",
		Args:              requestArgs,
		ValidArgsFunction: connection.Complete(connection.Projects),
	}, query.Showing[requestID, *pb.GetMergeRequestResponse]{
		Resolve: resolveAny,
		Fetch:   get,
		Print: func(p *output.Printer, answer *pb.GetMergeRequestResponse) {
			request := answer.GetMergeRequest()
			facts := []term.Fact{
				{Label: "title", Value: p.Style(term.Bold, term.Text(request.GetTitle()))},
				{Label: "id", Value: p.ID(request.GetRequestId())},
				{Label: "state", Value: state(request)},
				{Label: "into", Value: into(p, request)},
				{Label: "from", Value: from(p, request)},
				{Label: "commit", Value: output.Commit(p.Printer, request.GetSourceCommitHash())},
				{Label: "by", Value: p.Account(request.GetRequesterOwnerAddress())},
				{Label: "opened", Value: p.Time(uint64(request.GetAddedAt()))},
			}
			if !isOpen(request) {
				facts = append(facts,
					term.Fact{Label: "closed", Value: p.Time(uint64(request.GetClosedAt()))},
					term.Fact{Label: "closed by", Value: p.Account(request.GetCloserOwnerAddress())})
			}
			for _, link := range []struct {
				label string
				id    []byte
			}{{"merged as", request.GetMergeCommit()}, {"replaces", request.GetReplaces()}, {"replaced by", request.GetReplacedBy()}} {
				if len(link.id) > 0 {
					facts = append(facts, term.Fact{Label: link.label, Value: p.ID(link.id)})
				}
			}
			fetch := fmt.Sprintf("git fetch makechain://%s %s", p.Project(request.GetSourceProjectId()), term.Text(string(request.GetSourceRef())))
			p.Facts(append(facts, term.Fact{Label: "fetch", Value: fetch})...)
		},
	})
}
