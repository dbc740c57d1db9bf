// Package settlement has the commands about the settlement of a chain: where storage is paid for, and who attests payments.
package settlement

import (
	"strconv"

	"github.com/spf13/cobra"

	"makechain/internal/cli/change"
	"makechain/internal/cli/output"
	"makechain/internal/genesis"
	"makechain/internal/term"
)

// New returns the command settlement.
func New() *cobra.Command {
	command := &cobra.Command{
		Use:   "settlement",
		Short: "Show and change where storage is paid for and who attests payments",
		Long: `The settlement of a chain is the contract that is paid, the chain that it is on, the attesters of payments and how many of them must
sign a claim. The genesis has the first one. A change needs the signatures of validators with more than two thirds of the voting power:
one operator creates the change in a file, others sign it, and any of them submits it.`,
		Example: "  makechain settlement show\n" +
			"  makechain settlement change new change.json --remove 8a88e3... --add 3b6a27...=https://attester.example",
	}
	command.AddCommand(newShowCommand(), newChangeCommand())
	return command
}

func newShowCommand() *cobra.Command {
	var o change.Operator
	command := &cobra.Command{
		Use:   "show",
		Short: "Show the settlement in force",
		Long:  "It is that after the latest block, and is verified from genesis on. With --genesis and --node no home is needed.",
		Example: "  makechain settlement show --home /var/lib/makechain\n" +
			"  makechain settlement show --genesis genesis.json --node node.example:50051",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return o.Run(command, func(s *change.Current) error { return printSettlement(&o, command, s) })
		},
	}
	o.Register(command)
	return command
}

// printSettlement prints the settlement.
func printSettlement(o *change.Operator, command *cobra.Command, s *change.Current) error {
	current := s.State.Settlement
	answer := struct {
		ChainID    string                      `json:"chain_id"`
		Sequence   string                      `json:"sequence"`
		Settlement *genesis.SettlementDocument `json:"settlement"`
	}{s.ChainID, output.Number(current.Sequence), genesis.NewSettlementDocument(&current.Settlement)}
	return o.Output.PrintValue(command, answer, func(p *term.Printer) {
		p.Facts(
			term.Fact{Label: "chain", Value: s.ChainID},
			term.Fact{Label: "changes", Value: answer.Sequence},
			term.Fact{Label: "settlement", Value: "chain " + output.Number(current.ChainID)},
			term.Fact{Label: "contract", Value: current.Contract.String()},
			term.Fact{Label: "threshold", Value: strconv.Itoa(current.Threshold) + " of " + strconv.Itoa(len(current.Attesters))},
		)
		table := p.Table("attester", "url")
		for _, attester := range current.Attesters {
			table.Row(attester.Key.String(), attester.URL)
		}
		table.Print("no attesters: claims are refused")
	})
}
