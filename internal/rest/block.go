package rest

import (
	"context"
	"errors"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
)

type listBlocksInput struct {
	PageQuery

	Start numberParam `doc:"The first block; default: the latest." query:"start"`
}

type blockInput struct {
	Number blockParam `doc:"The number of the block in decimal digits, or latest." path:"number"`
}

func (g *Gateway) registerBlocks() {
	get(g, endpoint{
		id: "list-blocks", path: "/v1/blocks", rpcs: []string{"ListBlocks"}, tag: tagBlocks,
		summary: "List blocks, newest first",
	}, g.service.ListBlocks, func(in *listBlocksInput) *pb.ListBlocksRequest {
		return &pb.ListBlocksRequest{Start: in.Start.value, Limit: in.Limit, Cursor: in.Cursor.bytes}
	})

	register(g, endpoint{
		id: "get-block", path: "/v1/blocks/{number}", rpcs: []string{"GetBlock"}, tag: tagBlocks,
		summary: "Get a block with its messages",
		description: "A block with a successor never changes, so the response may be cached forever, except on a development chain. " +
			"Signatures of the latest block may still be added.",
		errors: notFound(), responses: descriptorsOf[pb.GetBlockResponse](),
	}, g.block)

	register(g, endpoint{
		id: "get-finalized-root", path: "/v1/blocks/{number}/finalized-root", rpcs: []string{"GetFinalizedRoot"}, tag: tagBlocks,
		summary: "Get the light block that certifies the state after a block",
		description: "The root of a block is certified by the next block, so that of the latest block may not exist yet. " +
			"latest returns the latest that exists.",
		errors: notFound(), responses: descriptorsOf[pb.GetFinalizedRootResponse](),
	}, g.finalizedRoot)
}

func (g *Gateway) block(ctx context.Context, in *blockInput) (*response, error) {
	if in.Number.isLatest {
		latest, err := g.latest(ctx)
		if err != nil {
			return nil, err
		}
		return g.respond(ctx, latest, noStore)
	}
	got, err := call(ctx, g, g.service.GetBlock, &pb.GetBlockRequest{BlockNumber: in.Number.number})
	if err != nil {
		return nil, err
	}
	return g.respond(ctx, got, g.cacheControl(ctx, g.hasSuccessor(ctx, in.Number.number)))
}

// latest returns the latest block.
func (g *Gateway) latest(ctx context.Context) (*pb.GetBlockResponse, error) {
	got, err := call(ctx, g, g.service.ListBlocks, &pb.ListBlocksRequest{Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(got.GetBlocks()) == 0 {
		return nil, g.internal(ctx, errors.New("the node returned no latest block"))
	}
	g.noteHeight(got.GetLatestBlock())
	return got.GetBlocks()[0], nil
}

// hasSuccessor reports whether there is a later block. It calls the node only for the newest blocks.
func (g *Gateway) hasSuccessor(ctx context.Context, number uint64) bool {
	if number < g.height.Load() {
		return true
	}
	health, err := call(ctx, g, g.service.GetHealth, &pb.GetHealthRequest{})
	if err != nil {
		return false // the response is only not cached
	}
	g.noteHeight(health.GetCurrentBlock())
	return number < health.GetCurrentBlock()
}

// noteHeight raises the highest block seen.
func (g *Gateway) noteHeight(height uint64) {
	for {
		highest := g.height.Load()
		if height <= highest || g.height.CompareAndSwap(highest, height) {
			return
		}
	}
}

func (g *Gateway) finalizedRoot(ctx context.Context, in *blockInput) (*response, error) {
	number := in.Number.number
	if in.Number.isLatest {
		latest, err := g.latest(ctx)
		if err != nil {
			return nil, err
		}
		number = latest.GetBlock().GetHeader().GetHeight().GetBlockNumber()
	}
	got, err := call(ctx, g, g.service.GetFinalizedRoot, &pb.GetFinalizedRootRequest{BlockNumber: number})
	var failed *Problem
	if in.Number.isLatest && number > 0 && errors.As(err, &failed) && failed.Code == connect.CodeUnavailable.String() {
		got, err = call(ctx, g, g.service.GetFinalizedRoot, &pb.GetFinalizedRootRequest{BlockNumber: number - 1})
	}
	if err != nil {
		return nil, err
	}
	return g.respond(ctx, got, noStore)
}
