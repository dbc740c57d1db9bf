package node

import (
	"context"
	"time"
)

// tendInterval is the time between two reviews of what is pending.
const tendInterval = time.Second

// tend reviews what is pending until ctx ends. A node that fetches blocks knows too little of the latest state.
func (n *Node) tend(ctx context.Context) error {
	ticker := time.NewTicker(tendInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		if n.engine.Status().CatchingUp {
			continue
		}
		if err := n.tendChange(ctx); err != nil {
			n.config.Log.ErrorContext(ctx, "a change of the validators could not be submitted", "error", err)
		}
		again, err := n.pool.Review()
		if err != nil {
			n.config.Log.ErrorContext(ctx, "what is pending could not be reviewed", "error", err)
			continue
		}
		n.engine.Repeat(again)
	}
}
