package rpc_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
	"makechain/message"
)

// anything returns the fields that may contain any bytes or text, each with the test that covers it.
func anything() map[string]string {
	return map[string]string{
		"GetRef.ref_name":                   "TestBadRefNames",
		"GetRefLog.ref_name":                "TestBadRefNames",
		"VerifyOperationProof.proof":        "the response contains the reason",
		"VerifyOperationProof.value":        "the response contains the reason",
		"VerifyExclusionProof.proof":        "the response contains the reason",
		"VerifyOperationProofAtBlock.proof": "the response contains the reason",
		"VerifyOperationProofAtBlock.value": "the response contains the reason",
		"VerifyExclusionProofAtBlock.proof": "the response contains the reason",
	}
}

// optional returns the fixed-size fields that may be absent.
func optional() []string {
	return []string{
		"ListProjects.owner_address", "SearchProjects.owner_address", "ListMergeRequests.requester_owner_address",
		"ListReactions.target_project_id", "SubscribeMessages.project_id", "SubscribeMessages.owner_address",
		"GetMessageInclusionProof.block_hash", "VerifyOperationProof.root", "VerifyExclusionProof.root",
		"ListLinksByTarget.target_project_id", // the table asks for followers, who have none
	}
}

// TestMalformedArguments checks that an invalid value of any field of any request is refused with the name of the field.
//
// Rules: T3.6.
func TestMalformedArguments(t *testing.T) {
	t.Parallel()
	s := newPopulated(t)
	seen := map[string]bool{}
	for _, q := range s.examples() {
		if seen[q.method] {
			continue
		}
		seen[q.method] = true
		fields := q.req.ProtoReflect().Descriptor().Fields()
		for i := range fields.Len() {
			s.breakField(t, q, fields.Get(i))
		}
	}
}

func (s *populated) breakField(t *testing.T, q example, fd protoreflect.FieldDescriptor) {
	t.Helper()
	place := q.method + "." + string(fd.Name())
	if _, ok := anything()[place]; ok {
		return
	}
	refused := func(value any) {
		t.Helper()
		s.expectError(t, q.method, with(q.req, fd.Name(), value), connect.CodeInvalidArgument, string(fd.Name()))
	}
	switch {
	case fd.IsList() && fd.Enum() != nil: // message types
		for _, number := range []protoreflect.EnumNumber{0, 27, -1, math.MaxInt32} {
			list := q.req.ProtoReflect().New().Mutable(fd).List()
			list.Append(protoreflect.ValueOfEnum(1))
			list.Append(protoreflect.ValueOfEnum(number))
			refused(list)
		}
	case fd.Enum() != nil:
		for _, number := range []protoreflect.EnumNumber{99, -1, 256 + 1} {
			refused(number)
		}
	case fd.Kind() == protoreflect.BytesKind:
		for _, size := range []int{5, ident.AddressSize - 1, ident.HashSize + 1} {
			refused(bytes.Repeat([]byte{'s'}, size))
		}
		if fd.Name() != "cursor" && !slices.Contains(optional(), place) {
			refused(nil)
		}
	case fd.Kind() == protoreflect.StringKind, fd.Message() != nil:
		refused(nil)
	}
}

// TestBadRefNames checks that invalid ref names are refused.
//
// Rules: P5/REF_UPDATE.
func TestBadRefNames(t *testing.T) {
	t.Parallel()
	s := newPopulated(t)
	for _, name := range []string{"", strings.Repeat("r", message.MaxRefName+1), "ma\x00in"} {
		s.expectError(t, "GetRef", &pb.GetRefRequest{ProjectId: s.hello[:], RefName: []byte(name)}, connect.CodeInvalidArgument, "ref_name")
		s.expectError(t, "GetRefLog", &pb.GetRefLogRequest{ProjectId: s.hello[:], RefName: []byte(name)}, connect.CodeInvalidArgument, "ref_name")
	}
	longest := []byte(strings.Repeat("r", message.MaxRefName))
	s.expectError(t, "GetRef", &pb.GetRefRequest{ProjectId: s.hello[:], RefName: longest}, connect.CodeNotFound, "has no ref")
}

