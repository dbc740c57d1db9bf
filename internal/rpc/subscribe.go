package rpc

import (
	"context"
	"errors"
	"fmt"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/feed"
	"makechain/internal/limit"
)

// SubscribeMessages streams messages as they are committed, from now or from a position (P10.7). Once a client has
// received the response headers, it misses no message that is committed afterwards.
func (s *Service) SubscribeMessages(ctx context.Context, req *connect.Request[pb.SubscribeRequest], stream *connect.ServerStream[pb.Message]) error {
	filter, err := subscriptionFilter(req.Msg)
	if err != nil {
		return err
	}
	var from *feed.Position
	if req.Msg.StartBlock != nil {
		from = &feed.Position{Height: req.Msg.GetStartBlock(), Index: req.Msg.GetStartIndex()}
	} else if req.Msg.GetStartIndex() != 0 {
		return invalid("start_index", "requires start_block")
	}
	subscription, err := s.Feed.SubscribeMessages(from, filter)
	if err == nil {
		err = stream.Send(nil) // headers only
	}
	for err == nil {
		var item feed.Item
		if item, err = subscription.Next(ctx); err == nil {
			m := item.Message.Proto()
			m.BlockNumber, m.Index = item.Height, item.Index
			err = stream.Send(m)
		}
	}
	return streamError(err)
}

func subscriptionFilter(req *pb.SubscribeRequest) (feed.Filter, error) {
	filter := feed.Filter{Types: req.GetTypes()}
	if len(req.GetProjectId()) > 0 {
		project, err := hashField("project_id", req.GetProjectId())
		if err != nil {
			return filter, err
		}
		filter.Project = &project
	}
	if len(req.GetOwnerAddress()) > 0 {
		owner, err := addressField("owner_address", req.GetOwnerAddress())
		if err != nil {
			return filter, err
		}
		filter.Owner = &owner
	}
	return filter, typesField(req.GetTypes())
}

// SubscribeBlocks streams blocks as they are committed, from now or from a number.
func (s *Service) SubscribeBlocks(ctx context.Context, req *connect.Request[pb.SubscribeBlocksRequest], stream *connect.ServerStream[pb.GetBlockResponse]) error {
	headers := func() error { return stream.Send(nil) }
	return s.StreamBlocks(ctx, req.Msg.StartBlock, headers, func(block *pb.GetBlockResponse) error {
		if err := limit.Wait(ctx); err != nil {
			return err
		}
		return stream.Send(block)
	})
}

// StreamBlocks sends the blocks from a number, or those that are committed from now on if it is nil, until ctx is done or
// send fails. It calls started once, when no block that is committed afterwards can be missed.
func (s *Service) StreamBlocks(ctx context.Context, from *uint64, started func() error, send func(*pb.GetBlockResponse) error) error {
	subscription, err := s.Feed.SubscribeBlocks(from)
	if err == nil {
		err = started()
	}
	for err == nil {
		var height uint64
		if height, err = subscription.Next(ctx); err != nil {
			break
		}
		if err = s.Reserve(ctx); err != nil {
			break
		}
		var block *pb.GetBlockResponse
		block, err = s.Chain.Block(height)
		switch {
		case err != nil:
		case block == nil: // pruned meanwhile
			return startOutOfRange(s.Chain.Base(), s.Chain.Height())
		default:
			chargeBlock(ctx, block)
			err = send(block)
		}
	}
	return streamError(err)
}

// streamError returns the error of the service for the error that ended a stream.
func streamError(err error) error {
	var position *feed.PositionError
	switch {
	case errors.As(err, &position):
		return startOutOfRange(position.Lowest, position.Latest)
	case errors.Is(err, feed.ErrClosed):
		return connect.NewError(connect.CodeUnavailable, errors.New("the node is stopping"))
	default:
		return err
	}
}

func startOutOfRange(lowest, latest uint64) error {
	return connect.NewError(connect.CodeOutOfRange, fmt.Errorf("start_block: blocks %d to %d can be streamed", lowest, latest))
}
