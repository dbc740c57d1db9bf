// Package change has what the commands for changes that validators sign share: the flags of an operator, the proven state that a
// change applies to, and the commands that sign and submit a change in a file.
package change

import (
	"context"
	"fmt"
	"net"
	"path/filepath"

	"github.com/spf13/cobra"

	"makechain/client"
	"makechain/internal/cli/query"
	"makechain/internal/cli/settings"
	"makechain/internal/cli/usage"
	"makechain/internal/node"
	"makechain/internal/validators"
)

// Operator has the flags of commands for the operator of a node.
type Operator struct {
	query.Flags

	Home string
}

// Register adds the flags to a command.
func (o *Operator) Register(command *cobra.Command) {
	o.Flags.Register(command)
	flags := command.Flags()
	flags.StringVar(&o.Home, settings.HomeFlag, node.DefaultHome, "directory of the node, with its genesis and its validator key")
	asked := flags.Lookup("node")
	asked.Usage, asked.DefValue = "address of the node: host:port, or https://host (default that of the home)", ""
	flags.Lookup("genesis").Usage = "genesis file whose validators are trusted (default that of the home)"
}

// complete sets the flags that were not given from the home: the genesis, and the address of the node that runs there.
func (o *Operator) complete(command *cobra.Command) error {
	if o.Connection.Genesis == "" {
		o.Connection.Genesis = filepath.Join(o.Home, "config", "genesis.json")
	}
	if command.Flags().Changed("node") {
		return nil
	}
	var configured settings.NodeFlags
	file := &cobra.Command{}
	configured.Register(file.Flags())
	if err := settings.FromFile(file, o.Home); err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(configured.GRPC)
	if err != nil {
		return fmt.Errorf("gRPC address of the node of %s: %w", o.Home, err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	o.Connection.Node = net.JoinHostPort(host, port)
	return nil
}

// Current is what the changes of a chain have set, proven from genesis on.
type Current struct {
	ChainID string
	Rules   *validators.Rules
	State   *validators.State
}

// read reads the state that changes set. The genesis file is trusted.
func (o *Operator) read(ctx context.Context, c *client.Client) (*Current, error) {
	genesis, err := query.ReadGenesis(o.Connection.Genesis)
	if err != nil {
		return nil, usage.Advise(err, "--home with the directory of a node of the chain")
	}
	s := &Current{ChainID: genesis.ChainID, Rules: validators.NewRules(genesis)}
	rows := &provenRows{ctx: ctx, client: c}
	if s.State, err = s.Rules.Current(rows, 0); err != nil {
		return nil, err
	}
	s.State.Height = rows.block + 1
	return s, nil
}

// provenRows is the state of a chain, of which every row is proven.
type provenRows struct {
	ctx    context.Context //nolint:containedctx // of the one call that reads the rows
	client *client.Client
	block  uint64 // the newest of which a row was read
}

// Get returns a row, nil when the chain has none.
func (r *provenRows) Get(key []byte) ([]byte, error) {
	value, block, err := r.client.Row(r.ctx, key)
	r.block = max(r.block, block)
	return value, err
}

// Run runs a command with what the changes of the chain have set.
func (o *Operator) Run(command *cobra.Command, do func(*Current) error) error {
	if err := o.complete(command); err != nil {
		return err
	}
	return o.Flags.Run(command, func(q *query.Query) error {
		s, err := o.read(q.Context(), q.Client)
		if err != nil {
			return err
		}
		return do(s)
	})
}
