package mr

import (
	"fmt"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/output"
	"makechain/internal/cli/proven"
	"makechain/internal/cli/query"
	"makechain/internal/cli/submit"
	"makechain/internal/cli/usage"
	"makechain/internal/gitrepo"
	"makechain/internal/ident"
	"makechain/message"
)

// opener has the flags of a command that opens a merge request.
type opener struct {
	submit.Flags

	from, title string
}

func newOpenCommand() *cobra.Command {
	var o opener
	command := &cobra.Command{
		Use:   "open [<project>[@<branch>]]",
		Short: "Open a merge request from a fork",
		Long: `The default of --from is the branch that is checked out, in the project that the git repository is pushed to. The
default project is the one that it was forked from. The default branch is main or master, or the only branch.`,
		Example: `  makechain mr open --title "Fix the greeting"
  makechain mr open alice/hello --from bob/hello@fix --title "Fix the greeting"
  makechain mr open alice/hello@next --from bob/hello --title "Try this"`,
		Args:              usage.Args("[project]"),
		ValidArgsFunction: connection.Complete(connection.Refs),
		RunE: func(command *cobra.Command, args []string) error {
			if o.title == "" {
				return usage.Errorf(command, "want --title")
			}
			return o.Run(command, func(q *query.Query) error {
				target, proposal, err := o.propose(q, args)
				if err != nil {
					return err
				}
				return o.send(q, target, proposal, "against "+q.Printer().Project(target[:]))
			})
		},
	}
	o.Register(command)
	command.Flags().StringVar(&o.from, "from", "", "the fork and its branch: bob/hello@fix")
	command.Flags().StringVar(&o.title, "title", "", "title, up to 200 bytes")
	return command
}

// send submits a merge request and prints its id.
func (o *opener) send(q *query.Query, target message.Hash, proposal message.MergeProposal, where string) error {
	author, err := o.Author(q)
	if err != nil {
		return err
	}
	receipts, err := o.Submit(q, author, message.MergeRequestAdd(target, proposal))
	if err != nil {
		return err
	}
	return submit.PrintReceipts(q, fmt.Sprintf("opened merge request %s %s", q.Printer().ID(receipts[0].Hash[:]), where), receipts)
}

// propose resolves the source and the target of a merge request.
func (o *opener) propose(q *query.Query, args []string) (target message.Hash, proposal message.MergeProposal, err error) {
	source, sourceRef, err := o.source(q)
	if err != nil {
		return target, proposal, err
	}
	if len(args) == 0 {
		parent, err := forkSource(q, source)
		if err != nil {
			return target, proposal, err
		}
		args = []string{parent}
	}
	target, targetRef, err := resolveRef(q, args[0])
	if err != nil {
		return target, proposal, err
	}
	return target, message.MergeProposal{
		Source: source, SourceRef: sourceRef.Name, SourceCommit: sourceRef.Hash, TargetRef: targetRef.Name, Title: o.title,
	}, nil
}

// source resolves --from, or the branch that is checked out in the project of the repository.
func (o *opener) source(q *query.Query) (message.Hash, *client.Ref, error) {
	if o.from != "" {
		return resolveRef(q, o.from)
	}
	project, err := query.Project(q, nil)
	if err != nil {
		return project, nil, err
	}
	repo, err := gitrepo.Open(q.Context(), ".")
	if err != nil {
		return project, nil, err
	}
	head, err := repo.Head(q.Context())
	if err != nil {
		return project, nil, err
	}
	ref, err := q.Client.Ref(q.Context(), project, head.Name)
	if query.IsNotFound(err) {
		err = usage.Advise(err, "makechain push first")
	}
	return project, ref, err
}

