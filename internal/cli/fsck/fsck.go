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
		Short: "Check everything that a stopped node has stored",
		Long: `Check everything that a stopped node has stored.

The root is worked out from the rows, blocks are followed up from the first,
counters and reverse rows are compared with what they count and mirror, and
indexes with the blocks. With --replay all blocks are executed once more, or
verified where the first of them are no longer kept.
It stops at the first kind of difference and says what differs.`,
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
	flags.BoolVar(&options.Replay, "replay", false, "execute all blocks since genesis and compare every root")
	return command
}
