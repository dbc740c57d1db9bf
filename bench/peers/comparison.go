package peers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"makechain/bench/workload"
)

const (
	batchSize = 100
	// nominalRate converts a duration to a number of messages.
	nominalRate = 10_000
	// roundTime is the duration of a round at that rate. Applications take turns after each round.
	roundTime = 10 * time.Second
	// steadyTime is how long messages are sent at a steady rate in each round.
	steadyTime = 5 * time.Second
)

// comparison is a comparison in progress.
type comparison struct {
	options

	work         string // directory for signed messages
	population   *workload.Population
	applications []*application
}

// compare measures all applications in rounds.
func compare(ctx context.Context, o options, progress io.Writer) (found *report, err error) {
	dir, err := os.MkdirTemp("", "makechain-peers-")
	if err != nil {
		return nil, fmt.Errorf("create a temporary directory: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(progress, format+"\n", args...) } // progress is optional
	t := &comparison{options: o, work: filepath.Join(dir, "work")}
	if err := os.Mkdir(t.work, 0o700); err != nil {
		return nil, err
	}
	say("starting applications with %d rows", o.rows)
	if t.applications, err = startAll(ctx, dir, o); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stopAll(t.applications)) }()
	if t.population, err = prepare(ctx, t.applications[0].child.address, o); err != nil {
		return nil, err
	}
	for left := o.length; left > 0; left -= roundTime {
		say("sending, %s left", left)
		if err := t.round(ctx, min(left, roundTime)); err != nil {
			return nil, err
		}
	}
	return newReport(o, t.applications), nil
}

// round sends the same messages to each application, first as fast as it commits them and then at a steady rate.
func (t *comparison) round(ctx context.Context, length time.Duration) error {
	for _, steady := range []bool{false, true} {
		messages, pace := int(length.Seconds()*nominalRate), interval(0)
		if steady {
			messages, pace = int(min(length, steadyTime).Seconds()*float64(t.rate)), newInterval(t.rate)
		}
		// Messages are signed for each round, because their timestamps must be recent.
		requestFile, err := t.population.Sign(ctx, t.work, workload.Plan{
			Lanes: t.clients, Batch: batchSize, Requests: max(messages/batchSize, t.clients), Start: time.Now(),
		})
		if err != nil {
			return err
		}
		for _, c := range t.applications {
			into := &c.saturated
			if steady {
				into = &c.steady
			}
			if err := c.round(ctx, requestFile, pace, into); err != nil {
				return err
			}
		}
		if err := requestFile.Remove(); err != nil {
			return err
		}
	}
	return nil
}