// TestInvalidCombinations checks fields that are valid alone but not together or not for the state.
//
// Rules: T3.5, P11.2.
func TestInvalidCombinations(t *testing.T) {
	t.Parallel()
	s := newPopulated(t)
	height := s.blocks.Height()
	follow, star := pb.LinkType_LINK_TYPE_FOLLOW, pb.LinkType_LINK_TYPE_STAR
	target := &pb.ListLinksByTargetRequest_TargetProjectId{TargetProjectId: s.hello[:]}
	for _, c := range []struct {
		method string
		req    proto.Message
		code   connect.Code
		text   string
	}{
		{"ListLinksByTarget", &pb.ListLinksByTargetRequest{LinkType: follow, Target: target}, connect.CodeInvalidArgument, "target_project_id"},
		{"ListLinksByTarget", &pb.ListLinksByTargetRequest{LinkType: star}, connect.CodeInvalidArgument, "target_project_id"},
		{"ListLinksByTarget", &pb.ListLinksByTargetRequest{LinkType: star, TargetOwnerAddress: s.alice.Address[:]}, connect.CodeInvalidArgument, "target_owner_address"},
		{"ListLinksByTarget", &pb.ListLinksByTargetRequest{TargetOwnerAddress: s.alice.Address[:]}, connect.CodeInvalidArgument, "link_type"},
		{"ListMessages", &pb.ListMessagesRequest{StartBlock: 3, EndBlock: 2}, connect.CodeInvalidArgument, "end_block"},
		{"ListMessages", &pb.ListMessagesRequest{StartBlock: height + 1}, connect.CodeOutOfRange, "start_block"},
		{"SubscribeMessages", &pb.SubscribeRequest{StartIndex: 1}, connect.CodeInvalidArgument, "start_index"},
		{"SubscribeMessages", &pb.SubscribeRequest{StartBlock: new(height + 2)}, connect.CodeOutOfRange, "start_block"},
		{"SubscribeBlocks", &pb.SubscribeBlocksRequest{StartBlock: new(height + 2)}, connect.CodeOutOfRange, "start_block"},
		{
			"GetStorageQuotaProof", &pb.GetStorageQuotaProofRequest{OwnerAddress: s.alice.Address[:], AsOfUnixTime: s.stamp() + 1},
			connect.CodeInvalidArgument, "as_of_unix_time",
		},
		{"GetExclusionProof", &pb.GetExclusionProofRequest{Key: schema.ProjectKey(s.hello)}, connect.CodeFailedPrecondition, "there is a row"},
		{"GetFinalizedRoot", &pb.GetFinalizedRootRequest{BlockNumber: height}, connect.CodeUnavailable, "does not exist yet"},
		{"SubmitMessage", &pb.SubmitMessageRequest{Message: s.pending.Proto(), Wait: 7}, connect.CodeInvalidArgument, "wait"},
		{"VerifyStorageQuotaProof", &pb.VerifyStorageQuotaProofRequest{QuotaProof: &pb.GetStorageQuotaProofResponse{}}, connect.CodeInvalidArgument, "quota_proof.owner_address"},
		{
			"VerifyStorageQuotaProof", &pb.VerifyStorageQuotaProofRequest{QuotaProof: &pb.GetStorageQuotaProofResponse{
				OwnerAddress: s.alice.Address[:], Root: []byte("short"),
			}},
			connect.CodeInvalidArgument, "quota_proof.root",
		},
	} {
		s.expectError(t, c.method, c.req, c.code, c.text)
	}
}

// alwaysFound returns the methods that never return not_found, each with the reason.
func alwaysFound() map[string]string {
	const (
		account = "any address is an account"
		node    = "asks about the node"
		result  = "the result is part of the response"
		list    = "an empty list is an answer"
		stream  = "a stream waits for blocks that do not exist yet"
	)
	return map[string]string{
		"SubmitMessage": result, "BatchSubmitMessages": result, "DryRunMessage": result,
		"VerifyOperationProof": result, "VerifyExclusionProof": result, "VerifyStorageQuotaProof": result,
		"GetAccount": account, "GetAccountActivity": account, "ListKeys": account, "ListCustodyKeys": account, "ListVerifications": account,
		"ListLinks": account, "ListReactions": account, "ListMergeRequestsByRequester": account, "GetStorageQuotaProof": account,
		"SearchProjects": list, "ListProjects": list, "SearchAccounts": list, "ListAccounts": list, "ListBlocks": list, "ListMessages": list,
		"GetMessageStatus": "unknown is an answer", "GetCompoundProof": "absence is an answer", "GetExclusionProof": "absence is what it proves", "GetRangeProof": "no rows are an answer",
		"GetProjectProof": "absence is an answer", "ListContent": "no rows are an answer",
		"GetNodeStatus": node, "GetHealth": node, "GetChainStats": node, "GetMempoolInfo": node,
		"SubscribeMessages": stream, "SubscribeBlocks": stream,
	}
}

