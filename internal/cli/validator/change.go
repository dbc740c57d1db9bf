package validator

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

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
		Long: `Create a change of the validators in a file, for others to sign.

It applies to the current validators: after another change is committed, a new file is needed. The powers that change may
add up to a third of the voting power at most.`,
		Example: "  makechain validator change new change.json --set 3b6a27...=10\n" +
			"  makechain validator change new change.json --remove 8a88e3...",
		Args: usage.Args("a file to write"),
		RunE: func(command *cobra.Command, args []string) error {
			entries, err := parseEntries(set, remove)
			if err != nil {
				return usage.Errorf(command, "%w", err)
			}
			return o.run(command, func(s *current) error {
				change := validatorset.NewChange(s.chainID, s.set, entries)
				if _, err := s.rules.Preview(s.set, change); err != nil {
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
func parseEntries(set, remove []string) ([]validatorset.Validator, error) {
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
	return entries, nil
}

func newChangeSignCommand() *cobra.Command {
	var o operator
	command := &cobra.Command{
		Use:   "sign <file>",
		Short: "Sign a change with the validator key of a home",
		Long: `Sign a change with the validator key of a home, and add the signature to the file.

The change is printed. Operators can pass on one file, or sign copies of it and give all copies to submit.`,
		Example: "  makechain validator change sign change.json --home /var/lib/makechain",
		Args:    usage.Args("a file to sign"),
		RunE: func(command *cobra.Command, args []string) error {
			change, err := readChange(args[0])
			if err != nil {
				return err
			}
			return o.run(command, func(s *current) error {
				if _, err := s.rules.Preview(s.set, change); err != nil {
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
		Long: `Submit a change that enough validators have signed, through the node of a home.

Several files are copies of one change with different signatures. The change is queued in the home of a node, so submitting
requires write access to the home; any node will do. The node proposes it until it is decided, also after a restart.`,
		Example: "  makechain validator change submit change.json --home /var/lib/makechain",
		Args:    usage.Args("a file to submit..."),
		RunE: func(command *cobra.Command, args []string) error {
			change, err := readChanges(args)
			if err != nil {
				return err
			}
			return o.run(command, func(s *current) error {
				next, err := s.rules.Apply(s.set, change)
				if err != nil {
					return adviseOnChange(err, s, change, args[0])
				}
				if err := node.QueueValidatorChange(o.home, change); err != nil {
					return err
				}
				if wait.Wait {
					if err := o.awaitDecision(command, wait.Timeout); err != nil {
						return err
					}
				}
				return o.printSet(command, &current{chainID: s.chainID, set: next})
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
	expired := time.NewTimer(timeout)
	defer expired.Stop()
	ticker := time.NewTicker(decisionInterval)
	defer ticker.Stop()
	for {
		waits, refused, err := node.ValidatorChangeStatus(o.home)
		switch {
		case err != nil:
			return err
		case !waits && refused != "":
			return errors.New(refused)
		case !waits:
			return nil
		}
		select {
		case <-ticker.C:
		case <-expired.C:
			waits := errors.New("the change is queued in the home, and not in a block yet")
			return usage.Advise(waits, "makechain validator list, later; a node must run in %s", o.home)
		case <-command.Context().Done():
			return command.Context().Err()
		}
	}
}
