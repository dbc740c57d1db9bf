package main

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"makechain/internal/node"
)

func newNodeCommand() *cobra.Command {
	var given nodeFlags
	command := &cobra.Command{
		Use:   "node",
		Short: "Start a node of the chain",
		Long: `Start a node of the chain.

A home that is empty becomes a development chain of its own, with one validator,
keys that only you can read, and a faucet that gives storage away. It serves
gRPC, gRPC-web and Connect on one port, and REST with live streams on another.
With --genesis and --peers it joins a chain of others instead, and follows it.
Flags can also stand in config.toml in the home: see makechain config.`,
		Example: "  makechain node\n" +
			"  makechain node --home /var/lib/makechain --grpc-addr 0.0.0.0:50051 --rest-addr 0.0.0.0:8080\n" +
			"  makechain node --home mine --genesis genesis.json --peers 4f9a...@node.example:26656",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			config, err := given.node(command)
			if err != nil {
				return err
			}
			return runNode(command, config)
		},
	}
	given.register(command.Flags())
	return command
}

// collectAt is how much a node's heap grows, in percent of what is in use, before garbage is collected. At Go's own
// 100 collecting costs more than twice as much under load, and the state tree, the largest thing in memory, is no part
// of the heap.
const collectAt = 250

// runNode runs a node until it is interrupted, and says what a person needs next.
func runNode(command *cobra.Command, config node.Config) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
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
