// Package gitremote is the program git-remote-makechain. It has the settings, trusted chains and keys of makechain.
package gitremote

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"makechain/client"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/output"
	"makechain/internal/cli/signing"
	"makechain/internal/cli/stores"
	"makechain/internal/cli/submit"
	"makechain/internal/cli/usage"
	"makechain/internal/gitrepo"
	"makechain/internal/push"
	"makechain/internal/remotehelper"
	"makechain/message"
)

// Main runs the program and returns its exit code.
func Main() int { return execute(&remote{}) }

func execute(r *remote) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	err := newCommand(r).ExecuteContext(ctx)
	usage.Report(os.Stderr, err)
	return usage.ExitCode(err)
}

// newCommand returns the command.
func newCommand(r *remote) *cobra.Command {
	command := &cobra.Command{
		Use:   "git-remote-makechain <remote> <url>",
		Short: "Let git clone, fetch and push projects of the chain",
		Long: `Let git clone, fetch and push projects of the chain. Git runs this program for URLs that
begin with makechain://, such as makechain://alice/hello or makechain://host:port/alice/hello.`,
		Args:              usage.Args("<remote>", "<url>"),
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRunE: usage.FromEnvironment,
		RunE:              r.run,
	}
	r.connection.Register(command.Flags())
	r.signing.Register(command)
	usage.Strict(command)
	return command
}

// remote is one run of the program.
type remote struct {
	connection connection.Flags
	signing    signing.Flags
	command    *cobra.Command
	client     *client.Client
	keys       *stores.Keys
	config     *remotehelper.Config
}

func (r *remote) run(command *cobra.Command, args []string) error {
	r.command = command
	ctx := command.Context()
	address, err := remotehelper.ParseAddress(args[1])
	if err != nil {
		return err
	}
	config, err := remotehelper.ReadConfig(ctx, "")
	if err != nil {
		return err
	}
	r.config = config
	r.configure(address, config)
	roots, err := config.RootCAs()
	if err != nil {
		return err
	}
	r.connection.Options = append(r.connection.Options, client.WithRootCAs(roots))
	if r.client, err = r.connection.Dial(command); err != nil {
		return err
	}
	defer r.client.Close()
	helper, keys, err := stores.Connect(ctx, r.connection.Node, r.client, config, command.ErrOrStderr(), r.unlock)
	if err != nil {
		return err
	}
	r.keys = keys
	helper.Remote, helper.URL, helper.Address, helper.NewPush = args[0], args[1], address, r.newPush
	helper.In, helper.Out, helper.Names = os.Stdin, command.OutOrStdout(), output.Quiet(ctx, r.client).Names
	return helper.Run(ctx)
}

// configure sets what neither flags nor the environment have set from git's configuration. The node of a URL comes first.
func (r *remote) configure(address remotehelper.Address, config *remotehelper.Config) {
	flags := r.command.Flags()
	for _, setting := range []struct {
		flag, value string
		to          *string
	}{
		{"node", config.Node, &r.connection.Node},
		{"genesis", config.Genesis, &r.connection.Genesis},
		{"account", config.Account, &r.signing.Account},
	} {
		if setting.value != "" && !flags.Changed(setting.flag) {
			*setting.to = setting.value
		}
	}
	if address.Node != "" {
		r.connection.Node = address.Node
	}
}

// unlock unlocks the key of the account. Standard input is the connection to git, so it prompts on the terminal of the process.
func (r *remote) unlock() (*message.Author, error) {
	if terminal, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err == nil {
		defer terminal.Close() //nolint:errcheck // a terminal
		r.command.SetIn(terminal)
	}
	return r.signing.Author(r.command, &r.connection.ConfigDir, r.client)
}

func (r *remote) newPush(ctx context.Context, project message.Hash) (*push.Push, error) {
	author, err := r.keys.Author()
	if err != nil {
		return nil, err
	}
	repo, err := gitrepo.Open(ctx, ".")
	if err != nil {
		return nil, err
	}
	return &push.Push{
		Repo: repo, Client: r.client, Author: author, Project: project, OmitAuthorNames: !r.config.AuthorNames,
		Journal: push.NewJournal(repo.PrivatePath(push.JournalFile)), Timeout: submit.DefaultTimeout,
		Now: func() uint32 { return uint32(time.Now().Unix()) },
	}, nil
}
