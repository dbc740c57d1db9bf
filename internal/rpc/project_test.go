package rpc_test

import (
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// TestRemovedProject checks that the refs, commits and collaborators of a removed project are not served and its name is
// free, and that the project, its stars and its merge requests are.
//
// Rules: P9.6, P9.8, P9.9.
func TestRemovedProject(t *testing.T) {
	t.Parallel()
	s := newPopulated(t)
	again := s.sign(s.bobby, message.Fork(s.hello, s.one, "again", pb.Visibility_VISIBILITY_PUBLIC))
	s.must(again)
	s.must(s.sign(s.alice, message.ProjectRemove(s.hello)))
	for _, c := range []struct {
		method string
		req    proto.Message
	}{
		{"GetRef", &pb.GetRefRequest{ProjectId: s.hello[:], RefName: []byte("main")}},
		{"ListRefs", &pb.ListRefsRequest{ProjectId: s.hello[:]}},
		{"GetRefLog", &pb.GetRefLogRequest{ProjectId: s.hello[:], RefName: []byte("main")}},
		{"GetCommit", &pb.GetCommitRequest{ProjectId: s.hello[:], CommitHash: s.one[:]}},
		{"ListCommits", &pb.ListCommitsRequest{ProjectId: s.hello[:]}},
		{"GetCommitAncestors", &pb.GetCommitAncestorsRequest{ProjectId: s.hello[:], CommitHash: s.one[:]}},
		{"ListCollaborators", &pb.ListCollaboratorsRequest{ProjectId: s.hello[:]}},
		{"GetProjectByName", &pb.GetProjectByNameRequest{OwnerAddress: s.alice.Address[:], Name: "hello"}},
	} {
		s.expectError(t, c.method, c.req, connect.CodeNotFound, "")
	}
	if status := get[*pb.GetProjectResponse](s.node, "GetProject", &pb.GetProjectRequest{ProjectId: s.hello[:]}).GetStatus(); status != "removed" {
		t.Errorf("status is %q", status)
	}
	star := &pb.ListLinksByTargetRequest_TargetProjectId{TargetProjectId: s.hello[:]}
	for _, c := range []struct {
		method string
		req    proto.Message
		want   int
	}{
		{"ListProjects", &pb.ListProjectsRequest{OwnerAddress: s.alice.Address[:]}, 1},
		{"ListProjects", &pb.ListProjectsRequest{}, 3}, // secret, mine and again
		{"ListForks", &pb.ListForksRequest{ProjectId: s.hello[:]}, 2},
		{"ListForks", &pb.ListForksRequest{ProjectId: s.hello[:], Limit: 1}, 1},
		{"SearchProjects", &pb.SearchProjectsRequest{Query: "hello"}, 0},
		{"ListMergeRequests", &pb.ListMergeRequestsRequest{ProjectId: s.hello[:]}, 0},
		{"ListMergeRequestsByRequester", &pb.ListMergeRequestsByRequesterRequest{OwnerAddress: s.bobby.Address[:]}, 0},
		{"ListLinksByTarget", &pb.ListLinksByTargetRequest{LinkType: pb.LinkType_LINK_TYPE_STAR, Target: star}, 1},
		{"ListReactionsByTarget", &pb.ListReactionsByTargetRequest{TargetProjectId: s.hello[:], TargetCommitHash: s.one[:]}, 1},
	} {
		if got := items(get[proto.Message](s.node, c.method, c.req)); len(got) != c.want {
			t.Errorf("%s(%v) returns %d items, want %d", c.method, c.req, len(got), c.want)
		}
	}
	newest := get[*pb.GetProjectActivityResponse](s.node, "GetProjectActivity", &pb.GetProjectActivityRequest{ProjectId: s.hello[:], Limit: 1}).GetMessages()
	if len(newest) != 1 || newest[0].GetMessage().GetData().GetProjectRemove() == nil {
		t.Errorf("the newest message is %v", newest)
	}
	s.expectError(t, "GetMergeRequest", &pb.GetMergeRequestRequest{ProjectId: s.hello[:], RequestId: s.request.Hash[:]}, connect.CodeNotFound, "open")
	s.must(s.sign(s.bobby, message.ProjectRemove(again.Hash)))
	if got := get[*pb.ListProjectsResponse](s.node, "ListForks", &pb.ListForksRequest{ProjectId: s.hello[:]}).GetProjects(); len(got) != 1 {
		t.Errorf("%d forks after one was removed, want 1", len(got))
	}
}

// TestArchivedProject checks that an archived project is served like an active one.
//
// Rules: P9.6.
func TestArchivedProject(t *testing.T) {
	t.Parallel()
	s := newPopulated(t)
	s.must(s.sign(s.alice, message.ProjectArchive(s.hello)))
	want := s.helloResponse()
	want.Status = "archived"
	s.expectResponse(t, "GetProject", &pb.GetProjectRequest{ProjectId: s.hello[:]}, want)
	s.expectResponse(t, "GetProjectByName", &pb.GetProjectByNameRequest{OwnerAddress: s.alice.Address[:], Name: "hello"}, want)
	s.expectResponse(t, "SearchProjects", &pb.SearchProjectsRequest{Query: "hello"}, &pb.ListProjectsResponse{Projects: []*pb.GetProjectResponse{want}})
}

// TestMergeRequestsOfOneRequester checks the lists of merge requests by project and requester.
func TestMergeRequestsOfOneRequester(t *testing.T) {
	t.Parallel()
	s := newPopulated(t)
	third := s.sign(s.bobby, message.Fork(s.mine, s.one, "third", pb.Visibility_VISIBILITY_PUBLIC))
	s.must(third, s.sign(s.bobby, message.RefUpdate(third.Hash, "topic", message.RefMove{New: s.one, Nonce: 1})))
	for _, target := range []ident.Hash{s.mine, s.hello} {
		s.must(s.sign(s.bobby, message.MergeRequestAdd(target, message.MergeProposal{
			Source: third.Hash, SourceRef: "topic", SourceCommit: s.one, TargetRef: "main", Title: "another",
		})))
	}
	for _, c := range []struct {
		method string
		req    proto.Message
		want   int
	}{
		{"ListMergeRequests", &pb.ListMergeRequestsRequest{ProjectId: s.hello[:], RequesterOwnerAddress: s.bobby.Address[:]}, 2},
		{"ListMergeRequests", &pb.ListMergeRequestsRequest{ProjectId: s.mine[:], RequesterOwnerAddress: s.bobby.Address[:]}, 1},
		{"ListMergeRequests", &pb.ListMergeRequestsRequest{ProjectId: s.mine[:], RequesterOwnerAddress: s.alice.Address[:]}, 0},
		{"ListMergeRequestsByRequester", &pb.ListMergeRequestsByRequesterRequest{OwnerAddress: s.bobby.Address[:]}, 3},
	} {
		if got := items(get[proto.Message](s.node, c.method, c.req)); len(got) != c.want {
			t.Errorf("%s(%v) returns %d items, want %d", c.method, c.req, len(got), c.want)
		}
	}
}

// TestSearchWhileNamesChange checks the pages of a search while projects are renamed, removed and created.
func TestSearchWhileNamesChange(t *testing.T) {
	t.Parallel()
	n := newNode(t, setup{})
	alice := n.actor("alice")
	n.must(n.join(alice, 2)...)
	ids := map[string]*message.Envelope{}
	for _, name := range []string{"a1", "a2", "a3", "a4", "a5", "a6", "b1"} {
		ids[name] = n.create(alice, name)
		n.must(ids[name])
	}
	rename := func(from, to string) *message.Envelope {
		return n.sign(alice, message.ProjectMetadata(ids[from].Hash, pb.ProjectMetadataType_PROJECT_METADATA_NAME, to))
	}
	req := &pb.SearchProjectsRequest{Query: "a", Limit: 2}
	var read []string
	for _, change := range [][]*message.Envelope{
		{n.create(alice, "a0")}, // before the cursor: not seen any more
		{n.sign(alice, message.ProjectRemove(ids["a2"].Hash)), rename("a5", "c5"), n.create(alice, "a45")},
		nil,
	} {
		answer := get[*pb.ListProjectsResponse](n, "SearchProjects", req)
		for _, project := range answer.GetProjects() {
			read = append(read, project.GetName())
		}
		req.Cursor = answer.GetNextCursor()
		if change != nil {
			n.must(change...)
		}
	}
	if got, want := len(read), 6; got != want || req.GetCursor() != nil {
		t.Fatalf("read %q, and a cursor %x", read, req.GetCursor())
	}
	for i, want := range []string{"a1", "a2", "a3", "a4", "a45", "a6"} {
		if read[i] != want {
			t.Errorf("read %q, want %q at %d", read, want, i)
		}
	}
}

// TestManyAncestors checks the ancestors in a fork that lacks part of the history.
func TestManyAncestors(t *testing.T) {
	t.Parallel()
	s := newPopulated(t)
	fork := s.sign(s.bobby, message.Fork(s.hello, s.four, "merged", pb.Visibility_VISIBILITY_PUBLIC))
	s.must(fork, s.push(s.bobby, fork.Hash, "five", s.four))
	five := ledgertest.Hash("five")
	answer := get[*pb.GetCommitAncestorsResponse](s.node, "GetCommitAncestors", &pb.GetCommitAncestorsRequest{ProjectId: fork.Hash[:], CommitHash: five[:]})
	if got := answer.GetCommits(); len(got) != 2 || string(got[0].GetHash()) != string(five[:]) || len(got[1].GetParents()) != 2 {
		t.Errorf("ancestors %v, want the commit and the one the fork copied", got)
	}
}
