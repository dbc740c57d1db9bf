package validator

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"makechain/internal/cli/output"
	"makechain/internal/cli/usage"
	"makechain/internal/term"
	validatorset "makechain/internal/validators"
)

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
	if change.Sequence != s.set.Sequence+1 {
		return usage.Advise(err, "makechain validator list, for the current validators; makechain validator change new, for what remains to be changed")
	}
	if signed, wrong := change.SignedPower(s.set); wrong == nil && signed < s.set.Quorum() {
		return usage.Advise(err, "makechain validator change sign %s --home of further validators, or their signed copies of the file beside it", path)
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
		for _, v := range change.Validators {
			table.Row(v.Key.String(), strconv.FormatInt(s.set.Power(v.Key), 10), strconv.FormatInt(v.Power, 10))
		}
		table.Print("")
	})
}
