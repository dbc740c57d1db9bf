package rpc

import (
	"context"
	"errors"
	"fmt"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
)

// PositionError is what a Feed answers to a position it cannot stream from.
type PositionError struct {
	Lowest, Latest uint64
}

func (e *PositionError) Error() string {
	return fmt.Sprintf("start_block: blocks %d to %d can be streamed", e.Lowest, e.Latest)
}

// ErrStopping is what a Feed ends streams with when the node stops.
var ErrStopping = errors.New("the node stops")

func streamError(err error) error {
	var position *PositionError
	switch {
	case errors.As(err, &position):
		return connect.NewError(connect.CodeOutOfRange, position)
	case errors.Is(err, ErrStopping):
		return connect.NewError(connect.CodeUnavailable, ErrStopping)
	default:
		return err
	}
}

// SubscribeMessages streams messages as they commit, from now or from a position on (P10.7). A client that has the
// headers of the answer misses nothing that it sends afterwards.
func (s *Service) SubscribeMessages(ctx context.Context, req *connect.Request[pb.SubscribeRequest], stream *connect.ServerStream[pb.Message]) error {
	if len(req.Msg.GetProjectId()) > 0 {
		if _, err := hashField("project_id", req.Msg.GetProjectId()); err != nil {
			return err
		}
	}
	if len(req.Msg.GetOwnerAddress()) > 0 {
		if _, err := addressField("owner_address", req.Msg.GetOwnerAddress()); err != nil {
			return err
		}
	}
	if err := typesField(req.Msg.GetTypes()); err != nil {
		return err
	}
	if req.Msg.StartBlock == nil && req.Msg.GetStartIndex() != 0 {
		return invalid("start_index", "has no start_block to count in")
	}
	begun := func() error { return stream.Send(nil) } // the headers alone
	return streamError(s.Feed.Messages(ctx, req.Msg, begun, stream.Send))
}

// SubscribeBlocks streams blocks as they commit, from now or from a number on.
func (s *Service) SubscribeBlocks(ctx context.Context, req *connect.Request[pb.SubscribeBlocksRequest], stream *connect.ServerStream[pb.GetBlockResponse]) error {
	begun := func() error { return stream.Send(nil) } // the headers alone
	return streamError(s.Feed.Blocks(ctx, req.Msg.StartBlock, begun, func(height uint64) error {
		block, err := s.Chain.Block(height)
		if err != nil {
			return err
		}
		if block == nil {
			return &PositionError{Lowest: s.Chain.Base(), Latest: s.Chain.Height()}
		}
		return stream.Send(block)
	}))
}