// TestNotFound checks that every other method returns not_found.
func TestNotFound(t *testing.T) {
	t.Parallel()
	s := newPopulated(t)
	none := ledgertest.Hash("none")
	bare := newNode(t, setup{snapshots: noSnapshot{}})
	bare.expectError(t, "GetSnapshotInfo", &pb.GetSnapshotInfoRequest{}, connect.CodeNotFound, "no snapshot")
	asked := []string{"GetSnapshotInfo"}
	number := s.blocks.Height() + 1
	for _, c := range []struct {
		method string
		req    proto.Message
	}{
		{"GetProject", &pb.GetProjectRequest{ProjectId: none[:]}},
		{"GetProjectByName", &pb.GetProjectByNameRequest{OwnerAddress: s.alice.Address[:], Name: "mine"}},
		{"GetProjectByName", &pb.GetProjectByNameRequest{OwnerAddress: s.alice.Address[:], Name: "gone"}},
		{"GetProjectByName", &pb.GetProjectByNameRequest{OwnerAddress: s.alice.Address[:], Name: "hell"}},
		{"ListForks", &pb.ListForksRequest{ProjectId: none[:]}},
		{"GetProjectActivity", &pb.GetProjectActivityRequest{ProjectId: none[:]}},
		{"GetMergeRequest", &pb.GetMergeRequestRequest{ProjectId: s.hello[:], RequestId: none[:]}},
		{"GetMergeRequest", &pb.GetMergeRequestRequest{ProjectId: s.mine[:], RequestId: s.request.Hash[:]}},
		{"ListMergeRequests", &pb.ListMergeRequestsRequest{ProjectId: none[:]}},
		{"GetMergeRequest", &pb.GetMergeRequestRequest{ProjectId: s.hello[:], RequestId: none[:], IncludeClosed: true}},
		{"GetMergeRequest", &pb.GetMergeRequestRequest{ProjectId: s.hello[:], RequestId: s.merged.Hash[:]}},
		{"GetRef", &pb.GetRefRequest{ProjectId: s.hello[:], RefName: []byte("old")}},
		{"GetRef", &pb.GetRefRequest{ProjectId: none[:], RefName: []byte("main")}},
		{"ListRefs", &pb.ListRefsRequest{ProjectId: none[:]}},
		{"GetRefLog", &pb.GetRefLogRequest{ProjectId: s.hello[:], RefName: []byte("mai")}},
		{"GetRefLog", &pb.GetRefLogRequest{ProjectId: none[:], RefName: []byte("main")}},
		{"GetCommit", &pb.GetCommitRequest{ProjectId: s.hello[:], CommitHash: none[:]}},
		{"GetCommit", &pb.GetCommitRequest{ProjectId: s.mine[:], CommitHash: s.two[:]}},
		{"ListCommits", &pb.ListCommitsRequest{ProjectId: none[:]}},
		{"GetCommitAncestors", &pb.GetCommitAncestorsRequest{ProjectId: s.hello[:], CommitHash: none[:]}},
		{"ListCollaborators", &pb.ListCollaboratorsRequest{ProjectId: none[:]}},
		{"GetAccountByKey", &pb.GetAccountByKeyRequest{Key: none[:]}},
		{"GetKey", &pb.GetKeyRequest{OwnerAddress: s.bobby.Address[:], Key: s.agentKey[:]}},
		{"GetCustodyKey", &pb.GetCustodyKeyRequest{OwnerAddress: s.alice.Address[:], KeyId: s.alice.Address[:]}},
		{"ListLinksByTarget", &pb.ListLinksByTargetRequest{LinkType: pb.LinkType_LINK_TYPE_STAR, Target: &pb.ListLinksByTargetRequest_TargetProjectId{TargetProjectId: none[:]}}},
		{"ListReactionsByTarget", &pb.ListReactionsByTargetRequest{TargetProjectId: none[:], TargetCommitHash: s.one[:]}},
		{"GetBlock", &pb.GetBlockRequest{BlockNumber: number}},
		{"GetBlock", &pb.GetBlockRequest{BlockNumber: math.MaxUint64}},
		{"GetMessage", &pb.GetMessageRequest{Hash: s.pending.Hash[:]}},
		{"GetMessageInclusionProof", &pb.GetMessageInclusionProofRequest{MessageHash: none[:]}},
		{"GetMessageInclusionProof", &pb.GetMessageInclusionProofRequest{MessageHash: s.created.Hash[:], BlockNumber: 1}},
		{"GetMessageInclusionProof", &pb.GetMessageInclusionProofRequest{MessageHash: s.created.Hash[:], BlockHash: none[:]}},
		{"GetOperationProof", &pb.GetOperationProofRequest{Key: schema.ProjectKey(none)}},
		{"VerifyOperationProofAtBlock", &pb.VerifyOperationProofAtBlockRequest{BlockNumber: number}},
		{"VerifyExclusionProofAtBlock", &pb.VerifyExclusionProofAtBlockRequest{BlockNumber: number}},
		{"GetFinalizedRoot", &pb.GetFinalizedRootRequest{BlockNumber: math.MaxUint64}},
	} {
		asked = append(asked, c.method)
		s.expectError(t, c.method, c.req, connect.CodeNotFound, "")
	}
	for i := range methods().Len() {
		method := string(methods().Get(i).Name())
		if _, answered := alwaysFound()[method]; answered == slices.Contains(asked, method) {
			t.Errorf("no call of %s returns not_found; add one, or list it in alwaysFound", method)
		}
	}
}

// noSnapshot is a node before its first snapshot.
type noSnapshot struct{}

func (noSnapshot) Newest() *pb.GetSnapshotInfoResponse { return nil }
