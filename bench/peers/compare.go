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
	// aimedRate is what says how many messages are sent in a given time.
	aimedRate = 10_000
	// turnTime is how long a contender of that rate works before it is another's turn.
	turnTime = 10 * time.Second
	// steadyTime is how long messages come steadily in each turn.
	steadyTime = 5 * time.Second
)

// trial is a comparison under way.
type trial struct {
	options

	work       string // where messages lie until they are sent
	population *workload.Population
	contenders []*contender
}

// compare measures the contenders in turns.
func compare(ctx context.Context, o options, progress io.Writer) (found *report, err error) {
	dir, err := os.MkdirTemp("", "makechain-peers-")
	if err != nil {
		return nil, fmt.Errorf("make a directory: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(progress, format+"\n", args...) } // nothing depends on it
	t := &trial{options: o, work: filepath.Join(dir, "work")}
	if err := os.Mkdir(t.work, 0o700); err != nil {
		return nil, err
	}
	say("starting nodes with %d rows", o.rows)
	if t.contenders, err = startAll(ctx, dir, o); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stopAll(t.contenders)) }()
	if t.population, err = prepare(ctx, t.contenders[0].child.address, o); err != nil {
		return nil, err
	}
	for left := o.length; left > 0; left -= turnTime {
		say("sending, %s left", left)
		if err := t.turn(ctx, min(left, turnTime)); err != nil {
			return nil, err
		}
	}
	return newReport(o, t.contenders), nil
}

// turn has each contender take the same messages, first as fast as it can and then as they come.
func (t *trial) turn(ctx context.Context, length time.Duration) error {
	for _, steady := range []bool{false, true} {
		messages, pace := int(length.Seconds()*aimedRate), pace(0)
		if steady {
			messages, pace = int(min(length, steadyTime).Seconds()*float64(t.rate)), newPace(t.rate)
		}
		// They are signed now and not before, because they must be recent.
		requestFile, err := t.population.Sign(ctx, t.work, workload.Plan{
			Lanes: t.clients, Batch: batchSize, Requests: max(messages/batchSize, t.clients), Start: time.Now(),
		})
		if err != nil {
			return err
		}
		for _, c := range t.contenders {
			into := &c.saturated
			if steady {
				into = &c.steady
			}
			if err := c.turn(ctx, requestFile, pace, into); err != nil {
				return err
			}
		}
		if err := requestFile.Remove(); err != nil {
			return err
		}
	}
	return nil
}
