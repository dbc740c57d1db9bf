package client

import (
	"context"
	"fmt"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/proof"
)

// Evidence is all that it takes to check a row, or its absence, without a node: proof.VerifyOperation or
// proof.VerifyExclusion lead from Key and Value to Root, and finality.Verify from LightBlock to the same root.
type RowProof struct {
	Key        []byte
	Value      []byte // nil when there is no row
	Proof      []byte
	Root       [32]byte
	Block      uint64 // after which it was so
	LightBlock []byte // the header of the next block, with its signatures and validators
}

// Evidence fetches the evidence about a key. It is checked like a Row before it is given out.
func (c *Client) ProveRow(ctx context.Context, key []byte) (*RowProof, error) {
	answer, err := c.fetchProof(ctx, key)
	if err != nil {
		return nil, err
	}
	final, root, err := c.certify(ctx, answer.block)
	if err != nil {
		return nil, err
	}
	return &RowProof{
		Key: key, Value: answer.value, Proof: answer.proof, Root: root, Block: final.GetBlockNumber(), LightBlock: final.GetLightBlock(),
	}, answer.check(root)
}

// proven is a row or its absence as a node proves it.
type rowProof struct {
	key, value, proof []byte
	root              []byte // as the node names it
	block             uint64
}

// prove asks for the proof of a row, and for that of its absence when there is none.
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
		if connect.CodeOf(err) != connect.CodeFailedPrecondition { // the row has come in between
			return nil, err
		}
	}
	return nil, fmt.Errorf("row %x changes too fast to be read", key)
}

// check checks the proof against a root.
func (p *rowProof) check(root [32]byte) error {
	if p.value == nil {
		return proof.VerifyExclusion(root, p.key, p.proof)
	}
	return proof.VerifyOperation(root, p.key, p.value, p.proof)
}
