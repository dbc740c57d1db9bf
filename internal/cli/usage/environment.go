package usage

import (
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

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
