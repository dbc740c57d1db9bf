// Package node has the commands that run a node or a gateway, and check the configuration and the data of a node.
package node

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/spf13/cobra"

	"makechain/client"
	"makechain/internal/cli/output"
	"makechain/internal/cli/settings"
	"makechain/internal/cli/usage"
	"makechain/internal/gateway"
	"makechain/internal/node"
	"makechain/internal/server"
	"makechain/internal/store"
)

// New returns the command node.
func New() *cobra.Command {
	var flags settings.NodeFlags
	command := &cobra.Command{
		Use:   "node",
		Short: "Run a node",
		Long: `In an empty home it creates a development chain with one validator, private keys
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

// gcPercent is GOGC of a node. At 10 million rows under load about 130 MB of the heap are in use, so it grows to 290 MB. At 150 it
// would be 40 MB larger, and marking and sweeping took 5 % of the CPU time; at Go's default of 100 they took 8 %.
const gcPercent = 120

// run runs a node until it is interrupted.
func run(command *cobra.Command, config node.Config) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	server.SetMemoryLimit(config.MemoryLimit)
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
	if url := n.LocalURL(); url != "" {
		lines = append(lines, "REST     "+url, "page     "+url)
	}
	if n.HasContent() {
		lines = append(lines, "content  /v1/content and /git/<owner>/<project> on both ports")
	}
	if n.HasFaucet() {
		lines = append(lines, "faucet   makechain.dev.FaucetService/Claim by gRPC")
	}
	lines = append(lines, "stop     Ctrl-C")
	_, err := fmt.Fprintln(out, strings.Join(lines, "\n"))
	return err
}

// NewGateway returns the command gateway.
func NewGateway() *cobra.Command {
	var address, upstream string
	var serving settings.ServerFlags
	var logs settings.LogFlags
	command := &cobra.Command{
		Use:   "gateway",
		Short: "Serve REST for a remote node",
		Long: `This is the gateway that is built into a node, as a process of its own: REST with
live streams, and gRPC, gRPC-web and Connect forwarded on the same port. It has no
state, so a node can have any number of gateways. While the node is unreachable,
requests are answered with 503.`,
		Example: "  makechain gateway --upstream localhost:50051\n" +
			"  makechain gateway --upstream https://node.example --rest-addr 0.0.0.0:8080",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			log, err := logs.Logger(command.ErrOrStderr())
			if err != nil {
				return err
			}
			target, err := gateway.Dial(upstream, log)
			if err != nil {
				return usage.Errorf(command, "--upstream: %w", err)
			}
			server.SetMemoryLimit(int64(serving.Memory))
			config := serving.Server()
			config.Addr, config.Log = address, log
			return runGateway(command, config, target, upstream)
		},
	}
	flags := command.Flags()
	flags.StringVar(&upstream, "upstream", client.DefaultTarget, "address of the node: host:port, or https://host with TLS")
	flags.StringVar(&address, "rest-addr", gateway.DefaultAddr, "address for REST, gRPC, gRPC-web and Connect")
	serving.Register(flags)
	logs.Register(flags)
	return command
}

// runGateway runs a gateway until it is interrupted.
func runGateway(command *cobra.Command, config server.Config, target *gateway.Upstream, upstream string) error {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	config.Registerer = registry
	g, err := gateway.New(gateway.Config{Server: config, Upstream: target, Gatherer: registry, Version: settings.Version()})
	if err != nil {
		return settings.AdviseOnPorts(err, "another port: --rest-addr localhost:8081")
	}
	if _, err := fmt.Fprintf(command.OutOrStdout(), "node     %s\nREST     %s\npage     %[2]s\nstop     Ctrl-C\n", upstream, g.LocalURL()); err != nil {
		return err
	}
	return g.Run(command.Context())
}

// NewFsck returns the command fsck.
func NewFsck() *cobra.Command {
	var home string
	var options node.CheckOptions
	command := &cobra.Command{
		Use:   "fsck",
		Short: "Check the data of a stopped node",
		Long: `The command recomputes the state root from the rows, verifies the chain of blocks,
and compares counters and reverse rows with the rows that they are derived from,
and indexes with the blocks. With --replay it executes all blocks again, or verifies
them where the first blocks have been pruned.
It stops at the first kind of difference and reports it.`,
		Example: "  makechain fsck\n  makechain fsck --home /var/lib/makechain --replay",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			var failed error
			options.Report = func(line string) {
				if _, err := fmt.Fprintln(command.OutOrStdout(), line); err != nil {
					failed = err
				}
			}
			if err := node.Check(home, options); err != nil {
				return err
			}
			options.Report("clean")
			return failed
		},
	}
	flags := command.Flags()
	flags.StringVar(&home, "home", node.DefaultHome, "directory of keys, configuration and data")
	flags.BoolVar(&options.Replay, "replay", false, "execute all blocks from genesis and compare every root")
	return command
}
