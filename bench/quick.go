package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"makechain/bench/loadtest"
	"makechain/bench/report"
)

// quickStep is the duration of each of the three measurements of quick.
const quickStep = 8 * time.Second

func newQuickCommand() *cobra.Command {
	var given flags
	var expected string
	command := &cobra.Command{
		Use:   "quick",
		Short: "Check the cost of messages against expected values",
		Long: `Measure the cost of messages in less than three minutes: the CPU time of a message in a
node and in the pipeline alone, in units of one signature verification on the same
machine, and the bytes written for it. With --expect it fails when a cost is above its
limit in the file.`,
		Example: "  go run -C bench . quick\n  go run -C bench . quick --expect expected.json",
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
	for _, fixed := range []string{"rate", "batch", "reads", "nodes"} {
		hide(command, fixed)
	}
	command.Flags().StringVar(&expected, "expect", "", "file with expected values and limits")
	return command
}

// measureQuick measures a pipeline, and then a node with batches and with single messages.
func (f *flags) measureQuick(command *cobra.Command) (*report.Quick, error) {
	verification, err := loadtest.VerificationSeconds(command.Context(), f.options.Seed)
	if err != nil {
		return nil, err
	}
	pipeline, err := f.measurePipeline(command)
	if err != nil {
		return nil, err
	}
	var quick *report.Quick
	_, err = f.measure(command, func(ctx context.Context, g *loadtest.Generator) (printable, error) {
		quick, err = g.Quick(ctx, f.load, verification, pipeline)
		return quick, err
	})
	return quick, err
}
