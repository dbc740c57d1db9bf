// Package node has the command that runs a node.
package node

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"makechain/internal/cli/output"
	"makechain/internal/cli/settings"
	"makechain/internal/cli/usage"
	"makechain/internal/node"
	"makechain/internal/store"
)

// New returns the command node.
func New() *cobra.Command {
	var flags settings.NodeFlags
	command := &cobra.Command{
		Use:   "node",
		Short: "Run a node",
		Long: `Run a node.

In an empty home it creates a development chain with one validator, private keys
and a faucet that grants storage. It serves gRPC, gRPC-web and Connect on one port,
and REST with live streams on another. With --genesis and --peers it joins an
existing chain instead. Flags can also be set in config.toml in the home: see
makechain config.`,
		Example: "  makechain node\n" +
			"  makechain node --home /var/lib/makechain --grpc-addr 0.0.0.0:50051 --rest-addr 0.0.0.0:8080\n" +
			"  makechain node --home mine --genesis genesis.json --peers 4f9a...@node.example:26656",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			config, err := flags.Config(command)
			if err != nil {
				return err
			}
			return run(command, config)
		},
	}
	flags.Register(command.Flags())
	return command
}

// gcPercent is GOGC of a node. At Go's default of 100, garbage collection costs more than twice as much under load, and
// the state tree, which takes most of the memory, is not on the heap.
const gcPercent = 250

// run runs a node until it is interrupted.
func run(command *cobra.Command, config node.Config) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	n, err := node.New(command.Context(), config)
	if errors.Is(err, store.ErrLocked) {
		return usage.Advise(fmt.Errorf("a node is already running in the home %s", config.Home),
			"stopping it first; or --home <directory> for a second node, with other ports")
	}
	if err != nil {
		return settings.AdviseOnPorts(err, "other ports: --grpc-addr localhost:50052 --rest-addr localhost:8081")
	}
	if err := introduce(command.OutOrStdout(), config.Home, n); err != nil {
		return err
	}
	return n.Run(command.Context())
}

// introduce prints where the node serves.
func introduce(out io.Writer, home string, n *node.Node) error {
	lines := []string{
		fmt.Sprintf("chain    %s (%s)", n.ChainID(), output.Enum(n.Network(), "NETWORK_")),
		"home     " + home,
		"gRPC     " + n.GRPCAddr(),
	}
	if url := n.RESTURL(); url != "" {
		lines = append(lines, "REST     "+url)
	}
	if n.HasFaucet() {
		lines = append(lines, "faucet   makechain.dev.FaucetService/Claim by gRPC")
	}
	lines = append(lines, "stop     Ctrl-C")
	_, err := fmt.Fprintln(out, strings.Join(lines, "\n"))
	return err
}
