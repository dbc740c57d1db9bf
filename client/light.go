package client

import (
	"context"
	"fmt"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/proof/finality"
)

// LightBlock gives the header of a block with its signatures and validators, unchecked: a client is a finality.Source,
// with which finality.Follow goes from a block that is trusted to any other.
func (c *Client) LightBlock(ctx context.Context, number uint64) ([]byte, error) {
	if number == 0 {
		return nil, fmt.Errorf("%w: block 0 has no header", finality.ErrNotThere)
	}
	// It is what certifies the root after the block before. For one that is not there yet a node names another.
	answer, err := Call(ctx, c.GetFinalizedRoot, &pb.GetFinalizedRootRequest{BlockNumber: number - 1})
	switch code := connect.CodeOf(err); {
	case err == nil && answer.GetBlockNumber() == number-1:
		return answer.GetLightBlock(), nil
	case err == nil:
		return nil, fmt.Errorf("%w: block %d is not there yet", finality.ErrNotThere, number)
	case connect.IsWireError(err) && (code == connect.CodeUnavailable || code == connect.CodeNotFound || code == connect.CodeOutOfRange):
		return nil, fmt.Errorf("%w: block %d: %w", finality.ErrNotThere, number, err)
	default:
		return nil, err
	}
}
