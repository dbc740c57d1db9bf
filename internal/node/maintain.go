package node

import (
	"context"
	"time"
)

// tendInterval is the time between two reviews of what is pending.
const maintenanceInterval = time.Second

// tend reviews what is pending until ctx ends. A node that fetches blocks knows too little of the latest state.
func (n *Node) maintain(ctx context.Context) error {
	ticker := time.NewTicker(maintenanceInterval)
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
		if err := n.submitQueuedChange(ctx); err != nil {
			n.config.Log.ErrorContext(ctx, "a change of the validators could not be submitted", "error", err)
		}
		again, err := n.pool.Recheck()
		if err != nil {
			n.config.Log.ErrorContext(ctx, "what is pending could not be reviewed", "error", err)
			continue
		}
		n.engine.Rebroadcast(again)
	}
}
