package contentserver

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"connectrpc.com/connect"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/content"
	"makechain/internal/ident"
)

// Remote is the chain of a node elsewhere. Rows are read with proofs up to the validators' signatures; which block is the
// newest is the node's word.
type Remote struct {
	client *client.Client

	mu     sync.Mutex // guards the fields below
	stream *connect.ServerStreamForClient[pb.GetBlockResponse]
	next   uint64 // height of the stream's next block
}

var _ content.Chain = (*Remote)(nil)

// NewRemote returns the chain of a client, which must have trust.
func NewRemote(c *client.Client) *Remote { return &Remote{client: c} }

// ChainID returns the id of the chain.
func (r *Remote) ChainID(ctx context.Context) (string, error) {
	status, err := client.Call(ctx, r.client.GetNodeStatus, &pb.GetNodeStatusRequest{})
	return status.GetChainId(), err
}

// View is part of content.Chain, like the methods below.
func (r *Remote) View(ctx context.Context) (content.View, error) {
	return remoteView{ctx, r.client}, nil
}

// Next waits for a block. It must be called by one goroutine at a time.
func (r *Remote) Next(ctx context.Context, after uint64) (content.Block, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stream == nil || r.next != after+1 {
		if err := r.subscribe(ctx, after+1); err != nil {
			return content.Block{}, err
		}
	}
	if !r.stream.Receive() {
		err := errors.Join(r.stream.Err(), r.stream.Close())
		r.stream = nil
		if ctx.Err() != nil {
			return content.Block{}, ctx.Err()
		}
		if connect.CodeOf(err) == connect.CodeOutOfRange {
			return content.Block{}, content.ErrBlocksPruned
		}
		if err == nil {
			err = errors.New("the node ended the stream of blocks")
		}
		return content.Block{}, fmt.Errorf("read block %d: %w", after+1, err)
	}
	payload := r.stream.Msg().GetExecutionPayload()
	if payload.GetBlockNumber() != r.next {
		return content.Block{}, fmt.Errorf("the node sent block %d instead of %d", payload.GetBlockNumber(), r.next)
	}
	r.next++
	block := content.Block{Height: payload.GetBlockNumber()}
	for _, group := range payload.GetProjectMessages() {
		if project, ok := ident.HashFrom(group.GetProjectId()); ok {
			block.Projects = append(block.Projects, project)
		}
	}
	return block, nil
}

// subscribe opens the stream of blocks from a height on.
func (r *Remote) subscribe(ctx context.Context, from uint64) (err error) {
	if r.stream != nil {
		_ = r.stream.Close() // another one replaces it
	}
	r.next = from
	r.stream, err = r.client.SubscribeBlocks(ctx, connect.NewRequest(&pb.SubscribeBlocksRequest{StartBlock: &from}))
	if connect.CodeOf(err) == connect.CodeOutOfRange {
		return content.ErrBlocksPruned
	}
	return err
}

// Status returns the newest block.
func (r *Remote) Status(ctx context.Context) (content.Status, error) {
	status, err := client.Call(ctx, r.client.GetNodeStatus, &pb.GetNodeStatusRequest{})
	if err != nil {
		return content.Status{}, err
	}
	block, err := client.Call(ctx, r.client.GetBlock, &pb.GetBlockRequest{BlockNumber: status.GetCurrentBlock()})
	if err != nil {
		return content.Status{}, err
	}
	return content.Status{
		Height: status.GetCurrentBlock(), CatchingUp: status.GetCatchingUp(),
		Time: time.Unix(int64(block.GetExecutionPayload().GetTimestamp()), 0),
	}, nil
}

// remoteView reads rows with proofs.
type remoteView struct {
	ctx    context.Context //nolint:containedctx // of the request or block for which the view was made
	client *client.Client
}

func (v remoteView) Get(key []byte) ([]byte, error) {
	value, _, err := v.client.Row(v.ctx, key)
	return value, err
}

func (v remoteView) Scan(prefix []byte, visit func(key, value []byte) bool) error {
	for entry, err := range v.client.Rows(v.ctx, prefix, nil) {
		if err != nil {
			return err
		}
		if !visit(entry.GetKey(), entry.GetValue()) {
			return nil
		}
	}
	return nil
}

func (remoteView) Close() error { return nil }
