package rpc

import (
	"context"
	"encoding/binary"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
)

// GetBlock returns a committed block by its number; 0 is genesis (P11.3).
func (s *Service) GetBlock(ctx context.Context, req *connect.Request[pb.GetBlockRequest]) (*connect.Response[pb.GetBlockResponse], error) {
	block, err := s.block(ctx, "block_number", req.Msg.GetBlockNumber())
	if err != nil {
		return nil, err
	}
	return connect.NewResponse(block), nil
}

// block reads the block that a field of a request names. The engine stores a block before its state is durable; the
// block is not served until then.
func (s *Service) block(ctx context.Context, field string, number uint64) (*pb.GetBlockResponse, error) {
	latest, err := s.height(ctx)
	if err != nil {
		return nil, err
	}
	if number > latest {
		return nil, notFound("block %d does not exist yet, the latest is %d", number, latest)
	}
	block, err := s.storedBlock(ctx, number)
	if err == nil && block == nil {
		err = s.notStored(field, number)
	}
	return block, err
}

// ListBlocks lists blocks from newest to oldest, starting at a number or the latest block. The cursor contains the number
// of the next block.
func (s *Service) ListBlocks(ctx context.Context, req *connect.Request[pb.ListBlocksRequest]) (*connect.Response[pb.ListBlocksResponse], error) {
	latest, err := s.height(ctx)
	if err != nil {
		return nil, err
	}
	number := latest
	if asked := req.Msg.GetStart(); asked != 0 {
		number = min(asked, latest)
	}
	list := newListID("ListBlocks", numberParameter(req.Msg.GetStart()))
	payload, err := list.payload(req.Msg.GetCursor())
	if err != nil {
		return nil, err
	}
	if payload != nil {
		if len(payload) != len(numberParameter(0)) {
			return nil, errCursor()
		}
		number = min(binary.BigEndian.Uint64(payload), latest)
	}
	response := &pb.ListBlocksResponse{LatestBlock: latest}
	page := pageSize{maxItems: limitOf(req.Msg.GetLimit())}
	for {
		block, err := s.storedBlock(ctx, number)
		if err != nil {
			return nil, err
		}
		if block == nil {
			break
		}
		fits := page.add(block)
		if fits {
			response.Blocks = append(response.Blocks, block)
			if number == 0 || number == s.Chain.Base() && number > 1 { // block 0, the genesis, is always stored
				break
			}
			number--
		}
		if !fits || page.items == page.maxItems {
			response.NextCursor = list.cursor(numberParameter(number))
			break
		}
	}
	if len(response.GetBlocks()) == 0 && payload == nil {
		return nil, s.notStored("start", number)
	}
	return connect.NewResponse(response), nil
}
