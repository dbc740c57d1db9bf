package rpc_test

import (
	"fmt"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/ledgertest"
	"makechain/internal/rpc"
	"makechain/message"
)

// TestEmptyChain checks the responses of a chain with only its genesis.
//
// Rules: P11.3.
func TestEmptyChain(t *testing.T) {
	t.Parallel()
	n := newNode(t, setup{})
	genesis := get[*pb.GetBlockResponse](n, "GetBlock", &pb.GetBlockRequest{})
	n.expectResponse(t, "ListBlocks", &pb.ListBlocksRequest{}, &pb.ListBlocksResponse{Blocks: []*pb.GetBlockResponse{genesis}})
	n.expectResponse(t, "ListMessages", &pb.ListMessagesRequest{}, &pb.ListMessagesResponse{})
	n.expectResponse(t, "ListProjects", &pb.ListProjectsRequest{}, &pb.ListProjectsResponse{})
	n.expectResponse(t, "GetChainStats", &pb.GetChainStatsRequest{}, &pb.GetChainStatsResponse{})
	absent := get[*pb.GetExclusionProofResponse](n, "GetExclusionProof", &pb.GetExclusionProofRequest{Key: []byte{0x04}})
	if string(absent.GetRoot()) != string(genesis.GetBlock().GetHeader().GetStateRoot()) {
		t.Errorf("the root is %x, genesis has %x", absent.GetRoot(), genesis.GetBlock().GetHeader().GetStateRoot())
	}
}

// TestBlockWithoutState checks that a decided block is not served before its state is durable.
//
// Rules: P10.6.
func TestBlockWithoutState(t *testing.T) {
	t.Parallel()
	n := newNode(t, setup{})
	n.next()
	n.blocks.kept = append(n.blocks.kept, n.blocks.kept[1])
	n.blocks.txs = append(n.blocks.txs, [][]byte{{}})
	n.expectError(t, "GetBlock", &pb.GetBlockRequest{BlockNumber: 2}, connect.CodeNotFound, "the latest is 1")
	n.expectError(t, "ListMessages", &pb.ListMessagesRequest{StartBlock: 2}, connect.CodeOutOfRange, "the latest block is 1")
	n.expectResponse(t, "ListMessages", &pb.ListMessagesRequest{StartBlock: 1, EndBlock: 2}, &pb.ListMessagesResponse{StartBlock: 1, EndBlock: 1})
	latest := get[*pb.ListBlocksResponse](n, "ListBlocks", &pb.ListBlocksRequest{Start: 2})
	if len(latest.GetBlocks()) != 2 || latest.GetLatestBlock() != 1 {
		t.Errorf("blocks from 2 down: %v", latest)
	}
	if status := get[*pb.GetNodeStatusResponse](n, "GetNodeStatus", &pb.GetNodeStatusRequest{}); status.GetPendingBlocks() != 1 || status.GetCurrentBlock() != 1 {
		t.Errorf("node status: %v", status)
	}
}

// TestPrunedBlocks checks the errors for blocks that were pruned and their messages.
func TestPrunedBlocks(t *testing.T) {
	t.Parallel()
	s := newPopulated(t)
	height := s.blocks.Height()
	recent := get[*pb.GetAccountActivityResponse](s.node, "GetAccountActivity", &pb.GetAccountActivityRequest{OwnerAddress: s.alice.Address[:]}).GetMessages()
	s.blocks.prune(height - 1)
	for _, c := range []struct {
		method string
		req    proto.Message
		field  string
	}{
		{"GetBlock", &pb.GetBlockRequest{BlockNumber: height - 2}, "block_number"},
		{"ListBlocks", &pb.ListBlocksRequest{Start: height - 2}, "start"},
		{"ListMessages", &pb.ListMessagesRequest{StartBlock: height - 2}, "start_block"},
		{"GetMessage", &pb.GetMessageRequest{Hash: s.created.Hash[:]}, "hash"},
		{"GetMessageInclusionProof", &pb.GetMessageInclusionProofRequest{MessageHash: s.created.Hash[:]}, "message_hash"},
		{"GetFinalizedRoot", &pb.GetFinalizedRootRequest{BlockNumber: 3}, "block_number"},
	} {
		s.expectError(t, c.method, c.req, connect.CodeOutOfRange, c.field+": block")
	}
	if blocks := get[*pb.ListBlocksResponse](s.node, "ListBlocks", &pb.ListBlocksRequest{}).GetBlocks(); len(blocks) != 2 {
		t.Errorf("%d blocks are listed, 2 are stored", len(blocks))
	}
	kept := get[*pb.GetAccountActivityResponse](s.node, "GetAccountActivity", &pb.GetAccountActivityRequest{OwnerAddress: s.alice.Address[:]}).GetMessages()
	if len(kept) == 0 || len(kept) >= len(recent) || kept[len(kept)-1].GetBlockNumber() < height-1 {
		t.Errorf("%d of %d messages are listed", len(kept), len(recent))
	}
	s.expectResponse(t, "GetBlock", &pb.GetBlockRequest{}, s.blocks.kept[0])
}

