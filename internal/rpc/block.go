package rpc

import (
	"context"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
)

// GetBlock answers a committed block by its number; 0 is genesis (P11.3).
func (s *Service) GetBlock(_ context.Context, req *connect.Request[pb.GetBlockRequest]) (*connect.Response[pb.GetBlockResponse], error) {
	block, err := s.block("block_number", req.Msg.GetBlockNumber())
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(block), nil
}

// block reads the block that a field asks for. The engine knows of a block before its state is durable; until
// then it is not served.
func (s *Service) block(field string, number uint64) (*pb.GetBlockResponse, error) {
	latest, err := s.height()
	if err != nil {
		return nil, err
	}
	if number > latest {
		return nil, notFound("block %d is not there yet, the latest is %d", number, latest)
	}
	block, err := s.Chain.Block(number)
	if err == nil && block == nil {
		err = s.notKept(field, number)
	}
	return block, err
}

// ListBlocks lists blocks newest first, down from a number or the latest, to the lowest that is kept.
func (s *Service) ListBlocks(_ context.Context, req *connect.Request[pb.ListBlocksRequest]) (*connect.Response[pb.ListBlocksResponse], error) {
	latest, err := s.height()
	if err != nil {
		return nil, err
	}
	start := latest
	if asked := req.Msg.GetStart(); asked != 0 {
		start = min(asked, latest)
	}
	answer := &pb.ListBlocksResponse{LatestBlock: latest}
	room := room{most: limitOf(req.Msg.GetLimit())}
	for left := start + 1; left > 0 && room.items < room.most; left-- {
		block, err := s.Chain.Block(left - 1)
		if err != nil {
			return nil, err
		}
		if block == nil || !room.take(block) {
			break
		}
		answer.Blocks = append(answer.Blocks, block)
	}
	if len(answer.GetBlocks()) == 0 {
		return nil, s.notKept("start", start)
	}
	return connect.NewResponse(answer), nil
}
