// Command makechain is a node of the chain, its gateway and its client.
//
// Each group of commands has a file of its own. Commands print through the writers of their cobra command, and
// report failure by returning an error, which main prints once, with what to do next, and turns into an exit code.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	os.Exit(run())
}

// run executes the command line and returns the exit code of the process.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends what does not listen to the first
	err := newRootCommand().ExecuteContext(ctx)
	report(os.Stderr, err)
	return exitCode(err)
}

// The groups of --help, in their order.
const (
	groupNode     = "node"
	groupIdentity = "identity"
	groupCode     = "code"
	groupChain    = "chain"
)

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "makechain",
		Short: "A version-control ledger with a proof for every answer",
		Long: `A version-control ledger with a proof for every answer.

A flag can also be given as a variable: --node is MAKECHAIN_NODE. Names work wherever
an address or an id is wanted: alice, alice/hello, alice/hello@main, or the first digits
of an id. The program ends with 0 when it is done, 1 when something was refused or
failed, 2 when it was called wrongly and 3 when no node answers.`,
		Example:           "  makechain node\n  makechain project list",
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRunE: fromEnvironment,
	}
	root.AddGroup(
		&cobra.Group{ID: groupCode, Title: "Code:"},
		&cobra.Group{ID: groupIdentity, Title: "Identity:"},
		&cobra.Group{ID: groupChain, Title: "Chain:"},
		&cobra.Group{ID: groupNode, Title: "Node:"},
	)
	add(root, groupCode, newProjectCommand(), newPushCommand(), newRefCommand(), newCommitCommand())
	add(root, groupCode, newCollaboratorCommand(), newMergeRequestCommand())
	add(root, groupCode, newSocialCommands()...)
	add(root, groupIdentity, newAccountCommand(), newKeyCommand(), newCustodyCommand(), newWalletCommand(), newVerifyCommand())
	add(root, groupChain, newStatusCommand(), newTailCommand(), newBlockCommand(), newMessageCommand(), newProofCommand())
	add(root, groupNode, newNodeCommand(), newGatewayCommand(), newConfigCommand(), newTestnetCommand(), newFsckCommand(), newVersionCommand())
	add(root, groupNode, newSnapshotCommand(), newValidatorCommand())
	root.SetHelpCommandGroupID(groupNode)
	root.SetCompletionCommandGroupID(groupNode)
	root.InitDefaultCompletionCmd() // which would come later, and not be strict
	strict(root)
	return root
}

func add(root *cobra.Command, group string, commands ...*cobra.Command) {
	for _, command := range commands {
		command.GroupID = group
		root.AddCommand(command)
	}
}
