package rest

import (
	"context"
	"errors"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
)

type listBlocksInput struct {
	Limited

	Start numberParam `doc:"The block to begin with; the latest when left out." query:"start"`
}

type blockInput struct {
	Number blockParam `doc:"The number of the block in decimal digits, or latest." path:"number"`
}

func (g *Gateway) registerBlocks() {
	get(g, endpoint{
		id: "list-blocks", path: "/v1/blocks", rpcs: []string{"ListBlocks"}, tag: tagBlocks,
		summary: "Blocks, newest first",
	}, g.upstream.ListBlocks, func(in *listBlocksInput) *pb.ListBlocksRequest {
		return &pb.ListBlocksRequest{Start: in.Start.value, Limit: in.Limit}
	})

	register(g, endpoint{
		id: "get-block", path: "/v1/blocks/{number}", rpcs: []string{"GetBlock"}, tag: tagBlocks,
		summary: "A block with its messages",
		about:   "Once another block follows it never changes, so the answer may be kept for ever. Signatures of the newest may still be added.",
		errors:  mayBeAbsent(), gives: descriptorsOf[pb.GetBlockResponse](),
	}, g.block)

	register(g, endpoint{
		id: "get-finalized-root", path: "/v1/blocks/{number}/finalized-root", rpcs: []string{"GetFinalizedRoot"}, tag: tagBlocks,
		summary: "The light block that certifies the state after a block",
		about:   "The block after it certifies a root, so that of the newest block may not be there yet. latest is the latest that is there.",
		errors:  mayBeAbsent(), gives: descriptorsOf[pb.GetFinalizedRootResponse](),
	}, g.finalizedRoot)
}

func (g *Gateway) block(ctx context.Context, in *blockInput) (*answer, error) {
	if in.Number.isLatest {
		latest, err := g.latest(ctx)
		if err != nil {
			return nil, err
		}
		return g.give(ctx, latest, noStore)
	}
	got, err := ask(ctx, g, g.upstream.GetBlock, &pb.GetBlockRequest{BlockNumber: in.Number.number})
	if err != nil {
		return nil, err
	}
	caching := noStore
	if g.isFollowed(ctx, in.Number.number) {
		caching = immutable
	}
	return g.give(ctx, got, caching)
}

// latest answers the newest block.
func (g *Gateway) latest(ctx context.Context) (*pb.GetBlockResponse, error) {
	got, err := ask(ctx, g, g.upstream.ListBlocks, &pb.ListBlocksRequest{Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(got.GetBlocks()) == 0 {
		return nil, g.internal(ctx, errors.New("the node has no latest block"))
	}
	g.noteHeight(got.GetLatestBlock())
	return got.GetBlocks()[0], nil
}

// isFollowed says whether there is a later block. It asks only about the newest blocks, since the chain never shrinks.
func (g *Gateway) isFollowed(ctx context.Context, number uint64) bool {
	if number < g.height.Load() {
		return true
	}
	health, err := ask(ctx, g, g.upstream.GetHealth, &pb.GetHealthRequest{})
	if err != nil {
		return false // the block itself was answered
	}
	g.noteHeight(health.GetCurrentBlock())
	return number < health.GetCurrentBlock()
}

// noteHeight remembers the highest block that was heard of.
func (g *Gateway) noteHeight(height uint64) {
	for {
		known := g.height.Load()
		if height <= known || g.height.CompareAndSwap(known, height) {
			return
		}
	}
}

func (g *Gateway) finalizedRoot(ctx context.Context, in *blockInput) (*answer, error) {
	number := in.Number.number
	if in.Number.isLatest {
		latest, err := g.latest(ctx)
		if err != nil {
			return nil, err
		}
		number = latest.GetBlock().GetHeader().GetHeight().GetBlockNumber()
	}
	got, err := ask(ctx, g, g.upstream.GetFinalizedRoot, &pb.GetFinalizedRootRequest{BlockNumber: number})
	var failed *Problem
	if in.Number.isLatest && number > 0 && errors.As(err, &failed) && failed.Code == connect.CodeUnavailable.String() {
		got, err = ask(ctx, g, g.upstream.GetFinalizedRoot, &pb.GetFinalizedRootRequest{BlockNumber: number - 1})
	}
	if err != nil {
		return nil, err
	}
	return g.give(ctx, got, noStore)
}
