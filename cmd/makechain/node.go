package main

import (
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"makechain/internal/comet"
	"makechain/internal/gateway"
	"makechain/internal/node"
)

func newNodeCommand() *cobra.Command {
	var grpc string
	var config node.Config
	var serving serverFlags
	var logs logFlags
	command := &cobra.Command{
		Use:   "node",
		Short: "Start a node of the chain",
		Long: `Start a node of the chain.

A home that is empty becomes a development chain of its own, with one validator,
keys that only you can read, and a faucet that gives storage away. It serves
gRPC, gRPC-web and Connect on one port, and REST with live streams on another.`,
		Example: "  makechain node\n  makechain node --home /var/lib/makechain --grpc-addr 0.0.0.0:50051 --rest-addr 0.0.0.0:8080",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			log, err := logs.logger(command.ErrOrStderr())
			if err != nil {
				return err
			}
			config.GRPC = serving.server()
			config.GRPC.Addr = grpc
			config.Log, config.Version = log, programVersion()
			return runNode(command, config)
		},
	}
	flags := command.Flags()
	flags.StringVar(&config.Home, "home", node.DefaultHome, "directory of keys, configuration and data")
	flags.StringVar(&grpc, "grpc-addr", node.DefaultGRPC, "address for gRPC, gRPC-web and Connect")
	flags.StringVar(&config.RESTAddr, "rest-addr", gateway.DefaultAddr, "address for REST; '' for none")
	serving.register(flags)
	flags.StringVar(&config.MetricsAddr, "metrics-addr", "", "address for Prometheus metrics (default off)")
	flags.StringVar(&config.P2PAddr, "p2p-addr", node.DefaultP2P, "address for other nodes")
	flags.StringSliceVar(&config.Peers, "peers", nil, "nodes to stay connected with, as id@host:port")
	flags.DurationVar(&config.BlockInterval, "block-interval", comet.DefaultBlockInterval, "pause between blocks")
	flags.Uint64Var(&config.SnapshotEvery, "snapshot-every", node.DefaultSnapshotEvery, "blocks between two snapshots of the state (0 takes none)")
	flags.BoolVar(&config.Faucet, "faucet", true, "give storage away, on DEVNET alone")
	logs.register(flags)
	return command
}

// runNode runs a node until it is interrupted, and says what a person needs next.
func runNode(command *cobra.Command, config node.Config) error {
	n, err := node.New(command.Context(), config)
	if err != nil {
		return adviseOnPorts(err, "other ports: --grpc-addr localhost:50052 --rest-addr localhost:8081")
	}
	if err := introduce(command.OutOrStdout(), config.Home, n); err != nil {
		return err
	}
	return n.Run(command.Context())
}

func introduce(out io.Writer, home string, n *node.Node) error {
	lines := []string{
		fmt.Sprintf("chain    %s (%s)", n.ChainID(), strings.ToLower(strings.TrimPrefix(n.Network().String(), "NETWORK_"))),
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

func programVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return unknown
	}
	return info.Main.Version
}
