package main

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"makechain/internal/bench"
)

// Loads of the commands that make several measurements, or a long one.
const (
	defaultStep = 10 * time.Second // of a sweep, at each rate
	defaultSoak = time.Hour
)

func newBenchSweepCommand() *cobra.Command {
	var given benchFlags
	command := &cobra.Command{
		Use:   "sweep",
		Short: "Find the highest rate that a node bears",
		Long: `Find the highest rate that a node bears: first as fast as it goes, then at rising rates
until it falls behind, takes longer than 2 s for one message of a hundred, or refuses.`,
		Example: "  makechain bench sweep\n  makechain bench sweep --batch 1 --html sweep.html",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return given.run(command, func(ctx context.Context, b *bench.Bench) (measured, error) { return b.Sweep(ctx, given.load) })
		},
	}
	given.register(command.Flags(), 0, defaultStep)
	hide(command, "rate")
	return command
}

func newBenchGrowthCommand() *cobra.Command {
	var given benchFlags
	sizes := []uint{100_000, 1_000_000, 10_000_000}
	command := &cobra.Command{
		Use:   "growth",
		Short: "Measure the same load on states of several sizes",
		Long: `Measure the same load on a state of 0.1, 1 and 10 million rows, which the same node is
filled to in turn. Unless --rate is given the load is as fast as it goes.`,
		Example: "  makechain bench growth\n  makechain bench growth --sizes 10000,100000 --for 10s",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			rows := make([]uint64, len(sizes))
			for i, size := range sizes {
				rows[i] = uint64(size)
			}
			if len(rows) == 0 || !slices.IsSorted(rows) {
				return misused(command, "--sizes: %v do not rise", rows)
			}
			return given.run(command, func(ctx context.Context, b *bench.Bench) (measured, error) { return b.Growth(ctx, given.load, rows) })
		},
	}
	given.register(command.Flags(), 0, defaultFor)
	command.Flags().UintSliceVar(&sizes, "sizes", sizes, "rows of the states, rising")
	hide(command, "rows")
	return command
}

func newBenchSoakCommand() *cobra.Command {
	var given benchFlags
	command := &cobra.Command{
		Use:   "soak",
		Short: "Measure for long, and how memory and disk grow",
		Long: `Measure for an hour at half of what the node bears, and tell how memory and disk grow.
What the node bears is found out first, unless --rate is given.`,
		Example: "  makechain bench soak\n  makechain bench soak --rate 2000 --for 10m",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return given.run(command, func(ctx context.Context, b *bench.Bench) (measured, error) {
				probe := given.load
				probe.For = defaultFor
				return b.Soak(ctx, given.load, probe)
			})
		},
	}
	given.register(command.Flags(), 0, defaultSoak)
	return command
}

// hide takes a flag away that a command decides for itself.
func hide(command *cobra.Command, name string) { command.Flags().Lookup(name).Hidden = true }
