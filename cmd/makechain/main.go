// Command makechain is a node of the chain, its gateway and its client.
//
// Each command has a file of its own. Commands print through the writers of their cobra command, and
// report failure by returning an error, which main prints once.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

func main() {
	os.Exit(run())
}

// run executes the command line and returns the exit code of the process.
func run() int {
	if err := newRootCommand().Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "makechain:", err)
		return 1
	}
	return 0
}

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "makechain",
		Short:         "A version-control ledger with a proof for every answer",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(newNodeCommand(), newFsckCommand(), newVersionCommand())
	return root
}
