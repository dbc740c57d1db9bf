package client

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/schema"
	"makechain/message"
	"makechain/proof"
)

// maxReadAttempts is how often a read is repeated while the row is created or deleted between its two calls.
const maxReadAttempts = 5

// ErrNoTrust is returned by a client that was created without trusted validators.
var ErrNoTrust = errors.New("no validators to trust: give the chain's genesis")

// RowProof contains everything that is needed to verify a row, or its absence, without a node: proof.VerifyOperation or
// proof.VerifyExclusion verify Key and Value against Root, and finality.Verify verifies LightBlock and returns the root.
type RowProof struct {
	Key        []byte
	Value      []byte // nil when there is no such row
	Proof      []byte
	Root       [32]byte
	Block      uint64 // the block after which the state had this root
	LightBlock []byte // the header of the next block, with its signatures and validators
}

// RefKey returns the key of the row of a ref, for Row and ProveRow. The name is the full one.
func RefKey(project message.Hash, name string) []byte { return schema.RefKey(project, []byte(name)) }

// Row returns the value of the row at a key, nil when there is none, and the block after which the state was so. Both
// results are verified up to the signatures of trusted validators. Without those it returns ErrNoTrust.
func (c *Client) Row(ctx context.Context, key []byte) (value []byte, block uint64, err error) {
	if c.source == nil {
		return nil, 0, ErrNoTrust
	}
	return c.lookup(ctx, key)
}

// ProveRow returns a proof of the row at a key, or of its absence. The proof is verified as that of Row is.
func (c *Client) ProveRow(ctx context.Context, key []byte) (*RowProof, error) {
	row, err := c.fetchProof(ctx, key)
	if err != nil {
		return nil, err
	}
	final, root, err := c.certify(ctx, row.block)
	if err != nil {
		return nil, err
	}
	return &RowProof{
		Key: key, Value: row.value, Proof: row.proof, Root: root, Block: final.GetBlockNumber(), LightBlock: final.GetLightBlock(),
	}, row.verify(root)
}

// lookup reads a row like Row. A client without trust verifies it against the root that the node returns.
func (c *Client) lookup(ctx context.Context, key []byte) (value []byte, block uint64, err error) {
	row, err := c.fetchProof(ctx, key)
	if err != nil {
		return nil, 0, err
	}
	root, block, err := c.root(ctx, row.block, row.root)
	if err != nil {
		return nil, 0, err
	}
	return row.value, block, row.verify(root)
}

// Rows iterates over the rows with a prefix in the order of their keys, from the first or from the first after a key, nil when there
// is none. Each page is verified like a row of Row and proven to be complete; rows that are added or deleted meanwhile may be missing.
// The iteration ends with an error.
func (c *Client) Rows(ctx context.Context, prefix, after []byte) iter.Seq2[*pb.RangeProofEntry, error] {
	return func(yield func(*pb.RangeProofEntry, error) bool) {
		var cursor []byte
		if after != nil {
			cursor = proof.RangeCursor(prefix, after)
		}
		for {
			if c.source == nil {
				yield(nil, ErrNoTrust)
				return
			}
			page, err := c.rows(ctx, prefix, cursor)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, entry := range page.GetEntries() {
				if !yield(entry, nil) {
					return
				}
			}
			if page.GetComplete() {
				return
			}
			cursor = page.GetNextCursor()
		}
	}
}

// rows reads a page of the rows under a prefix, verified like those of lookup and proven to be complete.
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

// root returns the root against which a proof about a block is verified: the one that trusted validators signed, or
// without trust the one that the node returned.
func (c *Client) root(ctx context.Context, number uint64, returned []byte) (root [32]byte, block uint64, err error) {
	if c.source == nil {
		if len(returned) != len(root) {
			return root, 0, fmt.Errorf("the node returned a root of %d bytes", len(returned))
		}
		return [32]byte(returned), number, nil
	}
	return c.CertifiedRoot(ctx, number)
}

// rowProof is a row, or its absence, with the proof that a node returned.
type rowProof struct {
	key, value, proof []byte
	root              []byte // as the node returned it
	block             uint64
}

// fetchProof requests the proof of a row, and when there is no such row the proof of its absence.
func (c *Client) fetchProof(ctx context.Context, key []byte) (*rowProof, error) {
	for range maxReadAttempts {
		present, err := Call(ctx, c.GetOperationProof, &pb.GetOperationProofRequest{Key: key})
		if err == nil {
			return &rowProof{key, present.GetValue(), present.GetProof(), present.GetRoot(), present.GetBlockNumber()}, nil
		}
		if connect.CodeOf(err) != connect.CodeNotFound {
			return nil, err
		}
		absent, err := Call(ctx, c.GetExclusionProof, &pb.GetExclusionProofRequest{Key: key})
		if err == nil {
			return &rowProof{key, nil, absent.GetProof(), absent.GetRoot(), absent.GetBlockNumber()}, nil
		}
		if connect.CodeOf(err) != connect.CodeFailedPrecondition { // the row was created between the two calls
			return nil, err
		}
	}
	return nil, fmt.Errorf("row %x was created or deleted during each of %d reads", key, maxReadAttempts)
}

// verify verifies the proof against a root.
func (p *rowProof) verify(root [32]byte) error {
	if p.value == nil {
		return proof.VerifyExclusion(root, p.key, p.proof)
	}
	return proof.VerifyOperation(root, p.key, p.value, p.proof)
}
