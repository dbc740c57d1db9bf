package main

import (
	"fmt"
	"io"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"makechain/internal/comet"
	"makechain/internal/node"
	"makechain/internal/server"
)

func newNodeCommand() *cobra.Command {
	config := node.Config{}
	logs := logFlags{}
	command := &cobra.Command{
		Use:   "node",
		Short: "Start a node of the chain",
		Long: `Start a node of the chain.

A home that is empty becomes a development chain of its own, with one validator,
keys that only you can read, and a faucet that gives storage away.`,
		Example: "  makechain node\n  makechain node --home /var/lib/makechain --grpc-addr 0.0.0.0:50051",
		Args:    cobra.NoArgs,
		PreRunE: fromEnvironment,
		RunE: func(command *cobra.Command, _ []string) error {
			log, err := logs.logger(command.ErrOrStderr())
			if err != nil {
				return err
			}
			config.Log, config.Version = log, programVersion()
			return runNode(command, config)
		},
	}
	flags := command.Flags()
	flags.StringVar(&config.Home, "home", node.DefaultHome, "directory of keys, configuration and data")
	flags.StringVar(&config.GRPC.Addr, "grpc-addr", node.DefaultGRPC, "address for gRPC, gRPC-web and Connect")
	flags.StringVar(&config.GRPC.CertFile, "tls-cert", "", "PEM file of the server's certificate")
	flags.StringVar(&config.GRPC.KeyFile, "tls-key", "", "PEM file of the certificate's key")
	flags.StringSliceVar(&config.GRPC.AllowedOrigins, "cors-origins", nil, "web origins that may call (default all)")
	flags.Float64Var(&config.GRPC.Limits.RequestsPerSecond, "rate-limit", server.DefaultRequestsPerSecond,
		"calls a second of one client address on another machine; -1 for no limit")
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
	ctx, stop := signal.NotifyContext(command.Context(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	n, err := node.New(ctx, config)
	if err != nil {
		return err
	}
	if err := introduce(command.OutOrStdout(), config.Home, n); err != nil {
		return err
	}
	return n.Run(ctx)
}

func introduce(out io.Writer, home string, n *node.Node) error {
	lines := []string{
		fmt.Sprintf("chain    %s (%s)", n.ChainID(), strings.ToLower(strings.TrimPrefix(n.Network().String(), "NETWORK_"))),
		"home     " + home,
		"gRPC     " + n.GRPCAddr(),
	}
	if n.HasFaucet() {
		lines = append(lines, "faucet   makechain.dev.FaucetService/Claim on the same port")
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
