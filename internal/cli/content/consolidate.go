package content

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"makechain/internal/cli/connection"
	"makechain/internal/cli/query"
	"makechain/internal/cli/stores"
	"makechain/internal/cli/submit"
	"makechain/internal/cli/usage"
	"makechain/internal/gitrepo"
	"makechain/internal/push"
	"makechain/internal/remotehelper"
	"makechain/internal/term"
	"makechain/message"
)

func newConsolidateCommand() *cobra.Command {
	var flags submit.Flags
	command := &cobra.Command{
		Use:   "consolidate [project]",
		Short: "Replace the git bundles of a project by one",
		Long: `Upload everything that the refs of the project reach in one git bundle, or in several above
256 MiB, and name it on the chain. A clone from files then reads one file instead of one for
each push, and content services delete the earlier ones after 24 hours. A push does the same
when a project gets more than 500 git bundles. It uses the repository in this directory, or a
temporary clone if that does not have everything.`,
		Example:           "  makechain content consolidate\n  makechain content consolidate alice/hello",
		Args:              usage.Args("[project]"),
		ValidArgsFunction: connection.Complete(connection.Projects),
		RunE: func(command *cobra.Command, args []string) error {
			if !flags.Wait {
				return usage.Errorf(command, "this command always waits, because each step depends on the one before")
			}
			return flags.Run(command, func(q *query.Query) error { return consolidate(q, &flags, args) })
		},
	}
	flags.Register(command)
	return command
}

func consolidate(q *query.Query, flags *submit.Flags, args []string) error {
	ctx := q.Context()
	id, err := query.Project(q, args)
	if err != nil {
		return err
	}
	config, err := remotehelper.ReadConfig(ctx, "")
	if err != nil {
		return err
	}
	helper, keys, err := stores.Connect(ctx, flags.Connection.Node, q.Client, config, q.Command.ErrOrStderr(),
		func() (*message.Author, error) { return flags.Author(q) })
	if err != nil {
		return err
	}
	author, err := keys.Author()
	if err != nil {
		return err
	}
	uploader, err := helper.OpenUploader(ctx, id)
	if err != nil {
		return err
	}
	job := &push.Push{
		Client: q.Client, Author: author, Project: id, Uploader: uploader, Timeout: flags.Timeout,
		Now: func() uint32 { return uint32(time.Now().Unix()) },
	}
	progress := term.StartProgress(q.Command.ErrOrStderr(), "uploading everything")
	defer progress.Stop()
	digests, err := consolidateFrom(ctx, job, ".")
	if incomplete := (*push.IncompleteError)(nil); errors.As(err, &incomplete) || errors.Is(err, gitrepo.ErrNoRepository) {
		progress.Set("cloning", 0, 0)
		digests, err = consolidateClone(ctx, job, flags)
	}
	progress.Stop()
	if err != nil {
		return err
	}
	texts := []string{}
	for _, digest := range digests {
		texts = append(texts, digest.String())
	}
	return flags.Output.PrintValue(q.Command, map[string]any{"project_id": id.String(), "digests": texts}, func(p *term.Printer) {
		for _, digest := range texts {
			p.Line("uploaded git bundle %s", digest)
		}
	})
}

// consolidateFrom uploads everything from a repository.
func consolidateFrom(ctx context.Context, job *push.Push, dir string) ([]message.Hash, error) {
	repo, err := gitrepo.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	job.Repo, job.Journal = repo, push.NewJournal(repo.PrivatePath(push.JournalFile))
	return job.Consolidate(ctx)
}

// consolidateClone uploads everything from a temporary clone of the project.
func consolidateClone(ctx context.Context, job *push.Push, flags *submit.Flags) ([]message.Hash, error) {
	dir, err := os.MkdirTemp("", "makechain-consolidate-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary clone
	clone := filepath.Join(dir, "clone")
	//nolint:gosec // the URL has the id of the project
	command := exec.CommandContext(ctx, "git", "clone", "--quiet", "--mirror", "makechain://"+job.Project.String(), clone)
	command.Env = os.Environ()
	for name, value := range map[string]string{
		"NODE": flags.Connection.Node, "GENESIS": flags.Connection.Genesis, "CONFIG_DIR": flags.Connection.Given, "ACCOUNT": flags.Signing.Account,
	} {
		if value != "" {
			command.Env = append(command.Env, usage.EnvironmentPrefix+name+"="+value)
		}
	}
	if self, err := os.Executable(); err == nil { // git-remote-makechain is installed next to this program
		command.Env = append(command.Env, "PATH="+os.Getenv("PATH")+string(os.PathListSeparator)+filepath.Dir(self))
	}
	if printed, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("clone the project: %w: %s", err, printed)
	}
	return consolidateFrom(ctx, job, clone)
}
