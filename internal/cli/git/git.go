// Package git has the commands about a git repository and its project on the chain.
package git

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/output"
	"makechain/internal/cli/query"
	"makechain/internal/cli/stores"
	"makechain/internal/cli/usage"
	"makechain/internal/gitid"
	"makechain/internal/gitrepo"
	"makechain/internal/push"
	"makechain/internal/remotehelper"
	"makechain/internal/term"
	"makechain/message"
)

// New returns the command git.
func New() *cobra.Command {
	command := &cobra.Command{
		Use:     "git",
		Short:   "Compare a git repository with the chain",
		Example: "  makechain git verify alice/hello@main",
	}
	command.AddCommand(newVerifyCommand())
	return command
}

func newVerifyCommand() *cobra.Command {
	var flags query.Flags
	command := &cobra.Command{
		Use:   "verify [<project>[@<ref>]]",
		Short: "Verify that the checked-out commit is the one that the chain has",
		Long: `The repository may be a clone from any host. The ref is read with a proof, so neither the host
nor the node can make another commit pass. The default is the branch that is checked out, or
the default branch of the project when none is. The exit code is 0 if the commit is the same
and 1 if it differs.`,
		Example:           "  makechain git verify\n  makechain git verify alice/hello@v1.0 --genesis genesis.json",
		Args:              usage.Args("[<project>[@<ref>]]"),
		ValidArgsFunction: connection.Complete(connection.Projects),
	}
	command.RunE = func(command *cobra.Command, args []string) error {
		return flags.Run(command, func(q *query.Query) error { return verify(q, args) })
	}
	flags.Register(command)
	return command
}

func verify(q *query.Query, args []string) error {
	ctx := q.Context()
	repo, err := gitrepo.Open(ctx, ".")
	if err != nil {
		return err
	}
	checkedOut, err := repo.Resolve(ctx, "HEAD")
	if err != nil {
		return err
	}
	name, label, err := place(q, args)
	if err != nil {
		return err
	}
	id, err := q.Client.Project(ctx, name)
	if err != nil {
		return err
	}
	project, err := stores.Chain{Client: q.Client, Notes: q.Command.ErrOrStderr()}.Project(ctx, id)
	if err != nil {
		return err
	}
	ref, err := findRef(ctx, repo, project, label)
	if err != nil {
		return err
	}
	full := knownName(q, name, id) + "@" + push.ShortRefName(ref.Name)
	if ref.Commit != checkedOut {
		return difference(ctx, repo, full, ref.Commit, checkedOut)
	}
	if err := compareTag(ctx, repo, full, ref); err != nil {
		return err
	}
	answer := &pb.GetRefResponse{
		ProjectId: id[:], RefName: []byte(ref.Name), RefType: ref.Type, Hash: ref.Commit[:],
	}
	if ref.TagObject != (message.Hash{}) {
		answer.TagObject = ref.TagObject[:]
	}
	return q.Print(answer, func(p *output.Printer) {
		p.Line("the checked-out commit %s is %s", gitid.String(checkedOut), term.Text(full))
	})
}

// knownName returns owner/name for a project that was named by its id, as in a clone. The node says how it is called, which counts only
// if the chain proves that the project of that name is this one.
func knownName(q *query.Query, name string, id message.Hash) string {
	if strings.Contains(name, "/") {
		return name
	}
	known := output.Quiet(q.Context(), q.Client).Project(id[:])
	if resolved, err := q.Client.Project(q.Context(), known); err != nil || resolved != id || !strings.Contains(known, "/") {
		return name
	}
	return known
}

// place returns the project and the ref of the arguments. The ref may be empty.
func place(q *query.Query, args []string) (name, ref string, err error) {
	if len(args) == 0 {
		name, err = query.RepositoryProject(q.Context(), q.Command)
		return name, "", err
	}
	if !strings.Contains(args[0], "@") {
		return args[0], "", nil
	}
	return client.SplitRevision(args[0])
}

// findRef returns a ref of the project by its name, or the one of the branch that is checked out.
func findRef(ctx context.Context, repo *gitrepo.Repo, project *remotehelper.Project, name string) (*remotehelper.Ref, error) {
	if name == "" {
		head, err := repo.Head(ctx)
		switch {
		case errors.Is(err, gitrepo.ErrDetached):
			name = project.Head()
		case err != nil:
			return nil, err
		default:
			name = head.Name
		}
	}
	candidates, err := client.RefCandidates(name)
	if err != nil {
		return nil, err
	}
	for _, candidate := range candidates {
		for i := range project.Refs {
			if project.Refs[i].Name == candidate {
				return &project.Refs[i], nil
			}
		}
	}
	return nil, &client.NotFoundError{Kind: "ref", Name: name}
}

// difference returns the error that says how the checked-out commit differs from that of the chain.
func difference(ctx context.Context, repo *gitrepo.Repo, name string, chain, checkedOut message.Hash) error {
	err := fmt.Errorf("the checked-out commit is %s, and %s is %s", gitid.String(checkedOut), name, gitid.String(chain))
	known, failed := repo.Has(ctx, []message.Hash{chain})
	if failed != nil {
		return failed
	}
	if !known[chain] {
		return usage.Advise(fmt.Errorf("%w, which is not in this repository", err), "git fetch")
	}
	ahead, failed := repo.Count(ctx, gitrepo.Range{Include: []message.Hash{checkedOut}, Exclude: []message.Hash{chain}})
	if failed != nil {
		return failed
	}
	behind, failed := repo.Count(ctx, gitrepo.Range{Include: []message.Hash{chain}, Exclude: []message.Hash{checkedOut}})
	if failed != nil {
		return failed
	}
	return fmt.Errorf("%w: %s here and not on the chain, %s on the chain and not here", err,
		term.Count(uint64(ahead), "commit"), term.Count(uint64(behind), "commit"))
}

// compareTag compares the tag object of the repository, if it has the tag, with that on the chain.
func compareTag(ctx context.Context, repo *gitrepo.Repo, name string, ref *remotehelper.Ref) error {
	label, isTag := strings.CutPrefix(ref.Name, gitrepo.TagPrefix)
	if !isTag {
		return nil
	}
	local, found, err := repo.Tag(ctx, label)
	if err != nil || !found || local.TagObject == ref.TagObject {
		return err
	}
	return fmt.Errorf("the commit is that of %s, but the tag itself differs: %s here, %s on the chain",
		name, object(local.TagObject), object(ref.TagObject))
}

func object(hash message.Hash) string {
	if hash == (message.Hash{}) {
		return "no tag object"
	}
	return gitid.String(hash)
}
