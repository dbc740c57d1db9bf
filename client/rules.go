package client

import (
	"context"

	pb "makechain/gen/makechain"
	"makechain/internal/schema"
)

// Rules returns the latest activation of a version of the rules that the validators have decided, and the block after which it was read. The
// activation is nil if there was none, and the version of the genesis is in force, which the caller has. Both are verified like a row of Row.
// It returns a RollbackError if the node returns a block before the highest that the client knows, and ErrNoTrust without trusted validators.
func (c *Client) Rules(ctx context.Context) (activation *pb.RulesRow, block uint64, err error) {
	if c.source == nil {
		return nil, 0, ErrNoTrust
	}
	value, err := readNewest(ctx, c, func(ctx context.Context) (value []byte, at Proven, err error) {
		value, block, err = c.lookup(ctx, schema.RulesKey())
		return value, Proven{Block: block}, err
	})
	if err != nil || value == nil {
		return nil, block, err
	}
	activation = new(pb.RulesRow)
	return activation, block, schema.Decode(value, activation)
}
