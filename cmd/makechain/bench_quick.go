package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"makechain/internal/bench"
	figures "makechain/internal/bench/report"
)

// quickStep is how long each of the three measurements of bench quick takes.
const quickStep = 8 * time.Second

func newBenchQuickCommand() *cobra.Command {
	var given benchFlags
	var expected string
	command := &cobra.Command{
		Use:   "quick",
		Short: "Compare what messages cost with what is usual",
		Long: `Compare what messages cost with what is usual, in less than three minutes: the processor
time of a message in a node and in its pipeline alone, in units of one signature check
on the same machine, and the bytes that are written for it. With --expect it fails when
one is above the bound in the file.`,
		Example: "  makechain bench quick\n  makechain bench quick --expect internal/bench/expected.json",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			result, err := given.measureQuick(command)
			if err == nil && expected != "" {
				err = result.Expect(expected)
			}
			if err != nil {
				return err
			}
			return errors.Join(given.print(command, result), result.Check())
		},
	}
	given.register(command.Flags(), 0, quickStep)
	for _, decided := range []string{"rate", "batch", "reads", "nodes"} {
		hide(command, decided)
	}
	command.Flags().StringVar(&expected, "expect", "", "file of what is usual, and of the bounds")
	return command
}

// measureQuick measures a pipeline, and then a node with batches and with single messages.
func (f *benchFlags) measureQuick(command *cobra.Command) (*figures.Quick, error) {
	verification, err := bench.VerificationSeconds(command.Context(), f.options.Seed)
	if err != nil {
		return nil, err
	}
	pipeline, err := f.measurePipeline(command)
	if err != nil {
		return nil, err
	}
	var quick *figures.Quick
	_, err = f.measure(command, func(ctx context.Context, b *bench.Bench) (measured, error) {
		quick, err = b.Quick(ctx, f.load, verification, pipeline)
		return quick, err
	})
	return quick, err
}
