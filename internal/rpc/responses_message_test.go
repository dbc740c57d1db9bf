package rpc_test

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/rpc"
	"makechain/internal/schema"
	"makechain/message"
	"makechain/proof"
)

func (s *populated) messageExamples() []example {
	s.Helper()
	height := s.blocks.Height()
	created, request := s.entry(s.created), s.entry(s.request)
	// All messages of hello, and what was sent by alice of two types.
	ofHello := s.newestFirst(func(m *message.Envelope) bool { return slices.Contains(m.Projects(), s.hello) })
	ofAlice := s.newestFirst(func(m *message.Envelope) bool { return m.Owner == s.alice.Address })
	refs := s.newestFirst(func(m *message.Envelope) bool {
		return m.Owner == s.alice.Address && (m.Data.GetRefUpdate() != nil || m.Data.GetRefDelete() != nil)
	})
	refTypes := []pb.MessageType{pb.MessageType_MESSAGE_TYPE_REF_UPDATE, pb.MessageType_MESSAGE_TYPE_REF_DELETE}
	last := s.newestFirst(func(m *message.Envelope) bool { return s.entry(m).GetBlockNumber() == height })
	slices.Reverse(last)
	status := func(m *message.Envelope, state pb.MessageState) *pb.GetMessageStatusResponse {
		return &pb.GetMessageStatusResponse{Hash: m.Hash[:], State: state}
	}
	committed := status(s.request, pb.MessageState_MESSAGE_STATE_COMMITTED)
	committed.BlockNumber, committed.Index = request.GetBlockNumber(), request.GetMessage().GetIndex()
	pending := status(s.pending, pb.MessageState_MESSAGE_STATE_PENDING)
	pending.SeenAt = uint64(s.clock.Load())
	return append(s.blockExamples(), []example{
		{"GetMessage", &pb.GetMessageRequest{Hash: s.created.Hash[:]}, &pb.GetMessageResponse{Message: created.GetMessage(), BlockNumber: created.GetBlockNumber()}},
		{"GetMessageStatus", &pb.GetMessageStatusRequest{Hash: s.request.Hash[:]}, committed},
		{"GetMessageStatus", &pb.GetMessageStatusRequest{Hash: s.pending.Hash[:]}, pending},
		{"GetMessageStatus", &pb.GetMessageStatusRequest{Hash: s.one[:]}, &pb.GetMessageStatusResponse{Hash: s.one[:]}},
		{"GetProjectActivity", &pb.GetProjectActivityRequest{ProjectId: s.hello[:]}, &pb.GetProjectActivityResponse{Messages: ofHello}},
		{"GetProjectActivity", &pb.GetProjectActivityRequest{ProjectId: s.hello[:], Limit: 2}, &pb.GetProjectActivityResponse{Messages: ofHello[:2]}},
		{"GetAccountActivity", &pb.GetAccountActivityRequest{OwnerAddress: s.alice.Address[:]}, &pb.GetAccountActivityResponse{Messages: ofAlice}},
		{"GetAccountActivity", &pb.GetAccountActivityRequest{OwnerAddress: s.alice.Address[:], Types: refTypes}, &pb.GetAccountActivityResponse{Messages: refs}},
		{"ListMessages", &pb.ListMessagesRequest{}, &pb.ListMessagesResponse{Messages: last, StartBlock: height, EndBlock: height}},
		{
			"ListMessages", &pb.ListMessagesRequest{StartBlock: 1, EndBlock: height + 5, Types: []pb.MessageType{pb.MessageType_MESSAGE_TYPE_FORK}},
			&pb.ListMessagesResponse{Messages: []*pb.MessageEntry{s.entry(s.forked)}, StartBlock: 1, EndBlock: height},
		},
		{"SubscribeMessages", &pb.SubscribeRequest{ProjectId: s.mine[:], StartBlock: new(uint64(1))}, s.entry(s.forked).GetMessage()},
	}...)
}

func (s *populated) blockExamples() []example {
	blocks, height := s.blocks.kept, s.blocks.Height()
	return []example{
		{"GetBlock", &pb.GetBlockRequest{BlockNumber: height}, blocks[height]},
		{"GetBlock", &pb.GetBlockRequest{}, blocks[0]},
		{"ListBlocks", &pb.ListBlocksRequest{Limit: 2}, &pb.ListBlocksResponse{
			Blocks: []*pb.GetBlockResponse{blocks[height], blocks[height-1]}, LatestBlock: height,
		}},
		{"ListBlocks", &pb.ListBlocksRequest{Start: 1}, &pb.ListBlocksResponse{
			Blocks: []*pb.GetBlockResponse{blocks[1], blocks[0]}, LatestBlock: height,
		}},
		{"SubscribeBlocks", &pb.SubscribeBlocksRequest{StartBlock: new(uint64(2))}, blocks[2]},
	}
}

// prove runs a prover on the latest state.
func prove[T proto.Message](s *populated, prover func(rpc.Snapshot) (T, error)) T {
	s.Helper()
	latest := s.store.Snapshot()
	answer, err := prover(latest)
	if err != nil {
		s.Fatal(err)
	}
	if err := latest.Close(); err != nil {
		s.Fatal(err)
	}
	return answer
}

