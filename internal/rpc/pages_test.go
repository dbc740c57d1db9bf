package rpc_test

import (
	"slices"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/ledgertest"
	"makechain/internal/limit"
	"makechain/internal/schema"
	"makechain/message"
)

// lists returns the list methods with the total number of items.
func (c *large) lists() []struct {
	method string
	req    proto.Message
	total  int
} {
	owner, project := c.alice.Address[:], c.project[:]
	type list = struct {
		method string
		req    proto.Message
		total  int
	}
	last := ledgertest.Hash("commit 202")
	links := []pb.MessageType{pb.MessageType_MESSAGE_TYPE_LINK_ADD}
	aboutProject := func(m *message.Envelope) bool { return slices.Contains(m.Projects(), c.project) }
	byAlice := func(m *message.Envelope) bool { return m.Owner == c.alice.Address }
	star := &pb.ListLinksByTargetRequest_TargetProjectId{TargetProjectId: project}
	return []list{
		{"SearchProjects", &pb.SearchProjectsRequest{Query: "project-"}, many},
		{"SearchProjects", &pb.SearchProjectsRequest{Query: "pro", OwnerAddress: owner}, many + 1},
		{"ListProjects", &pb.ListProjectsRequest{}, many + 2},
		{"ListProjects", &pb.ListProjectsRequest{OwnerAddress: owner}, many + 2},
		{"ListForks", &pb.ListForksRequest{ProjectId: project}, many + 1},
		{"GetProjectActivity", &pb.GetProjectActivityRequest{ProjectId: project}, c.count(aboutProject)},
		{"GetProjectActivity", &pb.GetProjectActivityRequest{ProjectId: project, Types: links}, many},
		{"ListMergeRequests", &pb.ListMergeRequestsRequest{ProjectId: project}, many},
		{"ListMergeRequests", &pb.ListMergeRequestsRequest{ProjectId: project, RequesterOwnerAddress: owner}, many},
		{"ListMergeRequests", &pb.ListMergeRequestsRequest{ProjectId: project, IncludeClosed: true}, 2 * many},
		{"ListMergeRequests", &pb.ListMergeRequestsRequest{ProjectId: project, RequesterOwnerAddress: owner, IncludeClosed: true}, 2 * many},
		{"ListMergeRequestsByRequester", &pb.ListMergeRequestsByRequesterRequest{OwnerAddress: owner}, many},
		{"ListMergeRequestsByRequester", &pb.ListMergeRequestsByRequesterRequest{OwnerAddress: owner, IncludeClosed: true}, 2 * many},
		{"ListRefs", &pb.ListRefsRequest{ProjectId: project}, 200},
		{"GetRefLog", &pb.GetRefLogRequest{ProjectId: project, RefName: []byte("busy")}, many},
		{"ListCommits", &pb.ListCommitsRequest{ProjectId: project}, many},
		{"GetCommitAncestors", &pb.GetCommitAncestorsRequest{ProjectId: project, CommitHash: last[:]}, many},
		{"ListCollaborators", &pb.ListCollaboratorsRequest{ProjectId: project}, many},
		{"SearchAccounts", &pb.SearchAccountsRequest{Query: "person-"}, many},
		{"ListAccounts", &pb.ListAccountsRequest{}, many + 1},
		{"GetAccountActivity", &pb.GetAccountActivityRequest{OwnerAddress: owner}, c.count(byAlice)},
		{"GetAccountActivity", &pb.GetAccountActivityRequest{OwnerAddress: owner, Types: links}, many},
		{"ListKeys", &pb.ListKeysRequest{OwnerAddress: owner}, many + 1},
		{"ListCustodyKeys", &pb.ListCustodyKeysRequest{OwnerAddress: owner}, many},
		{"ListVerifications", &pb.ListVerificationsRequest{OwnerAddress: owner}, many},
		{"ListLinks", &pb.ListLinksRequest{OwnerAddress: owner}, many},
		{"ListLinks", &pb.ListLinksRequest{OwnerAddress: owner, LinkType: pb.LinkType_LINK_TYPE_FOLLOW}, many},
		{"ListLinksByTarget", &pb.ListLinksByTargetRequest{LinkType: pb.LinkType_LINK_TYPE_FOLLOW, TargetOwnerAddress: owner}, many},
		{"ListLinksByTarget", &pb.ListLinksByTargetRequest{LinkType: pb.LinkType_LINK_TYPE_STAR, Target: star}, many},
		{"ListReactions", &pb.ListReactionsRequest{OwnerAddress: owner}, many},
		{"ListReactions", &pb.ListReactionsRequest{OwnerAddress: owner, TargetProjectId: project}, many},
		{"ListReactionsByTarget", &pb.ListReactionsByTargetRequest{TargetProjectId: project, TargetCommitHash: c.first[:]}, many + 1}, // alice likes it too
		{"ListBlocks", &pb.ListBlocksRequest{}, int(c.blocks.Height()) + 1},
		{"ListBlocks", &pb.ListBlocksRequest{Start: 201}, 202},
		{"ListMessages", &pb.ListMessagesRequest{StartBlock: 1, EndBlock: 1_000}, c.count(func(*message.Envelope) bool { return true })},
		{"ListMessages", &pb.ListMessagesRequest{StartBlock: 1, EndBlock: 1_000, Types: links}, 3 * many},
		{"GetRangeProof", &pb.GetRangeProofRequest{Prefix: schema.CommitPrefix(c.project)}, many},
	}
}

// TestPages checks the page sizes of every list, and that a cursor of another list is refused.
func TestPages(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("reads every list")
	}
	c := newLarge(t)
	cursors := map[int][]byte{}
	for i, l := range c.lists() {
		for requested, want := range map[uint32]int{0: limit.DefaultPage, 1: 1, 7: 7, 199: 199, 200: limit.MaxPage, 201: limit.MaxPage, 1 << 31: limit.MaxPage} {
			if got := items(get[proto.Message](c.node, l.method, with(l.req, "limit", requested))); len(got) != want {
				t.Errorf("%s(%v) with limit %d returns %d items, want %d", l.method, l.req, requested, len(got), want)
			}
		}
		cursors[i] = nextCursor(get[proto.Message](c.node, l.method, l.req))
	}
	for i, l := range c.lists() {
		for j, cursor := range cursors {
			if i != j {
				c.expectError(t, l.method, with(l.req, "cursor", cursor), connect.CodeInvalidArgument, "cursor")
			}
		}
	}
}
