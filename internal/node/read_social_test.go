package node_test

import (
	"bytes"
	"testing"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/node/nodetest"
)

func (s *scenario) readCollaborators(t *testing.T) {
	bob := s.bob.Address()
	same(t, "collaborators", nodetest.Call(t, s.ListCollaborators, &pb.ListCollaboratorsRequest{ProjectId: s.hello[:]}),
		&pb.ListCollaboratorsResponse{Collaborators: []*pb.CollaboratorEntry{{OwnerAddress: bob[:], Permission: pb.Permission_PERMISSION_WRITE}}})
}

func (s *scenario) readMergeRequests(t *testing.T) {
	bob := s.bob.Address()
	want := &pb.MergeRequestSummary{
		RequestId: s.request[:], ProjectId: s.hello[:], RequesterOwnerAddress: bob[:], SourceProjectId: s.fork[:],
		SourceRef: []byte("loud"), SourceCommitHash: s.forked.Hash[:], TargetRef: []byte("main"), Title: "Louder",
	}
	one := nodetest.Call(t, s.GetMergeRequest, &pb.GetMergeRequestRequest{ProjectId: s.hello[:], RequestId: s.request[:]})
	want.AddedAt = one.GetMergeRequest().GetAddedAt()
	same(t, "merge request", one, &pb.GetMergeRequestResponse{MergeRequest: want})
	nodetest.MustFail(t, s.GetMergeRequest, &pb.GetMergeRequestRequest{ProjectId: s.hello[:], RequestId: s.withdrawn[:]}, connect.CodeNotFound)
	same(t, "merge requests", nodetest.Call(t, s.ListMergeRequests, &pb.ListMergeRequestsRequest{ProjectId: s.hello[:]}),
		&pb.ListMergeRequestsResponse{MergeRequests: []*pb.MergeRequestSummary{want}})
	same(t, "merge requests of bob", nodetest.Call(t, s.ListMergeRequestsByRequester, &pb.ListMergeRequestsByRequesterRequest{OwnerAddress: bob[:]}),
		&pb.ListMergeRequestsByRequesterResponse{MergeRequests: []*pb.MergeRequestSummary{want}})
}

func (s *scenario) readSocial(t *testing.T) {
	alice, bob := s.alice.Address(), s.bob.Address()
	follow, star, like := pb.LinkType_LINK_TYPE_FOLLOW, pb.LinkType_LINK_TYPE_STAR, pb.ReactionType_REACTION_TYPE_LIKE

	follows := nodetest.Call(t, s.ListLinks, &pb.ListLinksRequest{OwnerAddress: alice[:], LinkType: follow}).GetLinks()
	if len(follows) != 1 || !bytes.Equal(follows[0].GetTargetOwnerAddress(), bob[:]) || !bytes.Equal(follows[0].GetSourceOwnerAddress(), alice[:]) {
		t.Errorf("alice follows %v", follows)
	}
	followers := nodetest.Call(t, s.ListLinksByTarget, &pb.ListLinksByTargetRequest{LinkType: follow, TargetOwnerAddress: bob[:]})
	same(t, "followers of bob", followers, &pb.ListLinksByTargetResponse{Links: follows})
	stars := nodetest.Call(t, s.ListLinks, &pb.ListLinksRequest{OwnerAddress: bob[:], LinkType: star}).GetLinks()
	if len(stars) != 1 || !bytes.Equal(stars[0].GetTargetProjectId(), s.hello[:]) {
		t.Errorf("bob starred %v", stars)
	}
	starred := nodetest.Call(t, s.ListLinksByTarget, &pb.ListLinksByTargetRequest{
		LinkType: star, Target: &pb.ListLinksByTargetRequest_TargetProjectId{TargetProjectId: s.hello[:]},
	})
	same(t, "stars of hello", starred, &pb.ListLinksByTargetResponse{Links: stars})

	likes := nodetest.Call(t, s.ListReactions, &pb.ListReactionsRequest{OwnerAddress: bob[:], ReactionType: like}).GetReactions()
	if len(likes) != 1 || !bytes.Equal(likes[0].GetTargetCommitHash(), s.commits[0].Hash[:]) || !bytes.Equal(likes[0].GetSourceOwnerAddress(), bob[:]) {
		t.Errorf("bob likes %v", likes)
	}
	liked := nodetest.Call(t, s.ListReactionsByTarget, &pb.ListReactionsByTargetRequest{
		ReactionType: like, TargetProjectId: s.hello[:], TargetCommitHash: s.commits[0].Hash[:],
	})
	same(t, "likes of the first commit", liked, &pb.ListReactionsByTargetResponse{Reactions: likes})
}

func (s *scenario) readNode(t *testing.T) {
	stats := nodetest.Call(t, s.GetChainStats, &pb.GetChainStatsRequest{})
	want := &pb.GetChainStatsResponse{
		BlockHeight: stats.GetBlockHeight(), StateEntries: stats.GetStateEntries(), TotalMessages: uint64(len(s.sent)),
		TotalProjects: 4, TotalAccounts: 2, TotalRefs: 4, TotalCommits: commitCount + 2, TotalCollaborators: 1,
		TotalKeys: 4, TotalVerifications: 2, TotalLinks: 4, TotalReactions: 1,
	}
	same(t, "stats", stats, want)
	status := nodetest.Call(t, s.GetNodeStatus, &pb.GetNodeStatusRequest{})
	if status.GetNetwork() != pb.Network_NETWORK_DEVNET || status.GetChainId() != s.ChainID() || status.GetVersion() != "test" ||
		status.GetTotalMessages() != uint64(len(s.sent)) || status.GetMempoolSize() != 0 || status.GetCatchingUp() ||
		status.GetStateEntries() != stats.GetStateEntries() || len(status.GetValidatorPublicKey()) != 32 {
		t.Errorf("status: %v", status)
	}
	if health := nodetest.Call(t, s.GetHealth, &pb.GetHealthRequest{}); !health.GetServing() || !health.GetReady() || health.GetCurrentBlock() == 0 {
		t.Errorf("health: %v", health)
	}
	same(t, "mempool", nodetest.Call(t, s.GetMempoolInfo, &pb.GetMempoolInfoRequest{}), &pb.GetMempoolInfoResponse{Capacity: 100_000})
	nodetest.MustFail(t, s.GetSnapshotInfo, &pb.GetSnapshotInfoRequest{}, connect.CodeNotFound) // none is taken so early
}