// proofExamples are proofs and their verification. TestProofs checks their content.
func (s *populated) proofExamples() []example {
	s.Helper()
	height := s.blocks.Height()
	root := s.blocks.kept[height].GetBlock().GetHeader().GetStateRoot()
	present, absent := schema.ProjectKey(s.hello), schema.ProjectKey(s.one)
	buried := schema.LinkKey(s.bobby.Address, byte(pb.LinkType_LINK_TYPE_STAR), s.secret[:])
	exists := prove(s, func(l rpc.Snapshot) (*pb.GetOperationProofResponse, error) { return proof.Exists(l, present) })
	missing := prove(s, func(l rpc.Snapshot) (*pb.GetExclusionProofResponse, error) { return proof.Absent(l, absent) })
	compound := func(key []byte) example {
		want := prove(s, func(l rpc.Snapshot) (*pb.GetCompoundProofResponse, error) { return proof.Compound(l, key) })
		want.BlockNumber = height
		return example{"GetCompoundProof", &pb.GetCompoundProofRequest{Key: key}, want}
	}
	refs := func(limit uint32) example {
		prefix := schema.RefKey(s.hello, nil)
		want := prove(s, func(l rpc.Snapshot) (*pb.GetRangeProofResponse, error) { return proof.Range(l, prefix, limit, nil) })
		want.BlockNumber = height
		return example{"GetRangeProof", &pb.GetRangeProofRequest{Prefix: prefix, Limit: limit}, want}
	}
	quota := prove(s, func(l rpc.Snapshot) (*pb.GetStorageQuotaProofResponse, error) {
		return proof.StorageQuota(l, s.alice.Address, s.stamp())
	})
	exists.BlockNumber, missing.BlockNumber, quota.BlockNumber = height, height, height
	light := []byte("light block 3")
	compact := func(prefix []byte) *pb.CompactRangeProof {
		return prove(s, func(l rpc.Snapshot) (*pb.CompactRangeProof, error) { return proof.CompactRange(l, prefix) })
	}
	s.blocks.decideNext()
	newest := fmt.Appendf(nil, "light block %d", height+1)
	project := &pb.GetProjectProofResponse{
		Root: root, BlockNumber: height, LightBlock: newest,
		Project: compact(present), Metadata: compact(schema.ProjectMetadataPrefix(s.hello)),
		ForkParent: compact(schema.ForkParentKey(s.hello)), Refs: compact(schema.RefKey(s.hello, nil)),
	}
	contents := &pb.ListContentResponse{Root: root, BlockNumber: height, LightBlock: newest, Contents: compact(schema.ContentPrefix(s.hello))}
	return append(s.inclusionExamples(), []example{
		{"GetOperationProof", &pb.GetOperationProofRequest{Key: present}, exists},
		{"GetExclusionProof", &pb.GetExclusionProofRequest{Key: absent}, missing},
		{"GetProjectProof", &pb.GetProjectProofRequest{ProjectId: s.hello[:]}, project},
		{"ListContent", &pb.ListContentRequest{ProjectId: s.hello[:]}, contents},
		compound(schema.CollaboratorKey(s.hello, s.bobby.Address)),
		compound(buried),
		refs(0),
		refs(1),
		{"GetStorageQuotaProof", &pb.GetStorageQuotaProofRequest{OwnerAddress: s.alice.Address[:]}, quota},
		{
			"VerifyOperationProof", &pb.VerifyOperationProofRequest{Proof: exists.GetProof(), Key: present, Root: root, Value: exists.GetValue()},
			&pb.VerifyOperationProofResponse{Valid: true, Root: root},
		},
		{
			"VerifyExclusionProof", &pb.VerifyExclusionProofRequest{Proof: missing.GetProof(), Key: absent, Root: root},
			&pb.VerifyExclusionProofResponse{Valid: true, Root: root},
		},
		{
			"VerifyStorageQuotaProof", &pb.VerifyStorageQuotaProofRequest{QuotaProof: quota},
			&pb.VerifyStorageQuotaProofResponse{Valid: true, Root: root},
		},
		{
			"VerifyOperationProofAtBlock",
			&pb.VerifyOperationProofAtBlockRequest{Proof: exists.GetProof(), Key: present, BlockNumber: height, Value: exists.GetValue()},
			&pb.VerifyOperationProofAtBlockResponse{Valid: true, Root: root, BlockNumber: height},
		},
		{
			"VerifyExclusionProofAtBlock", &pb.VerifyExclusionProofAtBlockRequest{Proof: missing.GetProof(), Key: absent, BlockNumber: height},
			&pb.VerifyExclusionProofAtBlockResponse{Valid: true, Root: root, BlockNumber: height},
		},
		{"GetFinalizedRoot", &pb.GetFinalizedRootRequest{BlockNumber: 2}, &pb.GetFinalizedRootResponse{
			BlockNumber: 2, StateRoot: s.blocks.kept[2].GetBlock().GetHeader().GetStateRoot(), LightBlock: light,
		}},
	}...)
}

// inclusionExamples are inclusion proofs of the second message of a block.
func (s *populated) inclusionExamples() []example {
	s.Helper()
	entry := s.entry(s.secretly)
	number, place := entry.GetBlockNumber(), entry.GetMessage().GetIndex()
	encoded, root, err := s.blocks.InclusionProof(number, place)
	if err != nil || place == 0 {
		s.Fatal(place, err)
	}
	// The proof is CometBFT's own; the message it is about is the one that was asked for.
	if err := proof.VerifyInclusion([sha256.Size]byte(root), place, s.secretly.Transaction(), encoded); err != nil {
		s.Fatal(err)
	}
	want := &pb.GetMessageInclusionProofResponse{Proof: encoded, Position: place, TransactionsRoot: root, BlockNumber: number}
	hash := s.blocks.kept[number].GetBlock().GetHash()
	return []example{
		{"GetMessageInclusionProof", &pb.GetMessageInclusionProofRequest{MessageHash: s.secretly.Hash[:]}, want},
		{"GetMessageInclusionProof", &pb.GetMessageInclusionProofRequest{MessageHash: s.secretly.Hash[:], BlockHash: hash, BlockNumber: number}, want},
	}
}
