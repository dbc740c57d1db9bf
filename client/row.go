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

const (
	// maxMoves is how often a row may come or go while it is being read.
	maxReadAttempts = 5
	// blockPatience bounds the wait for the block that certifies a root.
	blockTimeout = 30 * time.Second
)

// ErrNoTrust says that a client was not told whom to believe.
var ErrNoTrust = errors.New("no validators to trust: give the chain's genesis")

// Row reads the row at a key, or nil when there is none, and says after which block that was so. Either is proven
// up to the signatures of validators that the client trusts.
func (c *Client) Row(ctx context.Context, key []byte) (value []byte, block uint64, err error) {
	if c.source == nil {
		return nil, 0, ErrNoTrust
	}
	return c.lookup(ctx, key)
}

// lookup is Row for a client that may have no trust, and then believes the root that the node names.
func (c *Client) lookup(ctx context.Context, key []byte) (value []byte, block uint64, err error) {
	answer, err := c.fetchProof(ctx, key)
	if err != nil {
		return nil, 0, err
	}
	root, block, err := c.root(ctx, answer.block, answer.root)
	if err != nil {
		return nil, 0, err
	}
	return answer.value, block, answer.check(root)
}

// rows reads a page of the rows under a prefix, proven to be complete like those of Row.
func (c *Client) rows(ctx context.Context, prefix, cursor []byte) (*pb.GetRangeProofResponse, error) {
	page, err := Call(ctx, c.GetRangeProof, &pb.GetRangeProofRequest{Prefix: prefix, Cursor: cursor, Limit: proof.MaxPageRows})
	if err != nil {
		return nil, err
	}
	root, _, err := c.root(ctx, page.GetBlockNumber(), page.GetRoot())
	if err != nil {
		return nil, err
	}
	return page, proof.VerifyRange(root, prefix, cursor, page)
}

// root gives the root to check a proof about a block against: the one that trusted validators signed, or without
// trust the one that the node named.
func (c *Client) root(ctx context.Context, number uint64, named []byte) (root [32]byte, block uint64, err error) {
	if c.source == nil {
		if len(named) != len(root) {
			return root, 0, fmt.Errorf("the node named a root of %d bytes", len(named))
		}
		return [32]byte(named), number, nil
	}
	return c.CertifiedRoot(ctx, number)
}

// Certified gives the root after a block as trusted validators signed it. For the newest block of a chain at rest,
// which nothing follows, it is that of the block before: the same root, under a lower number.
func (c *Client) CertifiedRoot(ctx context.Context, number uint64) (root [32]byte, block uint64, err error) {
	final, root, err := c.certify(ctx, number)
	return root, final.GetBlockNumber(), err
}

// certify is Certified with the light block that the signatures are in.
func (c *Client) certify(ctx context.Context, number uint64) (final *pb.GetFinalizedRootResponse, root [32]byte, err error) {
	trust, err := c.Trust(ctx)
	if err != nil {
		return nil, root, err
	}
	final, err = c.finalized(ctx, number)
	if err != nil {
		return nil, root, err
	}
	root, err = finality.Verify(final.GetLightBlock(), final.GetBlockNumber(), trust)
	if step := (*proof.StepError)(nil); errors.As(err, &step) && step.Step == finality.StepValidators && trust.Number > 0 {
		if trust, err = c.followTrust(ctx, trust, final.GetBlockNumber()); err == nil {
			root, err = finality.Verify(final.GetLightBlock(), final.GetBlockNumber(), trust)
		}
	}
	if err != nil {
		return nil, root, fmt.Errorf("root after block %d is not certified: %w", final.GetBlockNumber(), err)
	}
	return final, root, nil
}

// finalized gets the light block for the root after a block, which the next block brings. It waits for that one.
func (c *Client) finalized(ctx context.Context, number uint64) (*pb.GetFinalizedRootResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, blockTimeout)
	defer cancel()
	for {
		answer, err := Call(ctx, c.GetFinalizedRoot, &pb.GetFinalizedRootRequest{BlockNumber: number})
		if err == nil {
			return answer, nil
		}
		if connect.CodeOf(err) != connect.CodeUnavailable || !connect.IsWireError(err) || backoff.Sleep(ctx, maxPoll) != nil {
			return nil, fmt.Errorf("root after block %d: %w", number, err)
		}
	}
}

// Trust is what the client checks proofs against. It asks the source once.
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

// FirstContact asks the node which chain it serves and who its validators are. Only their signatures are checked,
// so this is as good as the node: it is for a client that knows nothing yet, and keeps the answer.
func (c *Client) TrustOnFirstUse(ctx context.Context) (finality.Trust, error) {
	status, err := Call(ctx, c.GetNodeStatus, &pb.GetNodeStatusRequest{})
	if err != nil {
		return finality.Trust{}, err
	}
	answer, err := c.finalized(ctx, status.GetCurrentBlock())
	if err != nil {
		return finality.Trust{}, err
	}
	trust, err := finality.TrustLightBlock(answer.GetLightBlock())
	if err != nil {
		return finality.Trust{}, fmt.Errorf("first contact: %w", err)
	}
	if trust.ChainID != status.GetChainId() {
		return finality.Trust{}, fmt.Errorf("the node says that it serves chain %q, and shows a block of %q", status.GetChainId(), trust.ChainID)
	}
	return trust, nil
}
