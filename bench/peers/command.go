// Package peers compares a node with two other CometBFT applications on the same machine: the key-value store that comes
// with CometBFT, and one that verifies signatures and writes rows but has no rules and no state tree, as an upper bound
// for such a node.
//
// Each runs as a process of its own, with one validator and the CometBFT configuration of internal/comet. The same clients
// send the same bytes over HTTP to one after the other, so that changes of the machine over time affect all alike.
package peers

import (
	"errors"
	"time"

	"github.com/spf13/cobra"
)

// Defaults of the flags.
const (
	defaultFor     = 20 * time.Second
	defaultRate    = 2_000
	defaultClients = 64
)

// options are the parameters of a comparison.
type options struct {
	length  time.Duration // that an application needs for all messages at nominalRate
	rate    int           // messages per second at a steady rate
	clients int
	rows    int // of the state before the measurement
	json    bool
}

// NewCommand returns the command peers, which runs the comparison. Its hidden subcommand serves one of the applications.
func NewCommand() *cobra.Command {
	var o options
	command := &cobra.Command{
		Use:   peersCommand,
		Short: "Compare a node with other CometBFT applications",
		Long: `Compare a node with the key-value store that comes with CometBFT, and with an application
that verifies signatures and writes rows but has no rules and no state tree. All get the
same messages, first as fast as they commit them and then at a steady rate.`,
		Example: "  go run -C bench . peers --rows 1000000",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if o.length <= 0 || o.rate <= 0 || o.clients <= 0 || o.rows < 0 {
				return errors.New("--for, --rate and --clients must be positive, and --rows not negative")
			}
			found, err := compare(command.Context(), o, command.ErrOrStderr())
			switch {
			case err != nil:
				return err
			case o.json:
				return found.writeJSON(command.OutOrStdout())
			default:
				return found.writeText(command.OutOrStdout())
			}
		},
	}
	flags := command.Flags()
	flags.DurationVar(&o.length, "for", defaultFor, "number of messages: those of this duration at 10,000 per second")
	flags.IntVar(&o.rate, "rate", defaultRate, "messages per second at a steady rate")
	flags.IntVar(&o.clients, "clients", defaultClients, "clients, each with one batch of 100 messages in flight")
	flags.IntVar(&o.rows, "rows", 0, "rows of the state before the measurement")
	flags.BoolVar(&o.json, "json", false, "print one JSON object")
	command.AddCommand(&cobra.Command{
		Use:    serveCommand + " application home rows",
		Hidden: true,
		Args:   cobra.ExactArgs(3),
		RunE: func(command *cobra.Command, args []string) error {
			return serve(command.Context(), args[0], args[1], args[2])
		},
	})
	return command
}
