package client_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"makechain/client"
	"makechain/internal/node/nodetest"
	"makechain/message"
	"makechain/proof/finality"
)

// TestHeartbeat checks that the proven time of a state advances on an idle chain, because of its heartbeat blocks.
//
// Rules: P6.6, T3.10.
func TestHeartbeat(t *testing.T) {
	t.Parallel()
	config := nodetest.Config(t.TempDir(), slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})))
	config.Heartbeat = 10 * nodetest.Interval
	n := nodetest.StartWith(t, config)
	c := dial(t, n.GRPCAddr(), client.WithTrustSource(trustFirst))
	read := func() *client.ProvenContents {
		contents, err := c.Contents(t.Context(), message.Hash{1})
		if err != nil {
			t.Fatal(err)
		}
		return contents
	}
	first := read()
	nodetest.Await(t, "a later block with a later time", func() bool {
		later := read()
		return later.Block > first.Block && later.Time.After(first.Time)
	})
	if age := first.Age(first.Time.Add(time.Minute)); age != time.Minute || first.Age(first.Time.Add(-time.Minute)) != 0 {
		t.Errorf("age %v", age)
	}
}

// trustFirst trusts the validators that the node reports.
func trustFirst(ctx context.Context, c *client.Client) (finality.Trust, error) {
	return c.TrustOnFirstUse(ctx)
}
