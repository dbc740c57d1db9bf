package rpc_test

import (
	"bytes"
	"slices"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/ledgertest"
	"makechain/internal/limit"
	"makechain/internal/schema"
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
	star := &pb.ListLinksByTargetRequest_TargetProjectId{TargetProjectId: project}
	return []list{
		{"SearchProjects", &pb.SearchProjectsRequest{Query: "project-"}, many},
		{"SearchProjects", &pb.SearchProjectsRequest{Query: "pro", OwnerAddress: owner}, many + 1},
		{"ListProjects", &pb.ListProjectsRequest{}, many + 2},
		{"ListProjects", &pb.ListProjectsRequest{OwnerAddress: owner}, many + 2},
		{"GetProjectActivity", &pb.GetProjectActivityRequest{ProjectId: project}, 0},
		{"ListMergeRequests", &pb.ListMergeRequestsRequest{ProjectId: project}, many},
		{"ListMergeRequests", &pb.ListMergeRequestsRequest{ProjectId: project, RequesterOwnerAddress: owner}, many},
		{"ListMergeRequestsByRequester", &pb.ListMergeRequestsByRequesterRequest{OwnerAddress: owner}, many},
		{"ListRefs", &pb.ListRefsRequest{ProjectId: project}, 200},
		{"GetRefLog", &pb.GetRefLogRequest{ProjectId: project, RefName: []byte("busy")}, 0},
		{"ListCommits", &pb.ListCommitsRequest{ProjectId: project}, many},
		{"GetCommitAncestors", &pb.GetCommitAncestorsRequest{ProjectId: project, CommitHash: last[:]}, 0},
		{"ListCollaborators", &pb.ListCollaboratorsRequest{ProjectId: project}, many},
		{"SearchAccounts", &pb.SearchAccountsRequest{Query: "person-"}, many},
		{"ListAccounts", &pb.ListAccountsRequest{}, many + 1},
		{"GetAccountActivity", &pb.GetAccountActivityRequest{OwnerAddress: owner}, 0},
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
		{"ListBlocks", &pb.ListBlocksRequest{}, 0},
		{"ListMessages", &pb.ListMessagesRequest{StartBlock: 1, EndBlock: 1_000}, 0},
		{"GetRangeProof", &pb.GetRangeProofRequest{Prefix: schema.CommitPrefix(c.project)}, many},
	}
}

// TestPages checks for every list the page sizes, that cursors reach the end, and that a cursor of another list is
// refused.
func TestPages(t *testing.T) {
	t.Parallel()
	c := newLarge(t)
	var asked []string
	cursors := map[int][]byte{}
	for i, l := range c.lists() {
		asked = append(asked, l.method)
		for requested, want := range map[uint32]int{0: limit.DefaultPage, 1: 1, 7: 7, 199: 199, 200: limit.MaxPage, 201: limit.MaxPage, 1 << 31: limit.MaxPage} {
			if got := items(get[proto.Message](c.node, l.method, with(l.req, "limit", requested))); len(got) != want {
				t.Errorf("%s(%v) with limit %d returns %d items, want %d", l.method, l.req, requested, len(got), want)
			}
		}
		if !hasField(l.req, "cursor") {
			continue
		}
		for _, requested := range []uint32{7, 0, 203} {
			c.walk(t, l.method, with(l.req, "limit", requested), l.total)
		}
		cursors[i] = nextCursor(get[proto.Message](c.node, l.method, l.req))
	}
	for i, l := range c.lists() {
		for j, cursor := range cursors {
			if i != j && hasField(l.req, "cursor") {
				c.expectError(t, l.method, with(l.req, "cursor", cursor), connect.CodeInvalidArgument, "cursor")
			}
		}
	}
	for i := range methods().Len() {
		if m := methods().Get(i); m.Input().Fields().ByName("limit") != nil && !slices.Contains(asked, string(m.Name())) {
			t.Errorf("no list calls %s", m.Name())
		}
	}
}

// walk reads all pages of a list and checks that there is no duplicate, that the total matches, and that the last page is
// not empty.
func (n *node) walk(t *testing.T, method string, req proto.Message, total int) {
	t.Helper()
	seen := map[string]bool{}
	for {
		answer := get[proto.Message](n, method, req)
		page := items(answer)
		for _, item := range page {
			encoded, err := proto.MarshalOptions{Deterministic: true}.Marshal(item)
			if err != nil {
				t.Fatal(err)
			}
			if seen[string(encoded)] {
				t.Fatalf("%s(%v) returns %v twice", method, req, item)
			}
			seen[string(encoded)] = true
		}
		next := nextCursor(answer)
		if len(page) == 0 {
			t.Fatalf("%s(%v) ends with an empty page", method, req)
		}
		if len(next) == 0 {
			break
		}
		req = with(req, "cursor", bytes.Clone(next))
	}
	if len(seen) != total {
		t.Errorf("%s(%v) has %d items in all, want %d", method, req, len(seen), total)
	}
}
