package client

import (
	"context"

	pb "makechain/gen/makechain"
	"makechain/internal/schema"
)

// Settlement returns the settlement that the validators have set last: where storage is paid for and who attests payments. It is nil if they have
// never changed it, and the settlement of the genesis is in force, which the caller has. Both are verified like a row of Row. It returns a
// RollbackError if the node returns a block before the highest that the client knows, and ErrNoTrust without trusted validators.
func (c *Client) Settlement(ctx context.Context) (*pb.SettlementRow, error) {
	if c.source == nil {
		return nil, ErrNoTrust
	}
	value, err := c.newestRow(ctx, schema.SettlementKey())
	if err != nil || value == nil {
		return nil, err
	}
	row := new(pb.SettlementRow)
	if err := schema.Decode(value, row); err != nil {
		return nil, err
	}
	return row, nil
}
