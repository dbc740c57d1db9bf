// Package usage checks command lines and turns errors into messages, advice and exit codes.
//
// A command reports failure by returning an error. Report prints it once, with the next step where there is one, and
// ExitCode maps it to the exit code of the process.
package usage

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// suggestionDistance is the largest edit distance between a mistyped command and a suggested one.
const suggestionDistance = 2

// Error is a command line that cannot be carried out, whatever the state of the chain.
type Error struct {
	Err     error
	Command string // the command whose --help is suggested; empty for none
}

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// Errorf returns an Error that suggests the help of a command.
func Errorf(command *cobra.Command, format string, args ...any) error {
	return &Error{Err: fmt.Errorf(format, args...), Command: command.CommandPath()}
}

// Strict makes every mistake on the command line an Error, in a whole tree of commands. A command that only has
// subcommands prints its help when it is called alone.
func Strict(command *cobra.Command) {
	command.SuggestionsMinimumDistance = suggestionDistance
	command.SetFlagErrorFunc(func(command *cobra.Command, err error) error { return Errorf(command, "%w", err) })
	if command.HasSubCommands() && !command.Runnable() {
		command.Args = onlySubcommands
		command.RunE = func(command *cobra.Command, _ []string) error { return command.Help() }
	} else if check := command.Args; check != nil {
		command.Args = func(command *cobra.Command, args []string) error {
			err := check(command, args)
			if wrong := (*Error)(nil); err == nil || errors.As(err, &wrong) {
				return err
			}
			return Errorf(command, "%w", err)
		}
	}
	for _, below := range command.Commands() {
		Strict(below)
	}
}

// onlySubcommands refuses an unknown subcommand and suggests similar ones.
func onlySubcommands(command *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	meant := ""
	if similar := command.SuggestionsFor(args[0]); len(similar) > 0 {
		meant = fmt.Sprintf("; did you mean %s?", strings.Join(similar, " or "))
	}
	return Errorf(command, "unknown command %q for %q%s", args[0], command.CommandPath(), meant)
}

// Args requires one argument for each name. The last name may be in brackets for an optional argument, or end in dots
// for one or more.
func Args(names ...string) cobra.PositionalArgs {
	least, most := len(names), len(names)
	if last := names[len(names)-1]; strings.HasPrefix(last, "[") {
		least--
	} else if strings.HasSuffix(last, "...") {
		most = -1
	}
	return func(command *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return Errorf(command, "missing %s", names[len(args)])
		case most >= 0 && len(args) > most:
			return Errorf(command, "one argument too many: %q", args[most])
		default:
			return nil
		}
	}
}

// CompleteValues completes a flag with a fixed list of values.
func CompleteValues(command *cobra.Command, flag string, values ...string) {
	CompleteFlag(command, flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// CompleteFlag adds a completion to a flag that the command must have.
func CompleteFlag(command *cobra.Command, flag string, complete cobra.CompletionFunc) {
	must(command.RegisterFlagCompletionFunc(flag, complete))
}

// must panics on an error that only a wrong program can cause.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
