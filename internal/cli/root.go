// Package cli builds the command line of makechain. Each group of commands is a package below, and none of them imports
// another; what they share is in connection, signing, input, output, paging, query, submit, settings and usage.
//
// Commands print through the writers of their cobra command and report failure by returning an error, which Main prints
// once, with the next step, and turns into an exit code.
package cli

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"makechain/internal/cli/account"
	"makechain/internal/cli/agent"
	"makechain/internal/cli/attester"
	"makechain/internal/cli/block"
	"makechain/internal/cli/collaborator"
	"makechain/internal/cli/commit"
	"makechain/internal/cli/content"
	"makechain/internal/cli/custody"
	"makechain/internal/cli/explorer"
	"makechain/internal/cli/genesis"
	"makechain/internal/cli/git"
	"makechain/internal/cli/key"
	"makechain/internal/cli/message"
	"makechain/internal/cli/mr"
	"makechain/internal/cli/node"
	"makechain/internal/cli/project"
	"makechain/internal/cli/proof"
	"makechain/internal/cli/push"
	"makechain/internal/cli/ref"
	"makechain/internal/cli/rules"
	"makechain/internal/cli/settlement"
	"makechain/internal/cli/snapshot"
	"makechain/internal/cli/social"
	"makechain/internal/cli/status"
	"makechain/internal/cli/storage"
	"makechain/internal/cli/tail"
	"makechain/internal/cli/testnet"
	"makechain/internal/cli/usage"
	"makechain/internal/cli/validator"
	"makechain/internal/cli/verify"
	"makechain/internal/cli/wallet"
)

// Main runs the command line of the process and returns its exit code. The first SIGINT or SIGTERM cancels the context
// of the command; a second one ends the process.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	err := New().ExecuteContext(ctx)
	usage.Report(os.Stderr, err)
	return usage.ExitCode(err)
}

// New returns the root command.
func New() *cobra.Command {
	build, _ := debug.ReadBuildInfo()
	root := &cobra.Command{
		Use:   "makechain",
		Short: "A version-control ledger with a proof for every answer",
		Long: `Every flag can also be set by an environment variable: --node is MAKECHAIN_NODE. Names
can be used for addresses and ids: alice, alice/hello, alice/hello@main, or the first
digits of an id. The exit code is 0 for success, 1 for a refusal or another failure, 2 for
a usage error, 3 if the node is unreachable, and 130 after Ctrl-C.`,
		Example:           "  makechain node\n  makechain project list",
		Version:           versionText(build),
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRunE: usage.FromEnvironment,
	}
	root.SetVersionTemplate("{{.Version}}")
	code := []*cobra.Command{project.New(), push.New(), git.New(), ref.New(), commit.New(), collaborator.New(), mr.New()}
	addGroup(root, "code", "Code:", append(code, social.New()...)...)
	addGroup(root, "identity", "Identity:", account.New(), storage.New(), agent.New(), key.New(), custody.New(), wallet.New(), verify.New())
	addGroup(root, "chain", "Chain:", status.New(), explorer.New(), tail.New(), block.New(), message.New(), proof.New())
	addGroup(root, "node", "Node:", node.New(), node.NewGateway(), node.NewConfig(), testnet.New(), genesis.New(), node.NewFsck(),
		newVersionCommand(), snapshot.New(), content.New(), validator.New(), settlement.New(), rules.New(), attester.New())
	usage.CompleteHelp(root)
	root.SetHelpCommandGroupID("node")
	root.SetCompletionCommandGroupID("node")
	root.InitDefaultCompletionCmd() // cobra would add it later, and Strict would miss it
	usage.Strict(root)
	return root
}

func addGroup(root *cobra.Command, id, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: id, Title: title})
	for _, command := range commands {
		command.GroupID = id
		root.AddCommand(command)
	}
}
