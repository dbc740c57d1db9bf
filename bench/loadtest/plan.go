package loadtest

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"makechain/bench/workload"
	"makechain/internal/limit"
)

const (
	// maxBatchLanes and maxSingleLanes keep what is due from waiting for what is under way, unless a node is overrun. With
	// batches they are few, so that each has messages of many people.
	maxBatchLanes  = 16
	maxSingleLanes = 256
	// freeRate is how many messages in a second are signed for a load that goes as fast as it can, and likelyRate what
	// their timestamps are for. With these no timestamp is off by the 300 s that P6.4 allows, within maxFree.
	freeRate   = 20_000
	likelyRate = freeRate / 2
	maxFree    = 5 * time.Minute
	// signingTime is about what one message takes a core, for the timestamps of a requestFile that takes long.
	signingTime = 30 * time.Microsecond
)

// check refuses what is no load.
func (l *Load) check() error {
	switch total := l.WarmUp + l.For; {
	case l.Batch < 1 || l.Batch > limit.MaxBatch:
		return fmt.Errorf("calls of %d messages: want 1 to %d", l.Batch, limit.MaxBatch)
	case l.Rate < 0:
		return fmt.Errorf("%v messages in a second are no rate", l.Rate)
	case l.For <= 0 || l.WarmUp < 0:
		return fmt.Errorf("%v after %v is no time to measure", l.For, l.WarmUp)
	case l.Rate == 0 && total > maxFree:
		return fmt.Errorf("%v without a rate: want at most %v, because messages are signed for their time", total, maxFree)
	default:
		return nil
	}
}

// plan says what requests a load has.
func (l *Load) plan(accounts int) workload.Plan {
	signed, sent := l.Rate, l.Rate
	if l.Rate == 0 {
		signed, sent = freeRate, likelyRate
	}
	most := maxBatchLanes
	if l.Batch == 1 {
		most = maxSingleLanes
	}
	perSecond := signed / float64(l.Batch)
	plan := workload.Plan{
		Lanes: min(lanesAt(perSecond, most), accounts), Batch: l.Batch, Sampled: sampledAccounts(accounts),
		Requests: int(perSecond * (l.WarmUp + l.For).Seconds()),
		Interval: time.Duration(float64(time.Second) * float64(l.Batch) / sent),
	}
	signing := time.Duration(plan.Requests*plan.Batch) * signingTime / time.Duration(runtime.GOMAXPROCS(0))
	plan.Start = time.Now().Add(signing)
	return plan
}

// lanesAt is how many lanes make some calls in a second: no more than most, and few enough that none is silent for so
// long that a node gives its connection up.
func lanesAt(perSecond float64, most int) int {
	const longestSilence = 30 // seconds
	return max(1, min(most, int(perSecond*longestSilence)))
}

// sign makes the requests of a load.
func sign(ctx context.Context, options *Options, population *workload.Population, load Load) (*workload.RequestFile, workload.Plan, error) {
	options.Progress("signing", 0, 0)
	plan := load.plan(options.Accounts)
	dir, err := os.MkdirTemp(options.Dir, "load-")
	if err != nil {
		return nil, plan, err
	}
	requestFile, err := population.Sign(ctx, dir, plan)
	return requestFile, plan, err
}
