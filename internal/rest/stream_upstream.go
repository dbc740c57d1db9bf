package rest

import (
	"context"
	"errors"
	"fmt"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/gen/makechain/makechainpbconnect"
)

// upstreamBlocks are the blocks of the node behind a gateway.
//
// They serve the stream of messages too. A subscription to messages does not say where a block ends, nor that a block
// without messages was there; one to blocks does both, so that what belongs together is sent together and it is known
// at any time how far the chain is.
type upstreamBlocks struct {
	client makechainpbconnect.MakechainServiceClient
}

func (u upstreamBlocks) Height(ctx context.Context) (uint64, error) {
	status, err := u.client.GetNodeStatus(ctx, connect.NewRequest(&pb.GetNodeStatusRequest{}))
	if err != nil {
		return 0, err
	}
	return status.Msg.GetCurrentBlock(), nil
}

func (u upstreamBlocks) Blocks(ctx context.Context, from uint64, take func(*pb.GetBlockResponse) error) error {
	ctx, cancel := context.WithCancel(ctx) // ends the call when take fails
	defer cancel()
	stream, err := u.client.SubscribeBlocks(ctx, connect.NewRequest(&pb.SubscribeBlocksRequest{StartBlock: &from}))
	if err != nil {
		return u.explain(ctx, from, err)
	}
	defer stream.Close() //nolint:errcheck // nothing is read any more
	for stream.Receive() {
		if err := take(stream.Msg()); err != nil {
			return err
		}
	}
	return u.explain(ctx, from, stream.Err())
}

// explain tells a block that is gone from one that is not there yet: a node that has fallen behind, or was restarted a
// moment ago, gets to it. Both are out of range.
func (u upstreamBlocks) explain(ctx context.Context, from uint64, err error) error {
	if connect.CodeOf(err) != connect.CodeOutOfRange || err == nil {
		return err
	}
	height, statusErr := u.Height(ctx)
	switch {
	case statusErr != nil:
		return statusErr
	case from > height:
		return fmt.Errorf("block %d is not there yet: %w", from, err)
	default:
		return errors.Join(errNotKept, err)
	}
}
