package node_test

import (
	"bytes"
	"slices"
	"testing"

	"connectrpc.com/connect"
	"github.com/cometbft/cometbft/crypto/ed25519"
	cmttypes "github.com/cometbft/cometbft/types"

	pb "makechain/gen/makechain"
	"makechain/internal/comet"
	"makechain/internal/ident"
	"makechain/internal/node/nodetest"
	"makechain/message"
	"makechain/proof"
	"makechain/proof/finality"
)

// awaitIdle waits until the chain is idle, which it is after an empty block, and returns the number of that block.
func awaitIdle(t *testing.T, c *nodetest.Client) uint64 {
	t.Helper()
	var height uint64
	nodetest.Await(t, "the chain to become idle", func() bool {
		latest := nodetest.Call(t, c.ListBlocks, &pb.ListBlocksRequest{Limit: 1})
		height = latest.GetLatestBlock()
		pending := nodetest.Call(t, c.GetMempoolInfo, &pb.GetMempoolInfoRequest{}).GetTotal()
		return height > 1 && pending == 0 && len(messagesOf(latest.GetBlocks()[0])) == 0
	})
	return height
}

// messagesOf returns the messages of a block in order (P6.1).
func messagesOf(block *pb.GetBlockResponse) []*pb.Message {
	payload := block.GetExecutionPayload()
	messages := slices.Clone(payload.GetAccountMessages())
	for _, group := range payload.GetProjectMessages() {
		messages = append(messages, group.GetMessages()...)
	}
	return messages
}

// blocksOf returns all blocks, read in pages, oldest first.
func blocksOf(t *testing.T, c *nodetest.Client) []*pb.GetBlockResponse {
	t.Helper()
	var blocks []*pb.GetBlockResponse
	for start := awaitIdle(t, c); ; {
		page := nodetest.Call(t, c.ListBlocks, &pb.ListBlocksRequest{Start: start, Limit: 7}).GetBlocks()
		blocks = append(blocks, page...)
		lowest := page[len(page)-1].GetBlock().GetHeader().GetHeight().GetBlockNumber()
		if lowest == 0 {
			slices.Reverse(blocks)
			return blocks
		}
		start = lowest - 1
		if start == 0 { // 0 asks for the latest
			blocks = append(blocks, nodetest.Call(t, c.GetBlock, &pb.GetBlockRequest{}))
			slices.Reverse(blocks)
			return blocks
		}
	}
}

// trustIn returns the trust of a client of the chain in a home.
func trustIn(t *testing.T, home string) finality.Trust {
	t.Helper()
	begin, err := comet.Genesis(home)
	if err != nil {
		t.Fatal(err)
	}
	var validators []*cmttypes.Validator
	for _, v := range begin.Validators {
		validators = append(validators, cmttypes.NewValidator(ed25519.PubKey(v.PublicKey[:]), v.Power))
	}
	return finality.Trust{ChainID: begin.ChainID, ValidatorsHash: cmttypes.NewValidatorSet(validators).Hash()}
}

// certified returns the root after a block that the validators signed.
func certified(t *testing.T, c *nodetest.Client, trust finality.Trust, number uint64) ident.Hash {
	t.Helper()
	answer := nodetest.Call(t, c.GetFinalizedRoot, &pb.GetFinalizedRootRequest{BlockNumber: number})
	root, err := finality.Verify(answer.GetLightBlock(), number, trust)
	if err != nil {
		t.Fatalf("root after block %d: %v", number, err)
	}
	if !bytes.Equal(answer.GetStateRoot(), root[:]) || answer.GetBlockNumber() != number {
		t.Errorf("root after block %d is answered as %x of block %d, signed is %x", number, answer.GetStateRoot(), answer.GetBlockNumber(), root)
	}
	return root
}

// readBlocks checks that the blocks form a chain from genesis, that their roots are signed, that they contain exactly the
// messages that were submitted, and that each message has an inclusion proof.
func (s *scenario) readBlocks(t *testing.T) {
	trust := trustIn(t, s.Home())
	parent, hashes := make([]byte, ident.HashSize), map[ident.Hash]bool{}
	blocks := blocksOf(t, s.Client)
	for number, block := range blocks {
		header := block.GetBlock().GetHeader()
		if header.GetHeight().GetBlockNumber() != uint64(number) || !bytes.Equal(header.GetParentHash(), parent) {
			t.Fatalf("block %d: %v does not build on %x", number, header, parent)
		}
		parent = block.GetBlock().GetHash()
		same(t, "block", nodetest.Call(t, s.GetBlock, &pb.GetBlockRequest{BlockNumber: uint64(number)}), block)
		if number+1 < len(blocks) && number > 0 {
			if root := certified(t, s.Client, trust, uint64(number)); !bytes.Equal(header.GetStateRoot(), root[:]) {
				t.Errorf("block %d has root %x, signed is %s", number, header.GetStateRoot(), root)
			}
		}
		for i, m := range messagesOf(block) {
			hashes[ident.Hash(m.GetHash())] = true
			s.readMessage(t, block, uint32(i), m)
		}
	}
	for _, hash := range s.sent {
		if !hashes[hash] {
			t.Errorf("no block contains message %s", hash)
		}
	}
	if len(hashes) != len(s.sent) {
		t.Errorf("%d messages in blocks, %d submitted", len(hashes), len(s.sent))
	}
	last := blocks[len(blocks)-1].GetBlock().GetHeader().GetHeight().GetBlockNumber()
	// The last block of an idle chain is empty, and its root is certified as that of the block before.
	if answer := nodetest.Call(t, s.GetFinalizedRoot, &pb.GetFinalizedRootRequest{BlockNumber: last}); answer.GetBlockNumber() != last-1 {
		t.Errorf("the root after the last block %d is certified as that of %d, want the one before", last, answer.GetBlockNumber())
	}
	nodetest.MustFail(t, s.GetBlock, &pb.GetBlockRequest{BlockNumber: last + 1}, connect.CodeNotFound)
}

