// Package gateway has the command that runs a gateway.
package gateway

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/spf13/cobra"

	"makechain/internal/cli/settings"
	"makechain/internal/cli/usage"
	"makechain/internal/gateway"
	"makechain/internal/node"
	"makechain/internal/server"
)

// New returns the command gateway.
func New() *cobra.Command {
	var address, upstream string
	var serving settings.ServerFlags
	var logs settings.LogFlags
	command := &cobra.Command{
		Use:   "gateway",
		Short: "Serve REST for a remote node",
		Long: `Serve REST for a remote node.

This is the gateway that is built into a node, as a process of its own: REST with
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
			config := serving.Server()
			config.Addr, config.Log = address, log
			return run(command, config, target, upstream)
		},
	}
	flags := command.Flags()
	flags.StringVar(&upstream, "upstream", node.DefaultGRPC, "address of the node: host:port, or https://host with TLS")
	flags.StringVar(&address, "rest-addr", gateway.DefaultAddr, "address for REST, gRPC, gRPC-web and Connect")
	serving.Register(flags)
	logs.Register(flags)
	return command
}

// run runs a gateway until it is interrupted.
func run(command *cobra.Command, config server.Config, target *gateway.Upstream, upstream string) error {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	config.Registerer = registry
	g, err := gateway.New(gateway.Config{Server: config, Upstream: target, Gatherer: registry, Version: settings.Version()})
	if err != nil {
		return settings.AdviseOnPorts(err, "another port: --rest-addr localhost:8081")
	}
	if _, err := fmt.Fprintf(command.OutOrStdout(), "node     %s\nREST     %s\nstop     Ctrl-C\n", upstream, g.URL()); err != nil {
		return err
	}
	return g.Run(command.Context())
}
