package node

import (
	"context"
	"errors"
	"time"

	"connectrpc.com/connect"

	devpb "makechain/gen/makechain/dev"
	"makechain/internal/abci"
	"makechain/internal/ident"
	"makechain/internal/mempool"
	"makechain/internal/settlement"
	"makechain/message"
)

// Pipeline is what a message goes through in a node but for consensus and network: admission, execution, the state tree
// and the disk. It is there to be measured. The home must be one that no node uses.
type Pipeline struct {
	node   *Node
	solo   *abci.Solo
	faucet *settlement.Faucet
}

// NewPipeline makes the pipeline of a development chain.
func NewPipeline(ctx context.Context, config Config) (*Pipeline, error) {
	p := &Pipeline{node: newNode(config)}
	err := p.node.open(func([]byte) error { return nil }, func() mempool.Lag { return mempool.Lag{} })
	if err == nil {
		p.solo, err = abci.NewSolo(ctx, p.node.application())
	}
	if err == nil {
		p.faucet, err = p.node.newFaucet()
	}
	if err == nil && p.faucet == nil {
		err = errors.New("a pipeline needs a faucet, which development chains alone have")
	}
	if err != nil {
		return nil, errors.Join(err, p.node.Close())
	}
	return p, nil
}

// Claim gives an account storage.
func (p *Pipeline) Claim(ctx context.Context, owner ident.Address, units uint32) error {
	_, err := p.faucet.Claim(ctx, connect.NewRequest(&devpb.ClaimRequest{OwnerAddress: owner[:], Units: units}))
	return err
}

// Submit judges messages, and takes in those that are good. It answers in their order, nil for what was taken in.
func (p *Pipeline) Submit(ctx context.Context, messages []*message.Envelope) ([]*message.Refusal, error) {
	return p.node.pool.SubmitBatch(ctx, messages)
}

// Block makes a block of what is pending, and tells how many messages it has, and how many rows the state has then.
func (p *Pipeline) Block(ctx context.Context) (messages, rows int, err error) {
	if messages, err = p.solo.Block(ctx, time.Now()); err != nil {
		return 0, 0, err
	}
	latest := p.node.store.Snapshot()
	return messages, latest.Len(), latest.Close()
}

// Close ends the pipeline.
func (p *Pipeline) Close() error { return p.node.Close() }
