// Package usage checks command lines and turns errors into messages, advice and exit codes.
//
// A command reports failure by returning an error. Report prints it once, with the next step where there is one, and
// ExitCode maps it to the exit code of the process.
package usage

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// maxDistance is the largest edit distance between a mistyped command and a suggested one.
const maxDistance = 2

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

// CompleteHelp makes the short text of a command the first paragraph of its long text, in a whole tree of commands.
func CompleteHelp(command *cobra.Command) {
	if command.Long != "" {
		command.Long = command.Short + ".\n\n" + command.Long
	}
	for _, below := range command.Commands() {
		CompleteHelp(below)
	}
}

// onlySubcommands refuses an unknown subcommand and suggests similar ones.
func onlySubcommands(command *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if advice := gitAdvice(args[0]); advice != "" && !command.HasParent() {
		return &Error{Err: Advise(fmt.Errorf("%q is a command of git, not of makechain", args[0]), "%s", advice)}
	}
	meant := ""
	if names := similar(command, args[0]); len(names) > 0 {
		meant = fmt.Sprintf("; did you mean %s?", strings.Join(names, " or "))
	}
	return Errorf(command, "unknown command %q for %q%s", args[0], command.CommandPath(), meant)
}

// similar returns the subcommands that differ from a word in less than half of its letters. Cobra also suggests names
// that begin with the word; those are left out when they are much longer.
func similar(command *cobra.Command, word string) []string {
	distance := min(maxDistance, (len(word)-1)/2)
	if distance == 0 {
		return nil
	}
	command.SuggestionsMinimumDistance = distance
	return slices.DeleteFunc(command.SuggestionsFor(word), func(name string) bool { return len(name)-len(word) > distance })
}

// gitAdvice returns what to use in place of a command that users know from git, or "".
func gitAdvice(word string) string {
	fetch := "git " + word + " makechain://<project>"
	list := "makechain ref list <project>; makechain ref update creates a branch or tag"
	return map[string]string{
		"clone":  fetch,
		"fetch":  fetch,
		"pull":   fetch,
		"diff":   "git diff; makechain ref list <project> shows the commits of the chain's branches",
		"init":   "makechain project create <name>, or git init for a repository",
		"log":    "makechain commit log <project>, or makechain ref log <project>@<branch>",
		"branch": list,
		"tag":    list,
		"merge":  "git merge, then makechain push; makechain mr list <project> shows open merge requests",
	}[word]
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
	if err := command.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err) // invariant: the command has the flag
	}
}

const (
	// EnvironmentPrefix is the prefix of environment variables that set flags: --grpc-addr is MAKECHAIN_GRPC_ADDR.
	EnvironmentPrefix = "MAKECHAIN_"
	// sourceAnnotation is the annotation of a flag that names the source of its value.
	sourceAnnotation = "source"
)

// FromEnvironment sets the flags that were not given from the environment.
func FromEnvironment(command *cobra.Command, _ []string) error {
	var failed error
	command.Flags().VisitAll(func(flag *pflag.Flag) {
		name := EnvironmentPrefix + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
		value, set := os.LookupEnv(name)
		if flag.Changed || !set || failed != nil {
			return
		}
		if err := errors.Join(command.Flags().Set(flag.Name, value), SetSource(command.Flags(), flag.Name, name)); err != nil {
			failed = Errorf(command, "%s: %w", name, err)
		}
	})
	return failed
}

// SetSource records the source of a flag's value for Source.
func SetSource(flags *pflag.FlagSet, flag, source string) error {
	return flags.SetAnnotation(flag, sourceAnnotation, []string{source})
}

// Source returns the source of a flag's value: an environment variable, a line of a file, the flag itself or "default".
func Source(flag *pflag.Flag) string {
	switch source := flag.Annotations[sourceAnnotation]; {
	case len(source) > 0:
		return source[0]
	case flag.Changed:
		return "--" + flag.Name
	default:
		return "default"
	}
}