// readMessage reads one message with every method.
func (s *scenario) readMessage(t *testing.T, block *pb.GetBlockResponse, place uint32, m *pb.Message) {
	t.Helper()
	number := block.GetBlock().GetHeader().GetHeight().GetBlockNumber()
	same(t, "message", nodetest.Call(t, s.GetMessage, &pb.GetMessageRequest{Hash: m.GetHash()}),
		&pb.GetMessageResponse{Message: m, BlockNumber: number})
	status := nodetest.Call(t, s.GetMessageStatus, &pb.GetMessageStatusRequest{Hash: m.GetHash()})
	if status.GetState() != pb.MessageState_MESSAGE_STATE_COMMITTED || status.GetBlockNumber() != number || status.GetIndex() != place {
		t.Errorf("status of message %d of block %d: %v", place, number, status)
	}
	included := nodetest.Call(t, s.GetMessageInclusionProof, &pb.GetMessageInclusionProofRequest{
		MessageHash: m.GetHash(), BlockHash: block.GetBlock().GetHash(), BlockNumber: number,
	})
	envelope, refusal := message.Open(m)
	if refusal != nil {
		t.Fatal(refusal)
	}
	root := ident.Hash(block.GetBlock().GetHeader().GetTransactionsRoot())
	if err := proof.VerifyInclusion(root, place, envelope.Transaction(), included.GetProof()); err != nil {
		t.Errorf("message %d of block %d: %v", place, number, err)
	}
}

// readMessages reads ranges of messages and activity, newest first.
func (s *scenario) readMessages(t *testing.T) {
	var inOrder []*pb.MessageEntry
	for start, last := uint64(1), awaitIdle(t, s.Client); start <= last; start++ {
		inOrder = append(inOrder, nodetest.Call(t, s.ListMessages, &pb.ListMessagesRequest{StartBlock: start}).GetMessages()...)
	}
	if len(inOrder) != len(s.sent) {
		t.Errorf("%d messages are listed, %d submitted", len(inOrder), len(s.sent))
	}
	refs := []pb.MessageType{pb.MessageType_MESSAGE_TYPE_REF_UPDATE, pb.MessageType_MESSAGE_TYPE_REF_DELETE}
	isRef := func(m *pb.Message) bool { return slices.Contains(refs, m.GetData().GetType()) }
	listed := nodetest.Call(t, s.ListMessages, &pb.ListMessagesRequest{StartBlock: 1, EndBlock: awaitIdle(t, s.Client), Types: refs})
	sameEntries(t, "ref messages", listed.GetMessages(), inOrder, isRef)

	slices.Reverse(inOrder)
	owner := s.alice.Address()
	byAlice := func(m *pb.Message) bool { return bytes.Equal(m.GetData().GetOwnerAddress(), owner[:]) }
	activity := nodetest.Call(t, s.GetAccountActivity, &pb.GetAccountActivityRequest{OwnerAddress: owner[:], Limit: 200})
	sameEntries(t, "activity of alice", activity.GetMessages(), inOrder, byAlice)
	project := nodetest.Call(t, s.GetProjectActivity, &pb.GetProjectActivityRequest{ProjectId: s.fork[:], Limit: 200, Types: refs})
	sameEntries(t, "refs of the fork", project.GetMessages(), inOrder, func(m *pb.Message) bool {
		return isRef(m) && bytes.Equal(m.GetData().GetRefUpdate().GetProjectId(), s.fork[:])
	})
}

// sameEntries compares a list with the messages that belong to it.
func sameEntries(t *testing.T, what string, got, all []*pb.MessageEntry, belongs func(*pb.Message) bool) {
	t.Helper()
	want := slices.DeleteFunc(slices.Clone(all), func(e *pb.MessageEntry) bool { return !belongs(e.GetMessage()) })
	if len(want) == 0 {
		t.Fatalf("%s: nothing belongs to it", what)
	}
	same(t, what, &pb.ListMessagesResponse{Messages: got}, &pb.ListMessagesResponse{Messages: want})
}
