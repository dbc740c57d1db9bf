package client

import "time"

// WithRollbackTimeout sets how long the client waits for a node that returns old blocks.
func WithRollbackTimeout(timeout time.Duration) Option {
	return func(c *Client) { c.rollbackTimeout = timeout }
}
