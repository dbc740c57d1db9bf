package settlement

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"makechain/internal/cli/change"
	"makechain/internal/cli/output"
	"makechain/internal/cli/usage"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/term"
	"makechain/internal/validators"
)

// changes returns the kind of changes of the settlement.
func changes() *change.Kind {
	return &change.Kind{
		Command: "makechain settlement change", Show: "makechain settlement show",
		Is: func(content validators.Content) bool {
			_, is := content.(validators.Settlement)
			return is
		},
		Details: printChange, Print: printSettlement,
	}
}

func newChangeCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "change",
		Short: "Create, sign and submit a change of the settlement",
		Example: "  makechain settlement change new change.json --remove 8a88e3... --add 3b6a27...=https://attester.example\n" +
			"  makechain settlement change sign change.json\n  makechain settlement change submit change.json",
	}
	kind := changes()
	command.AddCommand(newChangeNewCommand(kind), kind.NewSignCommand(), kind.NewSubmitCommand())
	return command
}

// edits are the flags of a new change: what differs from the settlement in force.
type edits struct {
	add, remove []string
	threshold   int
	contract    string
	chainID     uint64
}

func newChangeNewCommand(kind *change.Kind) *cobra.Command {
	var o change.Operator
	var e edits
	command := &cobra.Command{
		Use:   "new <file>",
		Short: "Create a change of the settlement in a file",
		Long: `What no flag names stays as it is. Others sign the file. The change applies to the settlement in force: after another change of it is
committed, a new file is needed. Signatures of removed attesters, and those for another contract, stop counting in the block
after the change; the attesters in force sign payments that were made before again on request.`,
		Example: "  makechain settlement change new change.json --remove 8a88e3... --add 3b6a27...=https://attester.example\n" +
			"  makechain settlement change new change.json --threshold 2",
		Args: usage.Args("a file to write"),
		RunE: func(command *cobra.Command, args []string) error {
			return o.Run(command, func(s *change.Current) error {
				next, err := e.apply(&s.State.Settlement.Settlement, command)
				if err != nil {
					return usage.Errorf(command, "%w", err)
				}
				return kind.Create(&o, command, s, validators.Settlement(*next), args[0])
			})
		},
	}
	o.Register(command)
	flags := command.Flags()
	flags.StringArrayVar(&e.add, "add", nil, "attester to add, or whose URL to change, as key=URL")
	flags.StringArrayVar(&e.remove, "remove", nil, "attester to remove, by its key")
	flags.IntVar(&e.threshold, "threshold", 0, "how many attesters must sign a claim")
	flags.StringVar(&e.contract, "contract", "", "address of the settlement contract")
	flags.Uint64Var(&e.chainID, "settlement-chain-id", 0, "id of the settlement chain")
	return command
}

// apply returns the settlement after the edits of a command.
func (e *edits) apply(current *ledger.Settlement, command *cobra.Command) (*ledger.Settlement, error) {
	next := *current
	next.Attesters = slices.Clone(current.Attesters)
	for _, digits := range e.remove {
		key, err := ident.ParsePublicKey(digits)
		if err != nil {
			return nil, fmt.Errorf("--remove: %w", err)
		}
		if !next.Has(key) {
			return nil, fmt.Errorf("--remove: %s is not an attester", key)
		}
		next.Attesters = slices.DeleteFunc(next.Attesters, func(a ledger.Attester) bool { return a.Key == key })
	}
	for _, text := range e.add {
		digits, url, hasURL := strings.Cut(text, "=")
		key, err := ident.ParsePublicKey(digits)
		if err != nil || !hasURL || url == "" {
			return nil, fmt.Errorf("--add: %q is not key=URL", text)
		}
		added := ledger.Attester{Key: key, URL: url}
		if at := slices.IndexFunc(next.Attesters, func(a ledger.Attester) bool { return a.Key == key }); at >= 0 {
			next.Attesters[at] = added
		} else {
			next.Attesters = append(next.Attesters, added)
		}
	}
	if command.Flags().Changed("threshold") {
		next.Threshold = e.threshold
	}
	if command.Flags().Changed("settlement-chain-id") {
		next.ChainID = e.chainID
	}
	if e.contract != "" {
		var err error
		if next.Contract, err = ident.ParseAddress(e.contract); err != nil {
			return nil, fmt.Errorf("--contract: %w", err)
		}
	}
	if next.Equal(current) {
		return nil, errors.New("nothing to change: want --add, --remove, --threshold, --contract or --settlement-chain-id")
	}
	return &next, nil
}

// printChange prints the settlement that a change sets, next to the one in force.
func printChange(p *term.Printer, state *validators.State, content validators.Content) {
	set, _ := content.(validators.Settlement)
	before, after := &state.Settlement.Settlement, ledger.Settlement(set)
	table := p.Table("settlement", "before", "after")
	table.Row("chain", output.Number(before.ChainID), output.Number(after.ChainID))
	table.Row("contract", before.Contract.String(), after.Contract.String())
	table.Row("threshold", strconv.Itoa(before.Threshold), strconv.Itoa(after.Threshold))
	table.Print("")
	attesters := p.Table("attester", "url", "")
	for _, attester := range before.Attesters {
		if !after.Has(attester.Key) {
			attesters.Row(attester.Key.String(), attester.URL, "removed")
		}
	}
	for _, attester := range after.Attesters {
		state := ""
		switch {
		case !before.Has(attester.Key):
			state = "added"
		case !slices.Contains(before.Attesters, attester):
			state = "changed"
		}
		attesters.Row(attester.Key.String(), attester.URL, state)
	}
	attesters.Print("no attesters: claims are refused")
}
