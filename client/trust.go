package client

import (
	"context"
	"fmt"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/proof/finality"
)

// LightBlock gives the header of a block with its signatures and validators, unchecked: a client is a finality.Provider,
// with which finality.NewLightClient goes from a block that is trusted to any other.
func (c *Client) LightBlock(ctx context.Context, number uint64) ([]byte, error) {
	if number == 0 {
		return nil, fmt.Errorf("%w: block 0 has no header", finality.ErrNotFound)
	}
	// It is what certifies the root after the block before. For one that is not there yet a node names another.
	answer, err := Call(ctx, c.GetFinalizedRoot, &pb.GetFinalizedRootRequest{BlockNumber: number - 1})
	switch code := connect.CodeOf(err); {
	case err == nil && answer.GetBlockNumber() == number-1:
		return answer.GetLightBlock(), nil
	case err == nil:
		return nil, fmt.Errorf("%w: block %d is not there yet", finality.ErrNotFound, number)
	case connect.IsWireError(err) && (code == connect.CodeUnavailable || code == connect.CodeNotFound || code == connect.CodeOutOfRange):
		return nil, fmt.Errorf("%w: block %d: %w", finality.ErrNotFound, number, err)
	default:
		return nil, err
	}
}

// followed gives the validators who certify the root after a block, when they are no longer those that the client was
// told of: they are followed, change by change, from the block that those sign. Whoever told the client set no end to
// its trust, so no block is too old to begin with. But the client goes on from the newest that it has seen.
func (c *Client) followTrust(ctx context.Context, from finality.Trust, number uint64) (finality.Trust, error) {
	follower, err := finality.NewLightClientFromTrust(ctx, from, c, finality.Options{Now: time.Now, TrustingPeriod: finality.UnlimitedTrustingPeriod})
	if err != nil {
		return finality.Trust{}, err
	}
	trust, err := follower.Trust(ctx, number)
	if err != nil {
		return finality.Trust{}, err
	}
	return trust, c.setTrust(trust)
}

// move replaces what the client trusts by something newer.
func (c *Client) setTrust(to finality.Trust) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.trust != nil && c.trust.Number >= to.Number {
		return nil
	}
	c.trust = &to
	if c.onTrust == nil {
		return nil
	}
	return c.onTrust(c, to)
}
