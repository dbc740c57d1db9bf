package rpc

import (
	"context"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
)

// GetBlock returns a committed block by its number; 0 is genesis (P11.3).
func (s *Service) GetBlock(_ context.Context, req *connect.Request[pb.GetBlockRequest]) (*connect.Response[pb.GetBlockResponse], error) {
	block, err := s.block("block_number", req.Msg.GetBlockNumber())
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(block), nil
}

// block reads the block that a field of a request names. The engine stores a block before its state is durable; the
// block is not served until then.
func (s *Service) block(field string, number uint64) (*pb.GetBlockResponse, error) {
	latest, err := s.height()
	if err != nil {
		return nil, err
	}
	if number > latest {
		return nil, notFound("block %d does not exist yet, the latest is %d", number, latest)
	}
	block, err := s.Chain.Block(number)
	if err == nil && block == nil {
		err = s.notStored(field, number)
	}
	return block, err
}

// ListBlocks lists blocks from newest to oldest, starting at a number or the latest block.
func (s *Service) ListBlocks(_ context.Context, req *connect.Request[pb.ListBlocksRequest]) (*connect.Response[pb.ListBlocksResponse], error) {
	latest, err := s.height()
	if err != nil {
		return nil, err
	}
	start := latest
	if asked := req.Msg.GetStart(); asked != 0 {
		start = min(asked, latest)
	}
	response := &pb.ListBlocksResponse{LatestBlock: latest}
	page := pageSize{maxItems: limitOf(req.Msg.GetLimit())}
	for next := start + 1; next > 0 && page.items < page.maxItems; next-- {
		block, err := s.Chain.Block(next - 1)
		if err != nil {
			return nil, err
		}
		if block == nil || !page.add(block) {
			break
		}
		response.Blocks = append(response.Blocks, block)
	}
	if len(response.GetBlocks()) == 0 {
		return nil, s.notStored("start", start)
	}
	return connect.NewResponse(response), nil
}
