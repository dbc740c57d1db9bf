package main

import (
	"context"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/term"
	"makechain/message"
)

func newMergeRequestCommand() *cobra.Command {
	command := &cobra.Command{
		Use:     "mr",
		Aliases: []string{"merge-request"},
		Short:   "Propose changes to a project, and close proposals",
		Example: "  makechain mr open alice/hello@main --from bob/hello@fix --title \"Fix the greeting\"",
	}
	command.AddCommand(newMergeRequestOpenCommand(), newMergeRequestListCommand(), newMergeRequestShowCommand(), newMergeRequestCloseCommand())
	return command
}

func newMergeRequestOpenCommand() *cobra.Command {
	var r remote
	var from, title string
	command := &cobra.Command{
		Use:   "open <project>[@<branch>]",
		Short: "Propose a branch of a fork to the project it comes from",
		Long: `Propose a branch of a fork to the project it comes from.

Where a branch is left out it is main or master, or the only one there is.`,
		Example: `  makechain mr open alice/hello --from bob/hello@fix --title "Fix the greeting"
  makechain mr open alice/hello@next --from bob/hello --title "Try this"`,
		Args:              arguments("a project"),
		ValidArgsFunction: completing(placeNames),
		RunE: func(command *cobra.Command, args []string) error {
			if from == "" || title == "" {
				return misused(command, "want --from and --title")
			}
			return r.acting(command, func(ctx context.Context, c *client.Client) (string, []*pb.MessageData, error) {
				target, targetRef, err := projectAndFullRef(ctx, c, args[0])
				if err != nil {
					return "", nil, err
				}
				source, sourceRef, err := projectAndFullRef(ctx, c, from)
				if err != nil {
					return "", nil, err
				}
				return "opened a merge request against " + args[0], []*pb.MessageData{message.MergeRequestAdd(target, message.MergeProposal{
					Source: source, SourceRef: sourceRef.Name, SourceCommit: sourceRef.Hash, TargetRef: targetRef.Name, Title: title,
				})}, nil
			})
		},
	}
	r.registerWriter(command)
	command.Flags().StringVar(&from, "from", "", "the fork and its branch: bob/hello@fix")
	command.Flags().StringVar(&title, "title", "", "what it is about, up to 200 bytes")
	return command
}

// projectAndFullRef finds a project and a ref of it, which may be left out.
func projectAndFullRef(ctx context.Context, c *client.Client, place string) (message.Hash, *client.Ref, error) {
	project, name, err := projectAndRef(ctx, c, place)
	if err != nil {
		return project, nil, err
	}
	ref, err := c.Ref(ctx, project, name)
	return project, ref, err
}

func newMergeRequestListCommand() *cobra.Command {
	var r remote
	var l listing
	var by string
	command := &cobra.Command{
		Use:               "list [project]",
		Short:             "List the open merge requests against a project, or by an account",
		Example:           "  makechain mr list alice/hello\n  makechain mr list --by bob",
		Args:              arguments("[project]"),
		ValidArgsFunction: completing(projectNames),
		RunE: func(command *cobra.Command, args []string) error {
			if len(args) == 0 && by == "" {
				return misused(command, "want a project, --by an account, or both")
			}
			return r.reading(command, func(ctx context.Context, c *client.Client) error {
				requester, err := optionalAccount(ctx, c, []string{by})
				if err != nil {
					return err
				}
				if len(args) == 0 {
					return r.mergeRequestsBy(command, c, &l, requester)
				}
				return r.mergeRequestsOf(command, c, &l, args[0], requester)
			})
		},
	}
	r.register(command)
	l.register(command.Flags())
	command.Flags().StringVar(&by, "by", "", "only those of this account")
	return command
}

// mergeRequestsOf prints the merge requests against a project, perhaps of one requester alone.
func (r *remote) mergeRequestsOf(command *cobra.Command, c *client.Client, l *listing, name string, requester []byte) error {
	ctx := command.Context()
	project, err := c.Project(ctx, name)
	if err != nil {
		return err
	}
	list, err := collect(command, l, func(limit uint32, cursor []byte) (*pb.ListMergeRequestsResponse, error) {
		return client.Call(ctx, c.ListMergeRequests, &pb.ListMergeRequestsRequest{
			ProjectId: project[:], RequesterOwnerAddress: requester, Limit: limit, Cursor: cursor,
		})
	})
	if err != nil {
		return err
	}
	return r.print(command, list, func(p *term.Printer) { printMergeRequests(ctx, p, newLabels(c, p), list) })
}

