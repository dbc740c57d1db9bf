package mr

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/query"
	"makechain/internal/cli/usage"
	"makechain/internal/gitid"
	"makechain/internal/gitrepo"
	"makechain/internal/ident"
	"makechain/message"
)

// repository runs git in the working directory for a merge request. Hooks are switched off: after a checkout or a merge, hooks
// that are part of the files would be those of the requester.
type repository struct {
	*gitrepo.Repo

	command *cobra.Command
	node    string   // the address of the node, as --node
	config  []string // options of git before the command
	request *pb.MergeRequestSummary
}

// openRepository opens the repository of the working directory for a merge request.
func openRepository(command *cobra.Command, flags *connection.Flags, request *pb.MergeRequestSummary) (*repository, error) {
	repo, err := gitrepo.Open(command.Context(), ".")
	r := &repository{
		Repo: repo, command: command, node: flags.Node, request: request, config: []string{"-c", "core.hooksPath=" + os.DevNull},
	}
	if flags.Genesis != "" {
		r.config = append(r.config, "-c", "makechain.genesis="+flags.Genesis)
	}
	return r, err
}

// errGit is returned when git has failed and printed why.
var errGit = errors.New("git failed")

// git runs git with the output of this program. Every argument is a fixed word, a validated id, or follows --end-of-options.
func (r *repository) git(input io.Reader, args ...string) error {
	command := exec.CommandContext(r.command.Context(), "git", slices.Concat(r.config, args)...) //nolint:gosec // see above
	command.Stdin, command.Stdout, command.Stderr = input, r.command.OutOrStdout(), r.command.ErrOrStderr()
	if err := command.Run(); err != nil {
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && r.command.Context().Err() == nil {
			return fmt.Errorf("%w: git %s", errGit, args[0])
		}
		return fmt.Errorf("git %s: %w", args[0], err)
	}
	return nil
}

// url returns the address of a project for git.
func (r *repository) url(project []byte) (string, error) {
	base, err := client.ParseTarget(r.node)
	if err != nil {
		return "", err
	}
	id, ok := ident.HashFrom(project)
	if !ok {
		return "", fmt.Errorf("a project id has %d bytes", len(project))
	}
	if base.Scheme == "https" {
		return fmt.Sprintf("makechain::%s/%s", base, id), nil
	}
	return fmt.Sprintf("makechain://%s/%s", base.Host, id), nil
}

// fetch fetches a ref of a project, and returns an error unless the repository has a commit afterwards.
func (r *repository) fetch(project, ref []byte, commit message.Hash) error {
	if has, err := r.Has(r.command.Context(), []ident.Hash{commit}); err != nil || has[commit] {
		return err
	}
	url, err := r.url(project)
	if err != nil {
		return err
	}
	// A ref is a single name on the chain; a colon would make it two in a refspec, and git has none with a colon.
	if bytes.ContainsAny(ref, ":*^?[ ~\\\n") || bytes.HasPrefix(ref, []byte("+")) {
		return fmt.Errorf("git has no ref with the name %q", ref)
	}
	if err := r.git(nil, "fetch", "--no-tags", "--no-recurse-submodules", "--end-of-options", url, string(ref)); err != nil {
		return err
	}
	has, err := r.Has(r.command.Context(), []ident.Hash{commit})
	if err == nil && !has[commit] {
		err = fmt.Errorf("commit %s is not reachable from %s any more", gitid.String(commit), ref)
	}
	return err
}

// source fetches the source commit of the merge request.
func (r *repository) source() (message.Hash, error) {
	commit := message.Hash(r.request.GetSourceCommitHash())
	return commit, r.fetch(r.request.GetSourceProjectId(), r.request.GetSourceRef(), commit)
}

// target fetches the commit of the target ref.
func (r *repository) target(ctx context.Context, c *client.Client) (message.Hash, error) {
	ref, err := c.Ref(ctx, message.Hash(r.request.GetProjectId()), string(r.request.GetTargetRef()))
	if err != nil {
		return message.Hash{}, err
	}
	return ref.Hash, r.fetch(r.request.GetProjectId(), r.request.GetTargetRef(), ref.Hash)
}

// withRepository completes a command that reads a merge request and runs git.
func withRepository(command *cobra.Command, do func(q *query.Query, r *repository) error) *cobra.Command {
	var flags query.Flags
	command.Args, command.ValidArgsFunction = requestArgs, connection.Complete(connection.Projects)
	command.RunE = func(command *cobra.Command, args []string) error {
		return flags.Run(command, func(q *query.Query) error {
			id, err := resolveAny(q, args)
			if err != nil {
				return err
			}
			answer, err := get(q.Context(), q.Client, id)
			if err != nil {
				return err
			}
			r, err := openRepository(command, &flags.Connection, answer.GetMergeRequest())
			if err != nil {
				return err
			}
			return do(q, r)
		})
	}
	flags.Register(command)
	return command
}

func newDiffCommand() *cobra.Command {
	return withRepository(&cobra.Command{
		Use:     "diff [<project>] <id>",
		Short:   "Show the changes of a merge request",
		Long:    "Fetches the commits with git-remote-makechain and prints the changes since the branches diverged, as git diff.",
		Example: "  makechain mr diff alice/hello 3fa9c1d2",
	}, func(q *query.Query, r *repository) error {
		source, err := r.source()
		if err != nil {
			return err
		}
		target, err := r.target(q.Context(), q.Client)
		if err != nil {
			return err
		}
		return r.git(nil, "diff", "--no-ext-diff", "--no-textconv", gitid.String(target)+"..."+gitid.String(source), "--")
	})
}

func newCheckoutCommand() *cobra.Command {
	return withRepository(&cobra.Command{
		Use:   "checkout [<project>] <id>",
		Short: "Check out the commit of a merge request",
		Long: `Fetches the commit with git-remote-makechain and checks it out without a branch (git switch --detach). Hooks do not
run.`,
		Example: "  makechain mr checkout alice/hello 3fa9c1d2",
	}, func(_ *query.Query, r *repository) error {
		source, err := r.source()
		if err != nil {
			return err
		}
		return r.git(nil, "checkout", "--detach", "--no-recurse-submodules", gitid.String(source))
	})
}

// adviseGit adds what to do after git has failed, usually because of conflicts.
func adviseGit(err error, format string, args ...any) error {
	if errors.Is(err, errGit) {
		return usage.Advise(err, format, args...)
	}
	return err
}
