// Package validator has the commands about the validators of a chain.
package validator

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"makechain/client"
	"makechain/internal/cli/output"
	"makechain/internal/cli/query"
	"makechain/internal/cli/settings"
	"makechain/internal/cli/usage"
	"makechain/internal/comet"
	"makechain/internal/node"
	"makechain/internal/term"
	validatorset "makechain/internal/validators"
)

// New returns the command validator.
func New() *cobra.Command {
	command := &cobra.Command{
		Use:   "validator",
		Short: "List and change the validators of a chain",
		Long: `A change needs the signatures of validators with more than two thirds of the voting power: one operator creates the change
in a file, others sign it, and any of them submits it. A single change affects at most a third of the voting power.`,
		Example: "  makechain validator list\n  makechain validator change new change.json --set 3b6a27...=10",
	}
	command.AddCommand(newListCommand(), newKeyCommand(), newChangeCommand())
	return command
}

// operator has the flags of commands for the operator of a node.
type operator struct {
	query.Flags

	home string
}

func (o *operator) register(command *cobra.Command) {
	o.Register(command)
	flags := command.Flags()
	flags.StringVar(&o.home, settings.HomeFlag, node.DefaultHome, "directory of the node, with its genesis and its validator key")
	asked := flags.Lookup("node")
	asked.Usage, asked.DefValue = "address of the node: host:port, or https://host (default that of the home)", ""
	flags.Lookup("genesis").Usage = "genesis file whose validators are trusted (default that of the home)"
}

// complete sets the flags that were not given from the home: the genesis, and the address of the node that runs there.
func (o *operator) complete(command *cobra.Command) error {
	if o.Connection.Genesis == "" {
		o.Connection.Genesis = filepath.Join(o.home, "config", "genesis.json")
	}
	if command.Flags().Changed("node") {
		return nil
	}
	var configured settings.NodeFlags
	file := &cobra.Command{}
	configured.Register(file.Flags())
	if err := settings.FromFile(file, o.home); err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(configured.GRPC)
	if err != nil {
		return fmt.Errorf("gRPC address of the node of %s: %w", o.home, err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	o.Connection.Node = net.JoinHostPort(host, port)
	return nil
}

// current is the validator set of a chain, proven from genesis on.
type current struct {
	chainID string
	rules   *validatorset.Rules
	state   *validatorset.State
	set     *validatorset.Set // of the state
}

// read reads the validator set. The genesis of the home is trusted.
func (o *operator) read(ctx context.Context, c *client.Client) (*current, error) {
	genesis, err := comet.Genesis(o.home)
	if err != nil {
		return nil, usage.Advise(err, "--home with the directory of a node of the chain")
	}
	s := &current{chainID: genesis.ChainID, rules: validatorset.NewRules(genesis)}
	s.state, err = s.rules.Current(provenRows{ctx, c})
	if err == nil {
		s.set = s.state.Validators
	}
	return s, err
}

// provenRows is the state of a chain, of which every row is proven.
type provenRows struct {
	ctx    context.Context //nolint:containedctx // of the one call that reads the rows
	client *client.Client
}

// Get returns a row, nil when the chain has none.
func (r provenRows) Get(key []byte) ([]byte, error) {
	value, _, err := r.client.Row(r.ctx, key)
	return value, err
}

// run runs a command with the validator set of the chain.
func (o *operator) run(command *cobra.Command, do func(*current) error) error {
	if err := o.complete(command); err != nil {
		return err
	}
	return o.Run(command, func(q *query.Query) error {
		s, err := o.read(q.Context(), q.Client)
		if err != nil {
			return err
		}
		return do(s)
	})
}

func newKeyCommand() *cobra.Command {
	var home string
	command := &cobra.Command{
		Use:     "key",
		Short:   "Print the validator key of a home",
		Long:    "It is the public key with which the node of a home signs blocks when it is a validator.",
		Example: "  makechain validator key --home /var/lib/makechain",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if _, err := comet.Genesis(home); err != nil {
				return usage.Advise(err, "--home with the directory of a node of the chain")
			}
			identity, err := comet.EnsureKeys(home)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(command.OutOrStdout(), identity.Validator)
			return err
		},
	}
	command.Flags().StringVar(&home, settings.HomeFlag, node.DefaultHome, "directory of the node")
	return command
}

// entry is a validator in a list. Integers of 64 bits are strings, as in REST.
type entry struct {
	PublicKey string `json:"public_key"`
	Power     string `json:"power"`
}

func newListCommand() *cobra.Command {
	var o operator
	command := &cobra.Command{
		Use:     "list",
		Short:   "List the validators and their voting power",
		Long:    "The list is that after the latest block, and is verified from genesis on.",
		Example: "  makechain validator list --home /var/lib/makechain",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return o.run(command, func(s *current) error { return o.printSet(command, s) })
		},
	}
	o.register(command)
	return command
}

func (o *operator) printSet(command *cobra.Command, s *current) error {
	entries := []entry{}
	for _, v := range s.set.Validators {
		entries = append(entries, entry{v.Key.String(), strconv.FormatInt(v.Power, 10)})
	}
	answer := struct {
		ChainID    string  `json:"chain_id"`
		Sequence   string  `json:"sequence"`
		Validators []entry `json:"validators"`
	}{s.chainID, output.Number(s.set.Sequence), entries}
	return o.Output.PrintValue(command, answer, func(p *term.Printer) {
		p.Facts(term.Fact{Label: "chain", Value: s.chainID}, term.Fact{Label: "changes", Value: answer.Sequence})
		table := p.Table("validator", "power", "share")
		for i, v := range s.set.Validators {
			share := 100 * float64(v.Power) / float64(s.set.TotalPower())
			table.Row(entries[i].PublicKey, entries[i].Power, fmt.Sprintf("%.1f %%", share))
		}
		table.Print("")
	})
}
