package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"makechain/internal/term"
)

func newConfigCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "config",
		Short: "Check and show how a node would run",
		Long: `Check and show how a node would run.

A node takes each setting from its flag, else from the environment (--grpc-addr is
MAKECHAIN_GRPC_ADDR), else from config.toml in its home (grpc-addr = "..."), else
from its default. Both commands take the flags of makechain node.`,
		Example: "  makechain config check --home /var/lib/makechain\n  makechain config show --json",
	}
	command.AddCommand(newConfigCheckCommand(), newConfigShowCommand())
	return command
}

func newConfigCheckCommand() *cobra.Command {
	var node nodeFlags
	command := &cobra.Command{
		Use:     "check",
		Short:   "Say what is wrong with the configuration of a node, and where",
		Example: "  makechain config check --home /var/lib/makechain",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := fromFile(command, node.config.Home); err != nil {
				return err
			}
			if faults := node.faults(command); len(faults) > 0 {
				return &usageError{err: errors.Join(faults...)}
			}
			_, err := fmt.Fprintln(command.OutOrStdout(), "nothing wrong")
			return err
		},
	}
	node.register(command.Flags())
	return command
}

func newConfigShowCommand() *cobra.Command {
	var node nodeFlags
	var asJSON bool
	command := &cobra.Command{
		Use:     "show",
		Short:   "Print every setting of a node and where it comes from",
		Example: "  makechain config show --home /var/lib/makechain",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := fromFile(command, node.config.Home); err != nil {
				return err
			}
			settings := effective(command.LocalFlags())
			if asJSON {
				return json.NewEncoder(command.OutOrStdout()).Encode(map[string]any{"settings": settings})
			}
			p := term.New(command.OutOrStdout(), term.Options{Colour: term.Colourful(command.OutOrStdout())})
			table := p.Table("setting", "value", "from")
			for _, s := range settings {
				table.Row(s.Name, s.Value, s.Source)
			}
			table.Print("no settings")
			return p.Err()
		},
	}
	node.register(command.Flags())
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

// A setting is a flag of a node with the value it would run with.
type setting struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Source string `json:"source"`
}

// effective lists the settings of a node, in the order of their names.
func effective(flags *pflag.FlagSet) []setting {
	var settings []setting
	flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Name == "help" || flag.Name == "json" {
			return
		}
		value := flag.Value.String()
		if list, isList := flag.Value.(pflag.SliceValue); isList {
			value = strings.Join(list.GetSlice(), ",")
		}
		settings = append(settings, setting{flag.Name, value, sourceOf(flag)})
	})
	return settings
}
