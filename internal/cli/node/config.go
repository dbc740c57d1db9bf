package node

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"makechain/internal/cli/output"
	"makechain/internal/cli/settings"
	"makechain/internal/cli/usage"
	"makechain/internal/term"
)

// NewConfig returns the command config.
func NewConfig() *cobra.Command {
	command := &cobra.Command{
		Use:   "config",
		Short: "Check and show the configuration of a node",
		Long: `Each setting comes from its flag, else from the environment (--grpc-addr is
MAKECHAIN_GRPC_ADDR), else from config.toml in the home (grpc-addr = "..."), else it
has its default. Both commands have the flags of makechain node.`,
		Example: "  makechain config check --home /var/lib/makechain\n  makechain config show --json",
	}
	command.AddCommand(newCheckCommand(), newShowCommand())
	return command
}

func newCheckCommand() *cobra.Command {
	var node settings.NodeFlags
	command := &cobra.Command{
		Use:     "check",
		Short:   "Check the configuration of a node",
		Example: "  makechain config check --home /var/lib/makechain",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := settings.FromFile(command, node.Home); err != nil {
				return err
			}
			if faults := node.Check(command); len(faults) > 0 {
				return &usage.Error{Err: errors.Join(faults...)}
			}
			_, err := fmt.Fprintln(command.OutOrStdout(), "the configuration is valid")
			return err
		},
	}
	node.Register(command.Flags())
	return command
}

func newShowCommand() *cobra.Command {
	var node settings.NodeFlags
	var out output.Flags
	command := &cobra.Command{
		Use:     "show",
		Short:   "Show every setting of a node and its source",
		Example: "  makechain config show --home /var/lib/makechain",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := settings.FromFile(command, node.Home); err != nil {
				return err
			}
			list := effective(command.LocalFlags())
			return out.PrintValue(command, map[string]any{"settings": list}, func(p *term.Printer) {
				table := p.Table("setting", "value", "from")
				for _, s := range list {
					table.Row(s.Name, s.Value, s.Source)
				}
				table.Print("no settings")
			})
		},
	}
	node.Register(command.Flags())
	out.RegisterJSON(command.Flags())
	return command
}

// setting is a flag of a node with its effective value.
type setting struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Source string `json:"source"`
}

// effective returns the settings of a node, sorted by name.
func effective(flags *pflag.FlagSet) []setting {
	var list []setting
	flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Name == "help" || flag.Name == "json" {
			return
		}
		value := flag.Value.String()
		if list, isList := flag.Value.(pflag.SliceValue); isList {
			value = strings.Join(list.GetSlice(), ",")
		}
		list = append(list, setting{flag.Name, value, usage.Source(flag)})
	})
	return list
}
