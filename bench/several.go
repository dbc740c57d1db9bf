package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"makechain/bench/loadtest"
)

// Default durations of the commands that make several measurements, or a long one.
const (
	defaultStep = 10 * time.Second // of a sweep, at each rate
	defaultSoak = time.Hour
)

func newSweepCommand() *cobra.Command {
	var given flags
	command := &cobra.Command{
		Use:   "sweep",
		Short: "Find the highest rate that a node sustains",
		Long: `Find the highest rate that a node sustains: measure first at maximum rate, then at rising
rates until the node falls behind, its p99 latency exceeds 2 s, or it refuses messages.`,
		Example: "  go run -C bench . sweep\n  go run -C bench . sweep --batch 1 --html sweep.html",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return given.run(command, func(ctx context.Context, g *loadtest.Generator) (printable, error) { return g.Sweep(ctx, given.load) })
		},
	}
	given.register(command.Flags(), 0, defaultStep)
	hide(command, "rate")
	return command
}

func newGrowthCommand() *cobra.Command {
	var given flags
	sizes := []uint{100_000, 1_000_000, 10_000_000}
	command := &cobra.Command{
		Use:   "growth",
		Short: "Measure the same load on states of several sizes",
		Long: `Measure the same load on a state of 0.1, 1 and 10 million rows, to which one node is
filled in turn. Without --rate messages are sent as fast as they commit.`,
		Example: "  go run -C bench . growth\n  go run -C bench . growth --sizes 10000,100000 --for 10s",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			rows := make([]uint64, len(sizes))
			for i, size := range sizes {
				rows[i] = uint64(size)
			}
			if len(rows) == 0 || !slices.IsSorted(rows) {
				return fmt.Errorf("--sizes: %v is not an increasing list", rows)
			}
			return given.run(command, func(ctx context.Context, g *loadtest.Generator) (printable, error) {
				return g.Growth(ctx, given.load, rows)
			})
		},
	}
	given.register(command.Flags(), 0, defaultFor)
	command.Flags().UintSliceVar(&sizes, "sizes", sizes, "numbers of rows, increasing")
	hide(command, "rows")
	return command
}

func newSoakCommand() *cobra.Command {
	var given flags
	command := &cobra.Command{
		Use:   "soak",
		Short: "Measure a long load, and the growth of memory and disk",
		Long: `Measure for an hour at half of the maximum rate, and report how memory and disk grow. The
maximum rate is measured first, unless --rate is given.`,
		Example: "  go run -C bench . soak\n  go run -C bench . soak --rate 2000 --for 10m",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return given.run(command, func(ctx context.Context, g *loadtest.Generator) (printable, error) {
				probe := given.load
				probe.For = defaultFor
				return g.Soak(ctx, given.load, probe)
			})
		},
	}
	given.register(command.Flags(), 0, defaultSoak)
	return command
}
