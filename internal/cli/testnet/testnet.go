// Package testnet has the commands that create and run a network of several nodes.
package testnet

import (
	"fmt"

	"github.com/spf13/cobra"

	"makechain/internal/term"
	"makechain/internal/testnet"
)

// New returns the command testnet.
func New() *cobra.Command {
	command := &cobra.Command{
		Use:   "testnet",
		Short: "Create and run a network of several nodes",
		Example: "  makechain testnet init --validators 4 --followers 2 --out net\n" +
			"  makechain testnet start net",
	}
	command.AddCommand(newInitCommand(), newStartCommand())
	return command
}

func newInitCommand() *cobra.Command {
	options := testnet.Options{}
	command := &cobra.Command{
		Use:   "init",
		Short: "Create the homes of a network",
		Long: `Create the homes of a network: private keys, one genesis, and for each node a
config.toml with its ports and peers. It is a development chain, and every node has
a faucet.

Without --hosts all nodes run on this machine, each with ten ports from --base-port on.
With --hosts each home is for another machine, and must be copied there.`,
		Example: "  makechain testnet init --validators 4 --followers 2 --out net\n" +
			"  makechain testnet init --hosts a.example,b.example,c.example,d.example --out net",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if hosts := len(options.Hosts); hosts > 0 && !command.Flags().Changed("validators") {
				options.Validators = hosts - options.Followers
			}
			network, err := testnet.Init(options)
			if err != nil {
				return fmt.Errorf("testnet init: %w", err)
			}
			return describeNetwork(command, options.Dir, network)
		},
	}
	flags := command.Flags()
	flags.IntVar(&options.Validators, "validators", DefaultValidators, "number of validators")
	flags.IntVar(&options.Followers, "followers", 0, "number of nodes that are not validators")
	flags.StringVar(&options.Dir, "out", "testnet", "directory for the homes")
	flags.IntVar(&options.BasePort, "base-port", testnet.DefaultBasePort, "first port (0 for free ports)")
	flags.StringSliceVar(&options.Hosts, "hosts", nil, "host names of the nodes, validators first (default this machine)")
	flags.StringVar(&options.ChainID, "chain-id", "", "id of the chain (default generated)")
	flags.DurationVar(&options.BlockInterval, "block-interval", 0, "pause between blocks (default as for makechain node)")
	return command
}

// DefaultValidators is the smallest number of validators that tolerates the failure of one.
const DefaultValidators = 4

// describeNetwork prints the nodes of a network and the next step.
func describeNetwork(command *cobra.Command, dir string, network *testnet.Network) error {
	p := term.New(command.OutOrStdout(), term.Options{Colour: term.Colourful(command.OutOrStdout())})
	p.Line("chain %s in %s", network.ChainID, dir)
	table := p.Table("node", "role", "gRPC", "REST", "peers")
	for i := range network.Nodes {
		node := &network.Nodes[i]
		table.Row(node.Name, node.Role(), node.GRPC, node.REST, node.P2P)
	}
	table.Print("no nodes")
	if network.Local {
		p.Line("next: makechain testnet start %s", dir)
	} else {
		p.Line("next: copy each home to its machine, then there: makechain node --home node0")
	}
	return p.Err()
}
