package content

import (
	"errors"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"makechain/internal/cli/connection"
	"makechain/internal/cli/settings"
	"makechain/internal/cli/usage"
	"makechain/internal/contentserver"
	"makechain/internal/rest"
	"makechain/internal/server"
)

const (
	// defaultAddr is the default address of a standalone service.
	defaultAddr = "localhost:8090"
	// defaultDir is the default directory of a standalone service.
	defaultDir = "makechain-content"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	address, dir, metrics string
	connection            connection.Flags
	content               settings.ContentFlags
	serving               settings.ServerFlags
	logs                  settings.LogFlags
}

func newServeCommand() *cobra.Command {
	var f serveFlags
	command := &cobra.Command{
		Use:   "serve",
		Short: "Run a content service for the chain of a node",
		Long: `The service follows the chain through --node. What it reads of the chain is verified up to
the signatures of the validators; that there is no newer block is the node's word.`,
		Example: "  makechain content serve --node node.example:50051 --addr 0.0.0.0:8090 --content-url https://content.example",
		Args:    cobra.NoArgs,
		RunE:    func(command *cobra.Command, _ []string) error { return f.run(command) },
	}
	flags := command.Flags()
	flags.StringVar(&f.address, "addr", defaultAddr, "address to serve on")
	flags.StringVar(&f.dir, settings.ContentDirFlag, defaultDir, "directory of content")
	flags.StringVar(&f.metrics, "metrics-addr", "", "address for Prometheus metrics (default off)")
	f.connection.Register(flags)
	f.content.Register(flags)
	f.serving.Register(flags)
	f.logs.Register(flags)
	return command
}

func (f *serveFlags) run(command *cobra.Command) error {
	ctx := command.Context()
	log, err := f.logs.Logger(command.ErrOrStderr())
	if err != nil {
		return err
	}
	if err := f.content.Check(); err != nil {
		return usage.Errorf(command, "%w", err)
	}
	c, err := f.connection.Dial(command)
	if err != nil {
		return err
	}
	defer c.Close()
	server.SetMemoryLimit(int64(f.serving.Memory))
	chain := contentserver.NewRemote(c)
	chainID, err := chain.ChainID(ctx)
	if err != nil {
		return err
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	config := f.serving.Server()
	config.Addr, config.Log, config.Registerer, config.WriteError = f.address, log, registry, rest.WriteError
	service, err := contentserver.Open(ctx, contentserver.Config{
		Dir: f.dir, Store: f.content.Store, Collect: f.content.Collect, PublicURL: f.content.URL,
		MaxBytes: int64(f.content.MaxBytes), BytesPerUnit: int64(f.content.UnitBytes), MinFree: int64(f.content.MinFree), Follow: f.content.Follow,
		LimitLoopback: config.Limits.LimitLoopback, Log: log, Registerer: registry,
	}, chainID, chain)
	if err != nil {
		return err
	}
	served, err := server.New(config, service.Mounts()...)
	if err != nil {
		return errors.Join(settings.AdviseOnPorts(err, "another port: --addr localhost:8091"), service.Close())
	}
	var group errgroup.Group
	if f.metrics != "" {
		metrics, err := server.NewMetrics(server.MetricsConfig{Addr: f.metrics, Gatherer: registry, Log: log})
		if err != nil {
			return errors.Join(err, served.Close(), service.Close())
		}
		group.Go(func() error { return metrics.Serve(ctx) })
	}
	group.Go(func() error { return service.Run(ctx) })
	group.Go(func() error { return served.Serve(ctx) })
	_, err = fmt.Fprintf(command.OutOrStdout(), "chain    %s\nnode     %s\ncontent  http://%s\nstop     Ctrl-C\n",
		chainID, f.connection.Node, served.Addr())
	return errors.Join(err, group.Wait(), service.Close())
}
