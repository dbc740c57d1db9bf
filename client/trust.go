package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/backoff"
	"makechain/proof"
	"makechain/proof/finality"
)

// blockTimeout is how long the client waits for the block that certifies a root.
const blockTimeout = 30 * time.Second

// Trust returns the validators against which the client verifies proofs. It calls the source on first use.
func (c *Client) Trust(ctx context.Context) (finality.Trust, error) {
	if c.source == nil {
		return finality.Trust{}, ErrNoTrust
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.trust == nil {
		trust, err := c.source(ctx, c)
		if err != nil {
			return finality.Trust{}, err
		}
		c.trust = &trust
	}
	return *c.trust, nil
}

// TrustOnFirstUse returns the chain that the node serves and its validators, as the node reports them. It verifies only
// that these validators signed a block, so the result is as trustworthy as the node. Callers that have no genesis store
// it and compare it on later connections.
func (c *Client) TrustOnFirstUse(ctx context.Context) (finality.Trust, error) {
	status, err := Call(ctx, c.GetNodeStatus, &pb.GetNodeStatusRequest{})
	if err != nil {
		return finality.Trust{}, err
	}
	final, err := c.finalized(ctx, status.GetCurrentBlock())
	if err != nil {
		return finality.Trust{}, err
	}
	trust, err := finality.TrustLightBlock(final.GetLightBlock())
	if err != nil {
		return finality.Trust{}, fmt.Errorf("the node's validators: %w", err)
	}
	if trust.ChainID != status.GetChainId() {
		return finality.Trust{}, fmt.Errorf("the node reports chain %q and returned a block of %q", status.GetChainId(), trust.ChainID)
	}
	return trust, nil
}

// VerifyChain verifies that the node serves the chain whose validators are trusted: that they signed its latest block.
func (c *Client) VerifyChain(ctx context.Context) error {
	status, err := Call(ctx, c.GetNodeStatus, &pb.GetNodeStatusRequest{})
	if err != nil {
		return err
	}
	trust, err := c.Trust(ctx)
	if err != nil {
		return err
	}
	if status.GetChainId() != trust.ChainID {
		return fmt.Errorf("the node at %s serves chain %q, not %q", c.Target(), status.GetChainId(), trust.ChainID)
	}
	_, _, err = c.CertifiedRoot(ctx, status.GetCurrentBlock())
	return err
}

// CertifiedRoot returns the state root after a block, as trusted validators signed it. The newest block of an idle chain
// is not followed by another one; then the result is the same root with the number of the block before.
func (c *Client) CertifiedRoot(ctx context.Context, number uint64) (root [32]byte, block uint64, err error) {
	final, root, err := c.certify(ctx, number)
	return root, final.GetBlockNumber(), err
}

// certify returns the root after a block and the light block with the signatures.
func (c *Client) certify(ctx context.Context, number uint64) (final *pb.GetFinalizedRootResponse, root [32]byte, err error) {
	if c.source == nil {
		return nil, root, ErrNoTrust
	}
	final, err = c.finalized(ctx, number)
	if err != nil {
		return nil, root, err
	}
	root, err = c.verifyRoot(ctx, final.GetLightBlock(), final.GetBlockNumber())
	if err != nil {
		return nil, root, err
	}
	return final, root, nil
}

// verifyRoot verifies that a light block certifies the root after a block, which it returns.
func (c *Client) verifyRoot(ctx context.Context, lightBlock []byte, number uint64) (root [32]byte, err error) {
	trust, err := c.Trust(ctx)
	if err != nil {
		return root, err
	}
	root, err = finality.Verify(lightBlock, number, trust)
	if step := (*proof.StepError)(nil); errors.As(err, &step) && step.Step == finality.StepValidators && trust.Number > 0 {
		if trust, err = c.followTrust(ctx, trust, number); err == nil {
			root, err = finality.Verify(lightBlock, number, trust)
		}
	}
	if err != nil {
		return root, fmt.Errorf("root after block %d is not certified: %w", number, err)
	}
	_, err = c.reachBlock(trust.ChainID, number, false)
	return root, err
}

// finalized returns the light block that certifies the root after a block. That is the next block, for which it waits.
func (c *Client) finalized(ctx context.Context, number uint64) (*pb.GetFinalizedRootResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, blockTimeout)
	defer cancel()
	for {
		final, err := Call(ctx, c.GetFinalizedRoot, &pb.GetFinalizedRootRequest{BlockNumber: number})
		if err == nil {
			return final, nil
		}
		if connect.CodeOf(err) != connect.CodeUnavailable || !connect.IsWireError(err) || backoff.Sleep(ctx, maxPoll) != nil {
			return nil, fmt.Errorf("root after block %d: %w", number, err)
		}
	}
}

// followTrust returns the validators that certify the root after a block, when they are no longer the trusted ones. It
// verifies every change of validators since the trusted block. The trusting period is unlimited, because the caller of
// WithTrust set no limit; the client continues from the newest validators that it has verified.
func (c *Client) followTrust(ctx context.Context, from finality.Trust, number uint64) (finality.Trust, error) {
	follower, err := finality.NewLightClientFromTrust(ctx, from, c, finality.Options{Now: time.Now, TrustingPeriod: finality.UnlimitedTrustingPeriod})
	if err != nil {
		return finality.Trust{}, err
	}
	trust, err := follower.Trust(ctx, number)
	if err != nil {
		return finality.Trust{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.trust != nil && c.trust.Number >= trust.Number {
		return trust, nil
	}
	c.trust = &trust
	if c.onTrust == nil {
		return trust, nil
	}
	return trust, c.onTrust(c, trust)
}

// LightBlock returns the header of a block with its signatures and validators, unverified. It makes the client a
// finality.Provider, from which finality.NewLightClient gets the headers between a trusted block and another one.
func (c *Client) LightBlock(ctx context.Context, number uint64) ([]byte, error) {
	if number == 0 {
		return nil, fmt.Errorf("%w: block 0 has no header", finality.ErrNotFound)
	}
	// The light block certifies the root after the previous block. A node that does not have it yet returns another one.
	final, err := Call(ctx, c.GetFinalizedRoot, &pb.GetFinalizedRootRequest{BlockNumber: number - 1})
	switch code := connect.CodeOf(err); {
	case err == nil && final.GetBlockNumber() == number-1:
		return final.GetLightBlock(), nil
	case err == nil:
		return nil, fmt.Errorf("%w: block %d does not exist yet", finality.ErrNotFound, number)
	case connect.IsWireError(err) && (code == connect.CodeUnavailable || code == connect.CodeNotFound || code == connect.CodeOutOfRange):
		return nil, fmt.Errorf("%w: block %d: %w", finality.ErrNotFound, number, err)
	default:
		return nil, err
	}
}
