package loadtest

import (
	"context"

	"makechain/bench/report"
)

// sweepShares are the rates of a sweep, as shares of the rate that nodes commit without a limit.
//
// read-only: the definition of a sweep.
var sweepShares = [...]float64{0.25, 0.5, 0.7, 0.8, 0.9, 1, 1.1}

// Sweep measures rising rates until nodes fall behind, and returns the highest rate that they sustain. It starts with a load
// without a rate, from which the rates are derived.
func (g *Generator) Sweep(ctx context.Context, load Load) (*report.Sweep, error) {
	load.Rate = 0
	free, err := g.Run(ctx, load)
	if err != nil {
		return nil, err
	}
	var steps []*report.Result
	for _, share := range sweepShares {
		load.Rate = share * free.CommittedPerSecond
		step, err := g.Run(ctx, load)
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

// Growth measures the same load on states of several sizes, in increasing order.
func (g *Generator) Growth(ctx context.Context, load Load, sizes []uint64) (*report.Growth, error) {
	var steps []*report.Result
	for _, rows := range sizes {
		if err := g.Fill(ctx, rows); err != nil {
			return nil, err
		}
		g.options.Rows = rows
		step, err := g.Run(ctx, load)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	return report.NewGrowth(steps), nil
}

// soakShare is the share of the maximum rate at which a soak runs by default.
const soakShare = 0.5

// Soak measures a long load and the growth of memory and disk. Without a rate it measures the maximum rate first, with the
// probe load, and uses half of it.
func (g *Generator) Soak(ctx context.Context, load, probe Load) (*report.Soak, error) {
	if load.Rate == 0 {
		probe.Rate = 0
		free, err := g.Run(ctx, probe)
		if err != nil {
			return nil, err
		}
		load.Rate = soakShare * free.CommittedPerSecond
	}
	result, err := g.Run(ctx, load)
	if err != nil {
		return nil, err
	}
	return report.NewSoak(result), nil
}

// Quick measures batches and single messages, as fast as they commit, and compares their costs with those of a pipeline that
// was measured after the first verification. The unit of the costs is measured again after each step.
func (g *Generator) Quick(ctx context.Context, load Load, verification float64, pipeline *report.Result) (*report.Quick, error) {
	between, err := VerificationSeconds(ctx, g.options.Seed)
	if err != nil {
		return nil, err
	}
	batches, err := g.Run(ctx, load)
	if err != nil {
		return nil, err
	}
	after, err := VerificationSeconds(ctx, g.options.Seed)
	if err != nil {
		return nil, err
	}
	load.Batch = 1
	singles, err := g.Run(ctx, load)
	if err != nil {
		return nil, err
	}
	last, err := VerificationSeconds(ctx, g.options.Seed)
	if err != nil {
		return nil, err
	}
	return report.NewQuick([...]float64{verification, between, after, last}, pipeline, batches, singles), nil
}
