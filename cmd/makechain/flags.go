package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// environmentPrefix begins the names of variables that stand for flags: --grpc-addr is MAKECHAIN_GRPC_ADDR.
const environmentPrefix = "MAKECHAIN_"

// fromEnvironment sets the flags that were not given from the environment.
func fromEnvironment(command *cobra.Command, _ []string) error {
	var failed error
	command.Flags().VisitAll(func(flag *pflag.Flag) {
		name := environmentPrefix + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
		value, set := os.LookupEnv(name)
		if flag.Changed || !set || failed != nil {
			return
		}
		err := errors.Join(command.Flags().Set(flag.Name, value), command.Flags().SetAnnotation(flag.Name, sourceMark, []string{name}))
		if err != nil {
			failed = misused(command, "%s: %w", name, err)
		}
	})
	return failed
}

// logFlags say how a command logs.
type logFlags struct {
	level, format string
}

func (l *logFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&l.level, "log-level", "info", "debug, info, warn or error")
	flags.StringVar(&l.format, "log-format", "text", "text or json")
}

func (l *logFlags) logger(out io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(l.level)); err != nil {
		return nil, &usageError{err: fmt.Errorf("--log-level: %q is none of debug, info, warn and error", l.level)}
	}
	options := &slog.HandlerOptions{Level: level}
	switch l.format {
	case "text":
		return slog.New(slog.NewTextHandler(out, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(out, options)), nil
	default:
		return nil, &usageError{err: fmt.Errorf("--log-format: %q is neither text nor json", l.format)}
	}
}
