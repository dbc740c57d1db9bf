// Package rules has the commands about the version of the rules of a chain.
package rules

import (
	"strings"

	"github.com/spf13/cobra"

	"makechain/internal/cli/change"
	"makechain/internal/cli/output"
	"makechain/internal/cli/usage"
	"makechain/internal/ledger"
	"makechain/internal/term"
	"makechain/internal/validators"
)

// New returns the command rules.
func New() *cobra.Command {
	command := &cobra.Command{
		Use:   "rules",
		Short: "Show the version of the rules of a chain, and activate the next one",
		Long: `The rules decide which messages apply. Validators with more than two thirds of the voting power activate the next version at a
height: one operator creates the change in a file, others sign it, and any of them submits it. A node whose program does not
have the version stops before that height, and continues with a program that has it.`,
		Example: "  makechain rules show\n  makechain rules change new change.json --version 4 --height 120000",
	}
	command.AddCommand(newShowCommand(), newChangeCommand())
	return command
}

func newShowCommand() *cobra.Command {
	var o change.Operator
	command := &cobra.Command{
		Use:   "show",
		Short: "Show the version of the rules in force, and the one that is activated",
		Long:  "They are those after the latest block, and are verified from genesis on. With --genesis and --node no home is needed.",
		Example: "  makechain rules show --home /var/lib/makechain\n" +
			"  makechain rules show --genesis genesis.json --node node.example:50051",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return o.Run(command, func(s *change.Current) error { return printRules(&o, command, s) })
		},
	}
	o.Register(command)
	return command
}

// activation is an activation in JSON. Integers of 64 bits are strings, as in REST.
type activation struct {
	Version string `json:"version"`
	Height  string `json:"height"`
}

// printRules prints the version in force and the pending activation.
func printRules(o *change.Operator, command *cobra.Command, s *change.Current) error {
	decided := s.State.Rules
	answer := struct {
		ChainID  string      `json:"chain_id"`
		Sequence string      `json:"sequence"`
		Height   string      `json:"next_height"`
		Version  string      `json:"version"`
		Pending  *activation `json:"pending,omitempty"`
	}{
		ChainID: s.ChainID, Sequence: output.Number(decided.Sequence), Height: output.Number(s.State.Height),
		Version: output.Number(s.State.RulesVersion()),
	}
	if s.State.Height < decided.Height {
		answer.Pending = &activation{Version: output.Number(decided.Version), Height: output.Number(decided.Height)}
	}
	return o.Output.PrintValue(command, answer, func(p *term.Printer) {
		facts := []term.Fact{
			{Label: "chain", Value: s.ChainID},
			{Label: "changes", Value: answer.Sequence},
			{Label: "version", Value: answer.Version + ", in block " + answer.Height},
		}
		if answer.Pending != nil {
			facts = append(facts, term.Fact{Label: "activated", Value: "version " + answer.Pending.Version + ", from block " + answer.Pending.Height + " on"})
		}
		p.Facts(facts...)
	})
}

// changes returns the kind of changes of the rules.
func changes() *change.Kind {
	return &change.Kind{
		Command: "makechain rules change", Show: "makechain rules show",
		Is: func(content validators.Content) bool {
			_, is := content.(validators.Activation)
			return is
		},
		Details: printChange, Print: printRules,
	}
}

func newChangeCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "change",
		Short: "Create, sign and submit an activation of the next version of the rules",
		Example: "  makechain rules change new change.json --version 4 --height 120000\n" +
			"  makechain rules change sign change.json\n  makechain rules change submit change.json",
	}
	kind := changes()
	command.AddCommand(newChangeNewCommand(kind), kind.NewSignCommand(), kind.NewSubmitCommand())
	return command
}

func newChangeNewCommand(kind *change.Kind) *cobra.Command {
	var o change.Operator
	var a validators.Activation
	command := &cobra.Command{
		Use:   "new <file>",
		Short: "Create an activation of the next version of the rules in a file",
		Long: `Others sign the file. The height must be at least 10 above that of the block that contains the change: choose one that leaves all operators
time to sign, and to install a program with the version. An activation whose height is not reached is replaced by another one.`,
		Example: "  makechain rules change new change.json --version 4 --height 120000",
		Args:    usage.Args("a file to write"),
		RunE: func(command *cobra.Command, args []string) error {
			var missing []string
			for _, name := range []string{"version", "height"} {
				if !command.Flags().Changed(name) {
					missing = append(missing, "--"+name)
				}
			}
			switch {
			case len(missing) > 0:
				return usage.Errorf(command, "want %s", strings.Join(missing, " and "))
			case !ledger.SupportsRules(a.Version):
				return usage.Errorf(command, "--version: this program has rules versions %d to %d, not %d: a node with it would stop at the height",
					ledger.OldestRulesVersion, ledger.RulesVersion, a.Version)
			}
			return o.Run(command, func(s *change.Current) error { return kind.Create(&o, command, s, a, args[0]) })
		},
	}
	o.Register(command)
	command.Flags().Uint64Var(&a.Version, "version", 0, "version to activate, the one after the version in force (required)")
	command.Flags().Uint64Var(&a.Height, "height", 0, "height of the first block with it (required)")
	return command
}

// printChange prints what a change activates, next to what is in force.
func printChange(p *term.Printer, before *validators.State, content validators.Content) {
	set, _ := content.(validators.Activation)
	table := p.Table("", "version", "from block")
	table.Row("in force", output.Number(before.RulesVersion()), "")
	if before.Height < before.Rules.Height {
		table.Row("replaced", output.Number(before.Rules.Version), output.Number(before.Rules.Height))
	}
	table.Row("activated", output.Number(set.Version), output.Number(set.Height))
	table.Print("")
}
