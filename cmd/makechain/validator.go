package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"makechain/client"
	"makechain/internal/comet"
	"makechain/internal/node"
	"makechain/internal/schema"
	"makechain/internal/term"
	validatorset "makechain/internal/validators"
)

func newValidatorCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "validator",
		Short: "List the validators of a chain, and change them",
		Long: `List the validators of a chain, and change them.

Validators change when those with more than two thirds of the voting power agree: one operator writes the change into a
file, others sign it, and any of them submits it. No step moves more than a third of the voting power.`,
		Example: "  makechain validator list\n  makechain validator change new change.json --set 3b6a27...=10",
	}
	command.AddCommand(newValidatorListCommand(), newValidatorKeyCommand(), newValidatorChangeCommand())
	return command
}

// operator is what commands about validators have in common: they are for whoever runs a node.
type operator struct {
	remote

	home string
}

func (o *operator) register(command *cobra.Command) {
	o.remote.register(command)
	flags := command.Flags()
	flags.StringVar(&o.home, homeFlag, node.DefaultHome, "directory of the node, with its genesis and its validator key")
	asked := flags.Lookup("node")
	asked.Usage, asked.DefValue = "the node to ask: host:port, or https://host (default that of the home)", ""
	flags.Lookup("genesis").Usage = "genesis file whose validators to trust (default that of the home)"
}

// complete takes from the home what was not given: the node that runs there, and the genesis.
func (o *operator) complete(command *cobra.Command) error {
	if o.genesis == "" {
		o.genesis = filepath.Join(o.home, "config", "genesis.json")
	}
	if command.Flags().Changed("node") {
		return nil
	}
	var configured nodeFlags
	file := &cobra.Command{}
	configured.register(file.Flags())
	if err := fromFile(file, o.home); err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(configured.grpc)
	if err != nil {
		return fmt.Errorf("where the node of %s serves: %w", o.home, err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	o.target = net.JoinHostPort(host, port)
	return nil
}

// standing is who validates a chain now, proven from genesis on.
type standing struct {
	chainID string
	rules   *validatorset.Rules
	set     *validatorset.Set
}

// stand reads who validates. The genesis of the home says whom to believe.
func (o *operator) stand(ctx context.Context, c *client.Client) (*standing, error) {
	begin, err := comet.Genesis(o.home)
	if err != nil {
		return nil, advise(err, "--home with the directory of a node of the chain")
	}
	value, _, err := c.Row(ctx, schema.ValidatorsKey())
	if err != nil {
		return nil, err
	}
	s := &standing{chainID: begin.ChainID, rules: validatorset.NewRules(begin)}
	s.set, err = s.rules.Current(oneRow(value))
	return s, err
}

// oneRow is a state of which only the row of the validators is known.
type oneRow []byte

func (r oneRow) Get([]byte) ([]byte, error) { return r, nil }

// standingIn runs what a command does with the validators of the chain.
func (o *operator) standingIn(command *cobra.Command, do func(*standing) error) error {
	if err := o.complete(command); err != nil {
		return err
	}
	return o.reading(command, func(ctx context.Context, c *client.Client) error {
		s, err := o.stand(ctx, c)
		if err != nil {
			return err
		}
		return do(s)
	})
}

func newValidatorKeyCommand() *cobra.Command {
	var home string
	command := &cobra.Command{
		Use:     "key",
		Short:   "Print the validator key of a home",
		Long:    "Print the public key that the node of a home signs blocks with once it is a validator.",
		Example: "  makechain validator key --home /var/lib/makechain",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if _, err := comet.Genesis(home); err != nil {
				return advise(err, "--home with the directory of a node of the chain")
			}
			identity, err := comet.EnsureKeys(home)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(command.OutOrStdout(), identity.Validator)
			return err
		},
	}
	command.Flags().StringVar(&home, "home", node.DefaultHome, "directory of the node")
	return command
}

// validatorEntry is a validator in a list. Numbers of 64 bits are strings, as REST has them.
type validatorEntry struct {
	PublicKey string `json:"public_key"`
	Power     string `json:"power"`
}

func newValidatorListCommand() *cobra.Command {
	var o operator
	command := &cobra.Command{
		Use:     "list",
		Short:   "List who validates, with their voting power",
		Long:    "List who validates, with their voting power, as the latest block has it. The list is proven from genesis on.",
		Example: "  makechain validator list --home /var/lib/makechain",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return o.standingIn(command, func(s *standing) error { return o.printSet(command, s) })
		},
	}
	o.register(command)
	return command
}

func (o *operator) printSet(command *cobra.Command, s *standing) error {
	if o.json {
		entries := []validatorEntry{}
		for _, v := range s.set.Validators {
			entries = append(entries, validatorEntry{v.Key.String(), strconv.FormatInt(v.Power, 10)})
		}
		return json.NewEncoder(command.OutOrStdout()).Encode(struct {
			ChainID    string           `json:"chain_id"`
			Sequence   string           `json:"sequence"`
			Validators []validatorEntry `json:"validators"`
		}{s.chainID, decimal(s.set.Sequence), entries})
	}
	p := o.printer(command)
	p.Facts(term.Fact{Label: "chain", Value: s.chainID}, term.Fact{Label: "changes", Value: decimal(s.set.Sequence)})
	table := p.Table("validator", "power", "share")
	total := s.set.TotalPower()
	for _, v := range s.set.Validators {
		table.Row(v.Key.String(), strconv.FormatInt(v.Power, 10), fmt.Sprintf("%.1f %%", 100*float64(v.Power)/float64(total)))
	}
	table.Print("")
	return p.Err()
}
