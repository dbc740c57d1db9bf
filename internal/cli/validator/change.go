package validator

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"makechain/internal/cli/change"
	"makechain/internal/cli/usage"
	"makechain/internal/ident"
	"makechain/internal/term"
	validatorset "makechain/internal/validators"
)

// changes returns the kind of changes of the validators.
func changes() *change.Kind {
	return &change.Kind{
		Command: "makechain validator change", Show: "makechain validator list",
		Is: func(content validatorset.Content) bool {
			_, is := content.(validatorset.Powers)
			return is
		},
		Details: printPowers, Print: printSet,
	}
}

func newChangeCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "change",
		Short: "Create, sign and submit a change of the validators",
		Example: "  makechain validator change new change.json --set 3b6a27...=10\n" +
			"  makechain validator change sign change.json\n  makechain validator change submit change.json",
	}
	kind := changes()
	command.AddCommand(newChangeNewCommand(kind), kind.NewSignCommand(), kind.NewSubmitCommand())
	return command
}

func newChangeNewCommand(kind *change.Kind) *cobra.Command {
	var o change.Operator
	var set, remove []string
	command := &cobra.Command{
		Use:   "new <file>",
		Short: "Create a change of the validators in a file",
		Long: `Others sign the file. The change applies to the current validators: after another change is committed, a new file is
needed. The powers that change may add up to a third of the voting power at most.`,
		Example: "  makechain validator change new change.json --set 3b6a27...=10\n" +
			"  makechain validator change new change.json --remove 8a88e3...",
		Args: usage.Args("a file to write"),
		RunE: func(command *cobra.Command, args []string) error {
			entries, err := parseEntries(set, remove)
			if err != nil {
				return usage.Errorf(command, "%w", err)
			}
			return o.Run(command, func(s *change.Current) error { return kind.Create(&o, command, s, entries, args[0]) })
		},
	}
	o.Register(command)
	command.Flags().StringArrayVar(&set, "set", nil, "validator to add, or whose power to change, as key=power")
	command.Flags().StringArrayVar(&remove, "remove", nil, "validator to remove, by its key")
	return command
}

// parseEntries parses --set and --remove.
func parseEntries(set, remove []string) (validatorset.Powers, error) {
	var entries []validatorset.Validator
	for _, text := range set {
		name, number, _ := strings.Cut(text, "=")
		key, err := ident.ParsePublicKey(name)
		if err != nil {
			return nil, fmt.Errorf("--set: %w", err)
		}
		power, err := strconv.ParseInt(number, 10, 64)
		if err != nil || power < 1 {
			return nil, fmt.Errorf("--set: %q is not a power of at least 1, as in key=power", number)
		}
		entries = append(entries, validatorset.Validator{Key: key, Power: power})
	}
	for _, name := range remove {
		key, err := ident.ParsePublicKey(name)
		if err != nil {
			return nil, fmt.Errorf("--remove: %w", err)
		}
		entries = append(entries, validatorset.Validator{Key: key})
	}
	if len(entries) == 0 {
		return nil, errors.New("nothing to change: want --set or --remove")
	}
	return validatorset.NewPowers(entries...), nil
}

// printPowers prints the powers that a change sets.
func printPowers(p *term.Printer, before *validatorset.State, content validatorset.Content) {
	powers, _ := content.(validatorset.Powers)
	table := p.Table("validator", "before", "after")
	for _, v := range powers {
		table.Row(v.Key.String(), strconv.FormatInt(before.Validators.Power(v.Key), 10), strconv.FormatInt(v.Power, 10))
	}
	table.Print("")
}
