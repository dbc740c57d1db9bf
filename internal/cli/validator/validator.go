// Package validator has the commands about the validators of a chain.
package validator

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"makechain/internal/cli/change"
	"makechain/internal/cli/output"
	"makechain/internal/cli/settings"
	"makechain/internal/cli/usage"
	"makechain/internal/comet"
	"makechain/internal/node"
	"makechain/internal/term"
)

// New returns the command validator.
func New() *cobra.Command {
	command := &cobra.Command{
		Use:   "validator",
		Short: "List and change the validators of a chain",
		Long: `A change needs the signatures of validators with more than two thirds of the voting power: one operator creates the change
in a file, others sign it, and any of them submits it. A single change affects at most a third of the voting power.`,
		Example: "  makechain validator list\n  makechain validator change new change.json --set 3b6a27...=10",
	}
	command.AddCommand(newListCommand(), newKeyCommand(), newChangeCommand())
	return command
}

func newKeyCommand() *cobra.Command {
	var home string
	command := &cobra.Command{
		Use:     "key",
		Short:   "Print the validator key of a home",
		Long:    "It is the public key with which the node of a home signs blocks when it is a validator.",
		Example: "  makechain validator key --home /var/lib/makechain",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if _, err := comet.Genesis(home); err != nil {
				return usage.Advise(err, "--home with the directory of a node of the chain")
			}
			identity, err := comet.EnsureKeys(home)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(command.OutOrStdout(), identity.Validator)
			return err
		},
	}
	command.Flags().StringVar(&home, settings.HomeFlag, node.DefaultHome, "directory of the node")
	return command
}

// entry is a validator in a list. Integers of 64 bits are strings, as in REST.
type entry struct {
	PublicKey string `json:"public_key"`
	Power     string `json:"power"`
}

func newListCommand() *cobra.Command {
	var o change.Operator
	command := &cobra.Command{
		Use:     "list",
		Short:   "List the validators and their voting power",
		Long:    "The list is that after the latest block, and is verified from genesis on.",
		Example: "  makechain validator list --home /var/lib/makechain",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return o.Run(command, func(s *change.Current) error { return printSet(&o, command, s) })
		},
	}
	o.Register(command)
	return command
}

func printSet(o *change.Operator, command *cobra.Command, s *change.Current) error {
	set := s.State.Validators
	entries := []entry{}
	for _, v := range set.Validators {
		entries = append(entries, entry{v.Key.String(), strconv.FormatInt(v.Power, 10)})
	}
	answer := struct {
		ChainID    string  `json:"chain_id"`
		Sequence   string  `json:"sequence"`
		Validators []entry `json:"validators"`
	}{s.ChainID, output.Number(set.Sequence), entries}
	return o.Output.PrintValue(command, answer, func(p *term.Printer) {
		p.Facts(term.Fact{Label: "chain", Value: s.ChainID}, term.Fact{Label: "changes", Value: answer.Sequence})
		table := p.Table("validator", "power", "share")
		for i, v := range set.Validators {
			share := 100 * float64(v.Power) / float64(set.TotalPower())
			table.Row(entries[i].PublicKey, entries[i].Power, fmt.Sprintf("%.1f %%", share))
		}
		table.Print("")
	})
}