// TestMessageRanges checks ranges of blocks and MaxBlocksScanned.
func TestMessageRanges(t *testing.T) {
	t.Parallel()
	n := newNode(t, setup{})
	alice := n.actor("alice")
	n.must(n.join(alice, 1)...) // block 1
	for range rpc.MaxBlocksScanned + 10 {
		n.next()
	}
	n.must(n.create(alice, "last"))
	height := n.blocks.Height()
	for _, c := range []struct {
		first, last, limit uint64
		start, end         uint64
		messages           int
	}{
		{0, 0, 0, height, height, 1},
		{1, 0, 0, 1, 1, 3},
		{1, 1, 2, 1, 0, 2}, // the page ends inside block 1
		{1, height, 0, 1, rpc.MaxBlocksScanned, 3},
		{1, height, 3, 1, rpc.MaxBlocksScanned, 3},
		{rpc.MaxBlocksScanned + 1, height, 0, rpc.MaxBlocksScanned + 1, height, 1},
		{height, height + 100, 0, height, height, 1},
		{2, 5, 0, 2, 5, 0},
	} {
		req := &pb.ListMessagesRequest{StartBlock: c.first, EndBlock: c.last, Limit: uint32(c.limit)}
		answer := get[*pb.ListMessagesResponse](n, "ListMessages", req)
		if answer.GetStartBlock() != c.start || answer.GetEndBlock() != c.end || len(answer.GetMessages()) != c.messages {
			t.Errorf("%v: %d messages of blocks %d to %d, want %d of %d to %d", req,
				len(answer.GetMessages()), answer.GetStartBlock(), answer.GetEndBlock(), c.messages, c.start, c.end)
		}
	}
}

// TestLargeMessages checks that lists of large messages end before MaxResponseBytes, and that their cursors reach the end.
func TestLargeMessages(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("writes large messages")
	}
	n := newNode(t, setup{})
	alice := n.actor("alice")
	create := n.create(alice, "large")
	n.must(append(n.join(alice, 1), create)...)
	const large = 5
	for i := range large {
		n.must(n.sign(alice, message.CommitBundle(create.Hash, message.Content{}, bulky(i)...)))
	}
	first := n.blocks.Height() - large + 1
	types := []pb.MessageType{pb.MessageType_MESSAGE_TYPE_COMMIT_BUNDLE}
	for _, c := range []struct {
		method string
		req    proto.Message
		total  int
	}{
		{"ListMessages", &pb.ListMessagesRequest{StartBlock: first, EndBlock: first + large}, large},
		{"GetAccountActivity", &pb.GetAccountActivityRequest{OwnerAddress: alice.Address[:], Types: types}, large},
		{"GetProjectActivity", &pb.GetProjectActivityRequest{ProjectId: create.Hash[:], Types: types}, large},
		{"ListBlocks", &pb.ListBlocksRequest{}, int(first) + large},
	} {
		answer := get[proto.Message](n, c.method, c.req)
		if size, got := proto.Size(answer), len(items(answer)); got == 0 || got >= large || size > rpc.MaxResponseBytes+100 {
			t.Errorf("%s returns %d items in %d bytes", c.method, got, size)
		}
		n.walk(t, c.method, c.req, c.total)
	}
}

// bulky returns commits of nearly the maximum message size.
func bulky(number int) []message.Commit {
	commits := make([]message.Commit, message.MaxCommits)
	for i := range commits {
		commits[i] = ledgertest.NewCommit(ledgertest.Hash(fmt.Sprintf("bulky %d %d", number, i)))
		commits[i].Title = strings.Repeat("t", message.MaxTitle)
		for j := max(0, i-20); j < i; j++ {
			commits[i].Parents = append(commits[i].Parents, commits[j].Hash)
		}
	}
	return commits
}
