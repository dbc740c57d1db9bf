package change

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"makechain/internal/backoff"
	"makechain/internal/cli/output"
	"makechain/internal/cli/submit"
	"makechain/internal/cli/usage"
	"makechain/internal/comet"
	"makechain/internal/node"
	"makechain/internal/term"
	"makechain/internal/validators"
)

// decisionInterval is the time between two checks of the status of a change.
const decisionInterval = 100 * time.Millisecond

// Kind describes the commands of one kind of changes.
type Kind struct {
	Command string // the parent of the commands, as in "makechain validator change"
	Show    string // the command that prints the current state
	// Is reports whether a change is of this kind.
	Is func(content validators.Content) bool
	// Details prints what a change sets, next to what it replaces.
	Details func(p *term.Printer, before *validators.State, content validators.Content)
	// Print prints the part of the state that the changes set.
	Print func(o *Operator, command *cobra.Command, s *Current) error
}

// Create writes a new change with some content to a file and prints it.
func (k *Kind) Create(o *Operator, command *cobra.Command, s *Current, content validators.Content, path string) error {
	made := validators.New(s.ChainID, s.State, content)
	if _, err := s.Rules.Preview(s.State, made); err != nil {
		return err
	}
	if err := writeNew(path, made); err != nil {
		return err
	}
	return k.print(o, command, s, made, path)
}

// NewSignCommand returns the command that signs a change.
func (k *Kind) NewSignCommand() *cobra.Command {
	var o Operator
	command := &cobra.Command{
		Use:   "sign <file>",
		Short: "Sign a change with the validator key of a home",
		Long: `The signature is added to the file, and the change is printed. Operators can pass one file from one to the next, or
sign copies of it and pass all copies to submit.`,
		Example: "  " + k.Command + " sign change.json --home /var/lib/makechain",
		Args:    usage.Args("a file to sign"),
		RunE: func(command *cobra.Command, args []string) error {
			signed, err := k.read(args[0])
			if err != nil {
				return err
			}
			return o.Run(command, func(s *Current) error {
				if _, err := s.Rules.Preview(s.State, signed); err != nil {
					return err
				}
				key, err := comet.SignChange(o.Home, signed)
				if err != nil {
					return err
				}
				if s.State.Validators.Power(key) == 0 {
					return usage.Advise(fmt.Errorf("%s, the key of this home, is not a validator", key), "--home of a validator")
				}
				if err := replace(args[0], signed); err != nil {
					return err
				}
				return k.print(&o, command, s, signed, args[0])
			})
		},
	}
	o.Register(command)
	return command
}

// NewSubmitCommand returns the command that submits a change.
func (k *Kind) NewSubmitCommand() *cobra.Command {
	var o Operator
	var wait submit.WaitFlags
	command := &cobra.Command{
		Use:   "submit <file>...",
		Short: "Submit a change that enough validators have signed",
		Long: `Several files are copies of one change with different signatures. The change is queued in the home of a node, so submitting
requires write access to the home; any node will do. The node proposes it until it is decided, also after a restart.`,
		Example: "  " + k.Command + " submit change.json --home /var/lib/makechain",
		Args:    usage.Args("a file to submit..."),
		RunE: func(command *cobra.Command, args []string) error {
			merged, err := k.readAll(args)
			if err != nil {
				return err
			}
			return o.Run(command, func(s *Current) error {
				next, err := s.Rules.Apply(s.State, merged)
				if err != nil {
					return k.advise(err, s, merged, args[0])
				}
				if err := node.QueueChange(o.Home, merged); err != nil {
					return err
				}
				if wait.Wait {
					if err := k.awaitDecision(&o, command, wait.Timeout); err != nil {
						return err
					}
				}
				return k.Print(&o, command, &Current{ChainID: s.ChainID, Rules: s.Rules, State: next.State})
			})
		},
	}
	o.Register(command)
	wait.Register(command.Flags())
	return command
}

// awaitDecision waits until a block has decided the change that is queued in the home.
func (k *Kind) awaitDecision(o *Operator, command *cobra.Command, timeout time.Duration) error {
	progress := term.StartProgress(command.ErrOrStderr(), "waiting for a block")
	defer progress.Stop()
	pending := usage.Advise(errors.New("the change is queued in the home, and not in a block yet"),
		"%s, later; a node must run in %s", k.Show, o.Home)
	ctx, cancel := context.WithTimeoutCause(command.Context(), timeout, pending)
	defer cancel()
	for {
		waits, refused, err := node.ChangeStatus(o.Home)
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

// advise adds the next step after a change that does not apply: more signatures, or a new file.
func (k *Kind) advise(err error, s *Current, refused *validators.Change, path string) error {
	if refused.Sequence != refused.NextSequence(s.State) {
		return usage.Advise(err, "%s, for what is in force; %s new, for what remains to be changed", k.Show, k.Command)
	}
	set := s.State.Validators
	if signed, wrong := refused.SignedPower(set); wrong == nil && signed < set.Quorum() {
		return usage.Advise(err, "%s sign %s --home of further validators, or their signed copies of the file as further arguments", k.Command, path)
	}
	return err
}

// print prints a change, the power that has signed it, and the next step.
func (k *Kind) print(o *Operator, command *cobra.Command, s *Current, made *validators.Change, path string) error {
	set := s.State.Validators
	signed, err := made.SignedPower(set)
	if err != nil {
		return err
	}
	next := k.Command + " sign " + path + ", by further validators"
	if signed >= set.Quorum() {
		next = k.Command + " submit " + path
	}
	if o.Output.JSON {
		content, err := validators.FormatJSON(made)
		if err != nil {
			return err
		}
		_, err = command.OutOrStdout().Write(content)
		return err
	}
	return o.Output.PrintValue(command, nil, func(p *term.Printer) {
		p.Facts(
			term.Fact{Label: "chain", Value: made.ChainID},
			term.Fact{Label: "change", Value: output.Number(made.Sequence)},
			term.Fact{Label: "signed", Value: fmt.Sprintf("by power %d of %d, required is %d", signed, set.TotalPower(), set.Quorum())},
			term.Fact{Label: "next", Value: next},
		)
		k.Details(p, s.State, made.Content)
	})
}
