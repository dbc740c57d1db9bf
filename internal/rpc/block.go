package rpc

import (
	"context"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
)

// GetBlock answers a committed block by its number; 0 is genesis (P11.3).
func (s *Service) GetBlock(_ context.Context, req *connect.Request[pb.GetBlockRequest]) (*connect.Response[pb.GetBlockResponse], error) {
	block, err := s.block(req.Msg.GetBlockNumber())
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(block), nil
}

// block reads a block whose state is durable: the engine knows of one before it is.
func (s *Service) block(number uint64) (*pb.GetBlockResponse, error) {
	latest, err := read(s, func(snapshot Snapshot) (uint64, error) { return snapshot.Height(), nil })
	if err != nil {
		return nil, err
	}
	if number > latest {
		return nil, notFound("block %d is not there yet, the latest is %d", number, latest)
	}
	block, err := s.Chain.Block(number)
	if err == nil && block == nil {
		err = outOfRange("block_number: %d, the lowest block kept is %d", number, s.Chain.Base())
	}
	return block, err
}

// ListBlocks lists blocks newest first, down from a number or the latest.
func (s *Service) ListBlocks(_ context.Context, req *connect.Request[pb.ListBlocksRequest]) (*connect.Response[pb.ListBlocksResponse], error) {
	latest, err := read(s, func(snapshot Snapshot) (uint64, error) { return snapshot.Height(), nil })
	if err != nil {
		return nil, err
	}
	start := latest
	if asked := req.Msg.GetStart(); asked != 0 {
		start = min(asked, latest)
	}
	answer := &pb.ListBlocksResponse{LatestBlock: latest}
	size, most := 0, limitOf(req.Msg.GetLimit())
	for number := start; len(answer.GetBlocks()) < most; number-- {
		block, err := s.Chain.Block(number)
		if err != nil {
			return nil, err
		}
		if block == nil {
			break
		}
		if size += proto.Size(block); len(answer.GetBlocks()) > 0 && size > MaxAnswerBytes {
			break
		}
		answer.Blocks = append(answer.Blocks, block)
		if number == 0 {
			break
		}
	}
	return connect.NewResponse(answer), nil
}
