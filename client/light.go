package client

import (
	"context"
	"fmt"
	"time"

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

// trustPeriod is how old a block may be from which validators are followed. Whoever told the client whom to trust set
// no end to it.
const trustPeriod = 100 * 365 * 24 * time.Hour

// followed gives the validators who certify the root after a block, when they are no longer those that the client was
// told of: they are followed, change by change, from the block that those sign.
func (c *Client) followed(ctx context.Context, from finality.Trust, number uint64) (finality.Trust, error) {
	follower, err := finality.FollowTrust(ctx, from, c, finality.FollowOptions{Now: time.Now, Period: trustPeriod})
	if err != nil {
		return finality.Trust{}, err
	}
	trust, err := follower.Trust(ctx, number)
	if err != nil {
		return finality.Trust{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trust = &trust
	return trust, nil
}
