package project

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/output"
	"makechain/internal/cli/proven"
	"makechain/internal/cli/query"
	"makechain/internal/cli/stores"
	"makechain/internal/cli/submit"
	"makechain/internal/cli/usage"
	"makechain/internal/gitid"
	"makechain/internal/gitrepo"
	"makechain/internal/remotehelper"
	"makechain/internal/term"
	"makechain/message"
)

// forker has the flags of fork.
type forker struct {
	submit.Flags

	name, branch       string
	private, noContent bool
}

// flagPrivate and flagBranch are flags whose default depends on the source.
const (
	flagPrivate = "private"
	flagBranch  = "branch"
)

func newForkCommand() *cobra.Command {
	var f forker
	command := &cobra.Command{
		Use:   "fork <project>[@<ref or commit>]",
		Short: "Fork a project",
		Long: `A fork is a project of your account that starts from a commit of another project. The default ref
is the branch main or master, or the only branch. On the chain the fork has this commit only, without its
history, and a branch at it. The content services that have the files copy them to the fork, so that it can be cloned.
The fork of a private project is private unless --private=false is given. With --wait=false, only the project is created.`,
		Example: `  makechain project fork alice/hello
  makechain project fork alice/hello@v1.0 --name hello-again --branch maintenance`,
		Args:              usage.Args("a project"),
		ValidArgsFunction: connection.Complete(connection.Refs),
		RunE: func(command *cobra.Command, args []string) error {
			return f.Run(command, func(q *query.Query) error { return f.fork(q, args[0]) })
		},
	}
	f.Register(command)
	flags := command.Flags()
	flags.StringVar(&f.name, "name", "", "name of the fork (default the name of its source)")
	flags.BoolVar(&f.private, flagPrivate, false, "mark the fork private (default if its source is)")
	flags.StringVar(&f.branch, flagBranch, "", "branch to create at the commit, empty for none (default the main branch of the source)")
	flags.BoolVar(&f.noContent, "no-content", false, "do not make content services copy the files")
	return command
}

// fork creates a fork, its branch and its content.
func (f *forker) fork(q *query.Query, place string) error {
	ctx, c := q.Context(), q.Client
	source, ref, err := query.ProjectAndRef(ctx, c, place)
	if err != nil {
		return err
	}
	commit, err := c.Commit(ctx, source, ref)
	if err != nil {
		return err
	}
	origin, err := client.Call(ctx, proven.Service(ctx, c).GetProject, &pb.GetProjectRequest{ProjectId: source[:]})
	if err != nil {
		return err
	}
	if f.name == "" {
		f.name = origin.GetName()
	}
	if !q.Command.Flags().Changed(flagPrivate) {
		f.private = origin.GetVisibility() == pb.Visibility_VISIBILITY_PRIVATE
	}
	branch := f.fullBranch(q, source, ref)
	author, err := f.Author(q)
	if err != nil {
		return err
	}
	receipts, err := f.Submit(q, author, message.Fork(source, commit, f.name, visibility(f.private)))
	if err != nil {
		return err
	}
	id, p, owner := receipts[0].Hash, q.Printer(), author.Owner()
	name := p.Account(owner[:]) + "/" + f.name
	done := fmt.Sprintf("created %s %s", name, p.ID(id[:]))
	if branch != "" && f.Wait {
		added, err := f.Submit(q, author, branchMessages(id, commit, branch)...)
		if err != nil {
			return usage.Advise(fmt.Errorf("%s was created, but its branch was not: %w", name, err),
				"makechain ref update %s@%s %s", name, branch, gitid.String(commit))
		}
		receipts = append(receipts, added...)
		done += fmt.Sprintf(" with branch %s at %s", output.Ref([]byte(branch)), output.Commit(p.Printer, commit[:]))
	}
	if err := submit.PrintReceipts(q, done, receipts); err != nil || !f.Wait || f.noContent {
		return err
	}
	return f.importContent(q, author, id, commit)
}

// fullBranch returns the full name of the branch to create, empty for none: that of the flag, else the main branch of the source,
// else the branch that is forked.
func (f *forker) fullBranch(q *query.Query, source message.Hash, ref string) string {
	switch {
	case strings.HasPrefix(f.branch, "refs/"):
		return f.branch
	case q.Command.Flags().Changed(flagBranch) && f.branch == "":
		return ""
	case f.branch != "":
		return gitrepo.BranchPrefix + f.branch
	}
	if main, err := query.MainBranch(q.Context(), q.Client, source, ""); err == nil {
		return main
	}
	if found, err := q.Client.Ref(q.Context(), source, ref); err == nil && found.Type == pb.RefType_REF_TYPE_BRANCH {
		return found.Name
	}
	return query.UsualBranches()[0]
}

// branchMessages returns the messages that create the branch of a fork. A branch with an unusual name becomes the default branch, so
// that clones still check it out when the fork has others.
func branchMessages(fork, commit message.Hash, branch string) []*pb.MessageData {
	messages := []*pb.MessageData{
		message.RefUpdate(fork, branch, message.RefMove{Type: pb.RefType_REF_TYPE_BRANCH, New: commit, Nonce: 1}),
	}
	if !slices.Contains(query.UsualBranches(), branch) {
		messages = append(messages, message.ProjectMetadata(fork, pb.ProjectMetadataType_PROJECT_METADATA_DEFAULT_BRANCH, branch))
	}
	return messages
}

// importContent makes content services copy the files of the source. The fork exists without them, so a failure is only noted.
func (f *forker) importContent(q *query.Query, author *message.Author, fork, commit message.Hash) error {
	progress := term.StartProgress(q.Command.ErrOrStderr(), "copying content")
	done, failed, err := f.copyContent(q, author, fork, commit)
	progress.Stop()
	if err != nil {
		failed = []error{err}
	}
	switch {
	case q.Context().Err() != nil:
		return q.Context().Err()
	case done:
		return nil
	case len(failed) == 0:
		failed = []error{errors.New("the node has no content service, and no other is configured (git config makechain.store)")}
	}
	notes := q.Command.ErrOrStderr()
	_, err = fmt.Fprintln(notes, "note: no content service has copied the files; "+
		"the fork can be cloned from a store of files that has them, or after a push")
	if err != nil {
		return err
	}
	for _, reason := range failed {
		if _, err := fmt.Fprintln(notes, "  "+output.Quiet(q.Context(), q.Client).Names(reason.Error())); err != nil {
			return err
		}
	}
	return nil
}

func (f *forker) copyContent(q *query.Query, author *message.Author, fork, commit message.Hash) (done bool, failed []error, err error) {
	config, err := remotehelper.ReadConfig(q.Context(), "")
	if err != nil {
		return false, nil, err
	}
	helper, _, err := stores.Connect(q.Context(), f.Connection.Node, q.Client, config, q.Command.ErrOrStderr(),
		func() (*message.Author, error) { return author, nil })
	if err != nil {
		return false, nil, err
	}
	return helper.Import(q.Context(), fork, commit)
}
