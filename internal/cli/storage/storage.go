// Package storage has the commands about the storage of accounts.
package storage

import (
	"github.com/spf13/cobra"
)

// New returns the command storage.
func New() *cobra.Command {
	command := &cobra.Command{
		Use:   "storage",
		Short: "Buy, claim and show the storage of accounts",
		Long: `Storage is paid for on the settlement chain and granted on this chain, in units that last 395
days. The limits of an account, such as the number of its projects, are multiples of its units.`,
		Example: "  makechain storage buy --units 3 --genesis genesis.json --rpc https://rpc.example\n" +
			"  makechain storage claim 0x4e3a... --genesis genesis.json\n  makechain storage show",
	}
	command.AddCommand(newBuyCommand(), newClaimCommand(), newShowCommand())
	return command
}
