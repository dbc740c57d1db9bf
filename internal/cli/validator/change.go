package validator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"makechain/internal/backoff"
	"makechain/internal/cli/output"
	"makechain/internal/cli/submit"
	"makechain/internal/cli/usage"
	"makechain/internal/comet"
	"makechain/internal/ident"
	"makechain/internal/node"
	"makechain/internal/term"
	validatorset "makechain/internal/validators"
)

// decisionInterval is the time between two checks of the status of a change.
const decisionInterval = 100 * time.Millisecond

func newChangeCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "change",
		Short: "Create, sign and submit a change of the validators",
		Example: "  makechain validator change new change.json --set 3b6a27...=10\n" +
			"  makechain validator change sign change.json\n  makechain validator change submit change.json",
	}
	command.AddCommand(newChangeNewCommand(), newChangeSignCommand(), newChangeSubmitCommand())
	return command
}

func newChangeNewCommand() *cobra.Command {
	var o operator
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
			return o.run(command, func(s *current) error {
				change := validatorset.New(s.chainID, s.state, entries)
				if _, err := s.rules.Preview(s.state, change); err != nil {
					return err
				}
				if err := writeNewChange(args[0], change); err != nil {
					return err
				}
				return o.printChange(command, s, change, args[0])
			})
		},
	}
	o.register(command)
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

func newChangeSignCommand() *cobra.Command {
	var o operator
	command := &cobra.Command{
		Use:   "sign <file>",
		Short: "Sign a change with the validator key of a home",
		Long: `The signature is added to the file, and the change is printed. Operators can pass one file from one to the next, or
sign copies of it and pass all copies to submit.`,
		Example: "  makechain validator change sign change.json --home /var/lib/makechain",
		Args:    usage.Args("a file to sign"),
		RunE: func(command *cobra.Command, args []string) error {
			change, err := readChange(args[0])
			if err != nil {
				return err
			}
			return o.run(command, func(s *current) error {
				if _, err := s.rules.Preview(s.state, change); err != nil {
					return err
				}
				key, err := comet.SignChange(o.home, change)
				if err != nil {
					return err
				}
				if s.set.Power(key) == 0 {
					return usage.Advise(fmt.Errorf("%s, the key of this home, is not a validator", key), "--home of a validator")
				}
				if err := replaceChange(args[0], change); err != nil {
					return err
				}
				return o.printChange(command, s, change, args[0])
			})
		},
	}
	o.register(command)
	return command
}

func newChangeSubmitCommand() *cobra.Command {
	var o operator
	var wait submit.WaitFlags
	command := &cobra.Command{
		Use:   "submit <file>...",
		Short: "Submit a change that enough validators have signed",
		Long: `Several files are copies of one change with different signatures. The change is queued in the home of a node, so submitting
requires write access to the home; any node will do. The node proposes it until it is decided, also after a restart.`,
		Example: "  makechain validator change submit change.json --home /var/lib/makechain",
		Args:    usage.Args("a file to submit..."),
		RunE: func(command *cobra.Command, args []string) error {
			change, err := readChanges(args)
			if err != nil {
				return err
			}
			return o.run(command, func(s *current) error {
				next, err := s.rules.Apply(s.state, change)
				if err != nil {
					return adviseOnChange(err, s, change, args[0])
				}
				if err := node.QueueChange(o.home, change); err != nil {
					return err
				}
				if wait.Wait {
					if err := o.awaitDecision(command, wait.Timeout); err != nil {
						return err
					}
				}
				return o.printSet(command, &current{chainID: s.chainID, set: next.State.Validators})
			})
		},
	}
	o.register(command)
	wait.Register(command.Flags())
	return command
}

// awaitDecision waits until a block has decided the change that is queued in the home.
func (o *operator) awaitDecision(command *cobra.Command, timeout time.Duration) error {
	progress := term.StartProgress(command.ErrOrStderr(), "waiting for a block")
	defer progress.Stop()
	pending := usage.Advise(errors.New("the change is queued in the home, and not in a block yet"),
		"makechain validator list, later; a node must run in %s", o.home)
	ctx, cancel := context.WithTimeoutCause(command.Context(), timeout, pending)
	defer cancel()
	for {
		waits, refused, err := node.ChangeStatus(o.home)
		switch {
		case err != nil:
			return err
		case !waits && refused != "":
			return errors.New(refused)
		case !waits:
			return nil
		}
		if err := backoff.Sleep(ctx, decisionInterval); err != nil {
			return err
		}
	}
}

// readChanges reads copies of one change and merges their signatures.
func readChanges(paths []string) (*validatorset.Change, error) {
	change, err := readChange(paths[0])
	for _, path := range paths[1:] {
		var other *validatorset.Change
		if err == nil {
			other, err = readChange(path)
		}
		if err == nil {
			err = change.Merge(other)
		}
	}
	return change, err
}

func readChange(path string) (*validatorset.Change, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	change, err := validatorset.ParseJSON(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if _, ok := change.Content.(validatorset.Powers); !ok {
		return nil, fmt.Errorf("%s is a %s", path, change.Name())
	}
	return change, nil
}

// writeNewChange writes a change to a new file.
func writeNewChange(path string, change *validatorset.Change) error {
	content, err := validatorset.FormatJSON(change)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, output.PrivateMode)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s already exists", path)
	}
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}

// replaceChange replaces a file atomically, so that its signatures are never lost.
func replaceChange(path string, change *validatorset.Change) error {
	content, err := validatorset.FormatJSON(change)
	if err != nil {
		return err
	}
	return output.ReplaceFile(path, content)
}

// adviseOnChange adds the next step after a change that does not apply: more signatures, or a new file.
func adviseOnChange(err error, s *current, change *validatorset.Change, path string) error {
	if change.Sequence != change.NextSequence(s.state) {
		return usage.Advise(err, "makechain validator list, for the current validators; makechain validator change new, for what remains to be changed")
	}
	if signed, wrong := change.SignedPower(s.set); wrong == nil && signed < s.set.Quorum() {
		return usage.Advise(err, "makechain validator change sign %s --home of further validators, or their signed copies of the file as further arguments",
			path)
	}
	return err
}

// printChange prints a change, the power that has signed it, and the next step.
func (o *operator) printChange(command *cobra.Command, s *current, change *validatorset.Change, path string) error {
	signed, err := change.SignedPower(s.set)
	if err != nil {
		return err
	}
	next := "makechain validator change sign " + path + ", by further validators"
	if signed >= s.set.Quorum() {
		next = "makechain validator change submit " + path
	}
	if o.Output.JSON {
		content, err := validatorset.FormatJSON(change)
		if err != nil {
			return err
		}
		_, err = command.OutOrStdout().Write(content)
		return err
	}
	return o.Output.PrintValue(command, nil, func(p *term.Printer) {
		p.Facts(
			term.Fact{Label: "chain", Value: change.ChainID},
			term.Fact{Label: "change", Value: output.Number(change.Sequence)},
			term.Fact{Label: "signed", Value: fmt.Sprintf("by power %d of %d, required is %d", signed, s.set.TotalPower(), s.set.Quorum())},
			term.Fact{Label: "next", Value: next},
		)
		table := p.Table("validator", "before", "after")
		powers, _ := change.Content.(validatorset.Powers)
		for _, v := range powers {
			table.Row(v.Key.String(), strconv.FormatInt(s.set.Power(v.Key), 10), strconv.FormatInt(v.Power, 10))
		}
		table.Print("")
	})
}
