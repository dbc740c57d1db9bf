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
	// maxBatchLanes and maxSingleLanes are large enough that calls do not wait for earlier ones unless a node is
	// overloaded. There are fewer with batches, so that each call has messages of many accounts.
	maxBatchLanes  = 16
	maxSingleLanes = 256
	// unlimitedRate is the number of messages per second that are signed for a load without a rate, and expectedRate the
	// rate that their timestamps assume. With these no timestamp is off by more than the 300 s that P6.4 allows, within
	// maxUnlimited.
	unlimitedRate = 20_000
	expectedRate  = unlimitedRate / 2
	maxUnlimited  = 5 * time.Minute
	// signingTime is roughly the CPU time of signing a message, for the timestamps of long loads.
	signingTime = 30 * time.Microsecond
)

// check returns an error if the load is not valid.
func (l *Load) check() error {
	switch total := l.WarmUp + l.For; {
	case l.Batch < 1 || l.Batch > limit.MaxBatch:
		return fmt.Errorf("%d messages per call: want 1 to %d", l.Batch, limit.MaxBatch)
	case l.Rate < 0:
		return fmt.Errorf("rate %v is negative", l.Rate)
	case l.For <= 0 || l.WarmUp < 0:
		return fmt.Errorf("duration %v and warm-up %v: want a positive duration and no negative warm-up", l.For, l.WarmUp)
	case l.Rate == 0 && total > maxUnlimited:
		return fmt.Errorf("%v without a rate: want at most %v, because messages have timestamps", total, maxUnlimited)
	default:
		return nil
	}
}

// plan returns the requests of a load.
func (l *Load) plan(accounts int) workload.Plan {
	signed, sent := l.Rate, l.Rate
	if l.Rate == 0 {
		signed, sent = unlimitedRate, expectedRate
	}
	maximum := maxBatchLanes
	if l.Batch == 1 {
		maximum = maxSingleLanes
	}
	perSecond := signed / float64(l.Batch)
	plan := workload.Plan{
		Lanes: min(lanesAt(perSecond, maximum), accounts), Batch: l.Batch, Sampled: sampledAccounts(accounts),
		Requests: int(perSecond * (l.WarmUp + l.For).Seconds()),
		Interval: time.Duration(float64(time.Second) * float64(l.Batch) / sent),
	}
	signing := time.Duration(plan.Requests*plan.Batch) * signingTime / time.Duration(runtime.GOMAXPROCS(0))
	plan.Start = time.Now().Add(signing)
	return plan
}

// lanesAt returns the number of lanes for a rate of calls: at most the given maximum, and few enough that no connection is
// idle for so long that the node closes it.
func lanesAt(perSecond float64, maximum int) int {
	const maxIdle = 30 // seconds
	return max(1, min(maximum, int(perSecond*maxIdle)))
}

// sign signs and encodes the requests of a load.
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
