package loadtest

import (
	"context"

	"makechain/bench/report"
)

// sweepShares are the rates of a sweep, as parts of what nodes bear when they are offered all they take.
//
// read-only: it is the definition of a sweep.
var sweepShares = [...]float64{0.25, 0.5, 0.7, 0.8, 0.9, 1, 1.1}

// Sweep raises the rate until nodes fall behind, and tells the highest that they bear. It begins with a load without a
// rate, which says where to look.
func (b *Generator) Sweep(ctx context.Context, load Load) (*report.Sweep, error) {
	load.Rate = 0
	free, err := b.Run(ctx, load)
	if err != nil {
		return nil, err
	}
	var steps []*report.Result
	for _, share := range sweepShares {
		load.Rate = share * free.CommittedPerSecond
		step, err := b.Run(ctx, load)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
		if !step.Sustained() {
			break
		}
	}
	return report.NewSweep(free, steps), nil
}

// Growth bears the same load on states of several sizes, which rise.
func (b *Generator) Growth(ctx context.Context, load Load, sizes []uint64) (*report.Growth, error) {
	var steps []*report.Result
	for _, rows := range sizes {
		if err := b.Fill(ctx, rows); err != nil {
			return nil, err
		}
		b.options.Rows = rows
		step, err := b.Run(ctx, load)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	return report.NewGrowth(steps), nil
}

// soakShare is how much of what nodes bear a soak offers, when nobody says a rate.
const soakShare = 0.5

// Soak bears a load for long, and tells how memory and disk grow. Without a rate it first finds out what nodes bear, for
// as long as a probe takes, and offers half of it.
func (b *Generator) Soak(ctx context.Context, load, probe Load) (*report.Soak, error) {
	if load.Rate == 0 {
		probe.Rate = 0
		free, err := b.Run(ctx, probe)
		if err != nil {
			return nil, err
		}
		load.Rate = soakShare * free.CommittedPerSecond
	}
	result, err := b.Run(ctx, load)
	if err != nil {
		return nil, err
	}
	return report.NewSoak(result), nil
}

// Quick bears messages in batches and one by one, as fast as they commit, and compares what they cost.
func (b *Generator) Quick(ctx context.Context, load Load, verification float64, pipeline *report.Result) (*report.Quick, error) {
	batches, err := b.Run(ctx, load)
	if err != nil {
		return nil, err
	}
	load.Batch = 1
	singles, err := b.Run(ctx, load)
	if err != nil {
		return nil, err
	}
	return report.NewQuick(verification, pipeline, batches, singles), nil
}
