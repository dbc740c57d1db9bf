package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// suggestionDistance is how many letters may be wrong in the name of a command that is guessed at.
const suggestionDistance = 2

// usageError is a command line that cannot be carried out, whatever the state of the chain.
type usageError struct {
	err     error
	command string // whose help would help; empty for none
}

func (e *usageError) Error() string { return e.err.Error() }

func (e *usageError) Unwrap() error { return e.err }

// misused makes a usage error of a command.
func misused(command *cobra.Command, format string, args ...any) error {
	return &usageError{err: fmt.Errorf(format, args...), command: command.CommandPath()}
}

// strict makes every mistake on the command line a usage error, in a whole tree of commands. A command that only has
// others below it prints its help when it is called alone.
func strict(command *cobra.Command) {
	command.SuggestionsMinimumDistance = suggestionDistance
	command.SetFlagErrorFunc(func(command *cobra.Command, err error) error { return misused(command, "%w", err) })
	if command.HasSubCommands() && !command.Runnable() {
		command.Args = onlySubcommands
		command.RunE = func(command *cobra.Command, _ []string) error { return command.Help() }
	} else if check := command.Args; check != nil {
		command.Args = func(command *cobra.Command, args []string) error {
			err := check(command, args)
			if given := (*usageError)(nil); err == nil || errors.As(err, &given) {
				return err
			}
			return misused(command, "%w", err)
		}
	}
	for _, below := range command.Commands() {
		strict(below)
	}
}

// onlySubcommands refuses what is no command, and says what was perhaps meant.
func onlySubcommands(command *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	meant := ""
	if similar := command.SuggestionsFor(args[0]); len(similar) > 0 {
		meant = fmt.Sprintf("; did you mean %s?", strings.Join(similar, " or "))
	}
	return misused(command, "unknown command %q for %q%s", args[0], command.CommandPath(), meant)
}

// arguments wants as many arguments as names, the last of which may be in brackets for one that can be left out, or
// end in dots for one or more.
func arguments(names ...string) cobra.PositionalArgs {
	least, most := len(names), len(names)
	if last := names[len(names)-1]; strings.HasPrefix(last, "[") {
		least--
	} else if strings.HasSuffix(last, "...") {
		most = -1
	}
	return func(command *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return misused(command, "missing %s", names[len(args)])
		case most >= 0 && len(args) > most:
			return misused(command, "one argument too many: %q", args[most])
		default:
			return nil
		}
	}
}