// mergeRequestsBy prints the merge requests of a requester.
func (r *remote) mergeRequestsBy(command *cobra.Command, c *client.Client, l *listing, requester []byte) error {
	ctx := command.Context()
	list, err := collect(command, l, func(limit uint32, cursor []byte) (*pb.ListMergeRequestsByRequesterResponse, error) {
		return client.Call(ctx, c.ListMergeRequestsByRequester, &pb.ListMergeRequestsByRequesterRequest{
			OwnerAddress: requester, Limit: limit, Cursor: cursor,
		})
	})
	if err != nil {
		return err
	}
	return r.print(command, list, func(p *term.Printer) { printMergeRequests(ctx, p, newLabels(c, p), list) })
}

// mergeRequestPage is either list of merge requests.
type mergeRequestPage interface {
	page
	GetMergeRequests() []*pb.MergeRequestSummary
}

func printMergeRequests(ctx context.Context, p *term.Printer, l *labels, list mergeRequestPage) {
	table := p.Table("ID", "INTO", "FROM", "BY", "OPENED", "TITLE")
	for _, request := range list.GetMergeRequests() {
		table.Row(p.ID(request.GetRequestId()), into(ctx, l, request), from(ctx, l, request),
			l.account(ctx, request.GetRequesterOwnerAddress()), p.Time(uint64(request.GetAddedAt())), p.Clip(request.GetTitle()))
	}
	table.Print("no merge requests")
	printMore(p, list)
}

func into(ctx context.Context, l *labels, request *pb.MergeRequestSummary) string {
	return l.project(ctx, request.GetProjectId()) + "@" + refLabel(request.GetTargetRef())
}

func from(ctx context.Context, l *labels, request *pb.MergeRequestSummary) string {
	return l.project(ctx, request.GetSourceProjectId()) + "@" + refLabel(request.GetSourceRef())
}

func newMergeRequestShowCommand() *cobra.Command {
	var r remote
	command := &cobra.Command{
		Use:               "show <project> <id>",
		Short:             "Show an open merge request",
		Example:           "  makechain mr show alice/hello 3fa9c1d2",
		Args:              arguments("a project", "the id of a merge request"),
		ValidArgsFunction: completing(projectNames),
		RunE: func(command *cobra.Command, args []string) error {
			return r.reading(command, func(ctx context.Context, c *client.Client) error {
				project, id, err := projectAndRequest(ctx, c, args)
				if err != nil {
					return err
				}
				answer, err := client.Call(ctx, c.GetMergeRequest, &pb.GetMergeRequestRequest{ProjectId: project[:], RequestId: id[:]})
				if err != nil {
					return err
				}
				return r.print(command, answer, func(p *term.Printer) {
					printMergeRequest(ctx, p, newLabels(c, p), answer.GetMergeRequest())
				})
			})
		},
	}
	r.register(command)
	return command
}

func printMergeRequest(ctx context.Context, p *term.Printer, l *labels, request *pb.MergeRequestSummary) {
	p.Facts(
		term.Fact{Label: "title", Value: p.Style(term.Bold, term.Text(request.GetTitle()))},
		term.Fact{Label: "id", Value: p.ID(request.GetRequestId())},
		term.Fact{Label: "into", Value: into(ctx, l, request)},
		term.Fact{Label: "from", Value: from(ctx, l, request)},
		term.Fact{Label: "commit", Value: p.ID(request.GetSourceCommitHash())},
		term.Fact{Label: "by", Value: l.account(ctx, request.GetRequesterOwnerAddress())},
		term.Fact{Label: "opened", Value: p.Time(uint64(request.GetAddedAt()))},
	)
}

// projectAndRequest finds the merge request that a command names.
func projectAndRequest(ctx context.Context, c *client.Client, names []string) (project, request message.Hash, err error) {
	if project, err = c.Project(ctx, names[0]); err != nil {
		return project, request, err
	}
	request, err = c.MergeRequest(ctx, project, names[1])
	return project, request, err
}

func newMergeRequestCloseCommand() *cobra.Command {
	var r remote
	command := &cobra.Command{
		Use:               "close <project> <id>",
		Short:             "Withdraw a merge request of yours, or close one against your project",
		Example:           "  makechain mr close alice/hello 3fa9c1d2",
		Args:              arguments("a project", "the id of a merge request"),
		ValidArgsFunction: completing(projectNames),
		RunE: func(command *cobra.Command, args []string) error {
			return r.acting(command, func(ctx context.Context, c *client.Client) (string, []*pb.MessageData, error) {
				project, request, err := projectAndRequest(ctx, c, args)
				return "closed " + args[1], []*pb.MessageData{message.MergeRequestRemove(project, request)}, err
			})
		},
	}
	r.registerWriter(command)
	return command
}