// forkSource returns the project that a fork was made of.
func forkSource(q *query.Query, fork message.Hash) (string, error) {
	answer, err := client.Call(q.Context(), proven.Service(q.Context(), q.Client).GetProject, &pb.GetProjectRequest{ProjectId: fork[:]})
	if err != nil {
		return "", err
	}
	parent, ok := ident.HashFrom(answer.GetForkSource())
	if !ok {
		return "", usage.Errorf(q.Command, "%s is not a fork: name the project that the merge request is for", q.Printer().Project(fork[:]))
	}
	return parent.String(), nil
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

func newUpdateCommand() *cobra.Command {
	var o opener
	command := &cobra.Command{
		Use:   "update [<project>] <id>",
		Short: "Replace a merge request by one for the current commit of its branch",
		Long: `Push the branch first. The earlier merge request is closed as superseded, and shows which one replaces it. Only the
account that opened it can replace it.`,
		Example:           "  makechain mr update alice/hello 3fa9c1d2",
		Args:              requestArgs,
		ValidArgsFunction: connection.Complete(connection.Projects),
		RunE: func(command *cobra.Command, args []string) error {
			return o.Run(command, func(q *query.Query) error { return o.update(q, args) })
		},
	}
	o.Register(command)
	command.Flags().StringVar(&o.title, "title", "", "title, up to 200 bytes (default that of the earlier one)")
	return command
}

func (o *opener) update(q *query.Query, args []string) error {
	id, err := resolve(q, args)
	if err != nil {
		return err
	}
	answer, err := get(q.Context(), q.Client, id)
	if err != nil {
		return err
	}
	earlier := answer.GetMergeRequest()
	source := message.Hash(earlier.GetSourceProjectId())
	ref, err := q.Client.Ref(q.Context(), source, string(earlier.GetSourceRef()))
	if err != nil {
		return err
	}
	if ref.Hash == message.Hash(earlier.GetSourceCommitHash()) {
		err := fmt.Errorf("%s is still at the commit of the merge request", output.Ref(earlier.GetSourceRef()))
		return usage.Advise(err, "makechain push first")
	}
	if o.title == "" {
		o.title = earlier.GetTitle()
	}
	proposal := message.MergeProposal{
		Source: source, SourceRef: ref.Name, SourceCommit: ref.Hash, TargetRef: string(earlier.GetTargetRef()), Title: o.title, Replaces: id.request,
	}
	return o.send(q, id.project, proposal, "instead of "+q.Printer().ID(id.request[:]))
}

func newCloseCommand() *cobra.Command {
	var declined, merged, withdraw bool
	var commit string
	command := submit.Command(&cobra.Command{
		Use:   "close [<project>] <id>",
		Short: "Close a merge request",
		Long: `Without a flag it is withdrawn by the account that opened it, and declined by others. --merged says that the target
branch contains the change, which the chain checks; name the commit with --commit if it is not the requested one, as
after a squash or a rebase.`,
		Example:           "  makechain mr close alice/hello 3fa9c1d2\n  makechain mr close 3fa9c1d2 --merged --commit 41ab7c20",
		Args:              requestArgs,
		ValidArgsFunction: connection.Complete(connection.Projects),
	}, func(q *query.Query, args []string) (*submit.Plan, error) {
		if err := requireOne(q.Command, "declined", "merged", "withdraw"); err != nil {
			return nil, err
		}
		if commit != "" && !merged {
			return nil, usage.Errorf(q.Command, "--commit is for --merged")
		}
		id, err := resolve(q, args)
		if err != nil {
			return nil, err
		}
		outcome := pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_UNSPECIFIED
		var mergeCommit message.Hash
		switch {
		case merged:
			outcome = pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_MERGED
			if commit != "" {
				if mergeCommit, err = q.Client.Commit(q.Context(), id.project, commit); err != nil {
					return nil, err
				}
			}
		case declined:
			outcome = pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_DECLINED
		case withdraw:
			outcome = pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_WITHDRAWN
		}
		return &submit.Plan{
			Done:     "closed " + args[len(args)-1],
			Messages: []*pb.MessageData{message.MergeRequestClose(id.project, id.request, outcome, mergeCommit)},
		}, nil
	})
	flags := command.Flags()
	flags.BoolVar(&declined, "declined", false, "decline it (needs WRITE)")
	flags.BoolVar(&merged, "merged", false, "it is merged (needs WRITE)")
	flags.BoolVar(&withdraw, "withdraw", false, "withdraw your own")
	flags.StringVar(&commit, "commit", "", "commit of the target branch that contains the change")
	return command
}
