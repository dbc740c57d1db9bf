// Command bench load-tests nodes. It is a module of its own, because a node needs none of it.
//
// Run it from the root of the repository with go run -C bench . and flags; paths in flags are relative to bench.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"makechain/bench/loadtest"
	"makechain/bench/peers"
)

// Defaults of the load: enough to measure a node in less than a minute.
const (
	defaultRate     = 2_000
	defaultFor      = 20 * time.Second
	defaultWarmUp   = 3 * time.Second
	defaultBatch    = 100
	defaultAccounts = 1_000
	defaultProjects = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	err := newRootCommand().ExecuteContext(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func newRootCommand() *cobra.Command {
	var given flags
	var mode string
	var restart bool
	command := &cobra.Command{
		Use:   "bench",
		Short: "Load-test a node",
		Long: `Load-test a node: submit messages at a fixed rate, whether the node keeps up or not,
and measure latencies from the time at which each message was due.

Without --nodes it builds makechain and starts a development chain of one validator in a
temporary directory, which is deleted afterwards. Messages are signed before the clock
starts: 40 % are commit bundles, 40 % ref updates, the others are of all other types. With
--rate 0 they are sent as fast as the node commits them.`,
		Example:       "  go run -C bench .\n  go run -C bench . --rate 5000 --for 1m --json\n  go run -C bench . --rate 0 --batch 1",
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(command *cobra.Command, _ []string) error {
			switch mode {
			case loadtest.ModeNode:
				return given.run(command, func(ctx context.Context, g *loadtest.Generator) (printable, error) {
					return given.runLoad(ctx, g, restart)
				})
			case loadtest.ModePipeline:
				return given.runPipeline(command)
			default:
				return fmt.Errorf("--mode: %q is neither %s nor %s", mode, loadtest.ModeNode, loadtest.ModePipeline)
			}
		},
	}
	given.register(command.Flags(), defaultRate, defaultFor)
	command.Flags().StringVar(&mode, "mode", loadtest.ModeNode, "node; or pipeline: at maximum rate, without consensus and network")
	command.Flags().BoolVar(&restart, "restart", false, "then kill the node under load, and measure how long it takes to serve again")
	command.AddCommand(newSweepCommand(), newGrowthCommand(), newSoakCommand(), newQuickCommand(), newModelCommand(), peers.NewCommand())
	return command
}
