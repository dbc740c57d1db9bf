// Package fsck has the command that checks the data of a node.
package fsck

import (
	"fmt"

	"github.com/spf13/cobra"

	"makechain/internal/node"
)

// New returns the command fsck.
func New() *cobra.Command {
	var home string
	var options node.CheckOptions
	command := &cobra.Command{
		Use:   "fsck",
		Short: "Check the data of a stopped node",
		Long: `Check the data of a stopped node.

The command recomputes the state root from the rows, verifies the chain of blocks,
and compares counters and reverse rows with the rows that they are derived from,
and indexes with the blocks. With --replay it executes all blocks again, or verifies
them where the first blocks have been pruned.
It stops at the first kind of difference and reports it.`,
		Example: "  makechain fsck\n  makechain fsck --home /var/lib/makechain --replay",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			var failed error
			options.Report = func(line string) {
				if _, err := fmt.Fprintln(command.OutOrStdout(), line); err != nil {
					failed = err
				}
			}
			if err := node.Check(home, options); err != nil {
				return err
			}
			options.Report("clean")
			return failed
		},
	}
	flags := command.Flags()
	flags.StringVar(&home, "home", node.DefaultHome, "directory of keys, configuration and data")
	flags.BoolVar(&options.Replay, "replay", false, "execute all blocks from genesis and compare every root")
	return command
}
