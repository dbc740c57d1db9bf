package rpc_test

import (
	"bytes"
	"slices"

	pb "makechain/gen/makechain"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
	"makechain/message"
)

// socialExamples are links, reactions and collaborators.
func (s *populated) socialExamples() []example {
	follow := &pb.LinkEntry{
		LinkType: pb.LinkType_LINK_TYPE_FOLLOW, TargetOwnerAddress: s.alice.Address[:], AddedAt: at(s.followed), SourceOwnerAddress: s.bobby.Address[:],
	}
	star := &pb.LinkEntry{
		LinkType: pb.LinkType_LINK_TYPE_STAR, TargetProjectId: s.hello[:], AddedAt: at(s.starred), SourceOwnerAddress: s.bobby.Address[:],
	}
	like := &pb.ReactionEntry{
		ReactionType: pb.ReactionType_REACTION_TYPE_LIKE, TargetProjectId: s.hello[:], TargetCommitHash: s.one[:],
		AddedAt: at(s.liked), SourceOwnerAddress: s.bobby.Address[:],
	}
	links := func(kind pb.LinkType, links ...*pb.LinkEntry) example {
		return example{"ListLinks", &pb.ListLinksRequest{OwnerAddress: s.bobby.Address[:], LinkType: kind}, &pb.ListLinksResponse{Links: links}}
	}
	reactions := func(project []byte, reactions ...*pb.ReactionEntry) example {
		req := &pb.ListReactionsRequest{OwnerAddress: s.bobby.Address[:], TargetProjectId: project, ReactionType: pb.ReactionType_REACTION_TYPE_LIKE}
		return example{"ListReactions", req, &pb.ListReactionsResponse{Reactions: reactions}}
	}
	return append(s.mergeRequestExamples(), []example{
		links(pb.LinkType_LINK_TYPE_NONE, follow, star),
		links(pb.LinkType_LINK_TYPE_FOLLOW, follow),
		links(pb.LinkType_LINK_TYPE_STAR, star),
		{
			"ListLinksByTarget", &pb.ListLinksByTargetRequest{LinkType: pb.LinkType_LINK_TYPE_FOLLOW, TargetOwnerAddress: s.alice.Address[:]},
			&pb.ListLinksByTargetResponse{Links: []*pb.LinkEntry{follow}},
		},
		{
			"ListLinksByTarget", &pb.ListLinksByTargetRequest{LinkType: pb.LinkType_LINK_TYPE_STAR, Target: &pb.ListLinksByTargetRequest_TargetProjectId{TargetProjectId: s.hello[:]}},
			&pb.ListLinksByTargetResponse{Links: []*pb.LinkEntry{star}},
		},
		reactions(nil, like),
		reactions(s.hello[:], like),
		reactions(s.mine[:]),
		{"ListReactions", &pb.ListReactionsRequest{OwnerAddress: s.bobby.Address[:]}, &pb.ListReactionsResponse{Reactions: []*pb.ReactionEntry{like}}},
		{
			"ListReactionsByTarget", &pb.ListReactionsByTargetRequest{TargetProjectId: s.hello[:], TargetCommitHash: s.one[:]},
			&pb.ListReactionsByTargetResponse{Reactions: []*pb.ReactionEntry{like}},
		},
		{
			"ListReactionsByTarget", &pb.ListReactionsByTargetRequest{TargetProjectId: s.hello[:], TargetCommitHash: s.two[:]},
			&pb.ListReactionsByTargetResponse{},
		},
	}...)
}

func (s *populated) mergeRequestExamples() []example {
	summary := func(m *message.Envelope, title string) *pb.MergeRequestSummary {
		return &pb.MergeRequestSummary{
			RequestId: m.Hash[:], ProjectId: s.hello[:], RequesterOwnerAddress: s.bobby.Address[:], SourceProjectId: s.mine[:],
			SourceRef: []byte("topic"), SourceCommitHash: s.one[:], TargetRef: []byte("main"), Title: title, AddedAt: at(m),
		}
	}
	request, replaced, merged := summary(s.request, "take mine"), summary(s.replaced, "take it"), summary(s.merged, "take this")
	request.Replaces = s.replaced.Hash[:]
	replaced.Outcome, replaced.ReplacedBy = pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_SUPERSEDED, s.request.Hash[:]
	replaced.CloserOwnerAddress, replaced.ClosedAt, replaced.ClosedBlock = s.bobby.Address[:], at(s.request), s.entry(s.request).GetBlockNumber()
	merged.Outcome, merged.MergeCommit = pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_MERGED, s.two[:]
	merged.CloserOwnerAddress, merged.ClosedAt, merged.ClosedBlock = s.alice.Address[:], at(s.merging), s.entry(s.merging).GetBlockNumber()
	one, newest := []*pb.MergeRequestSummary{request}, []*pb.MergeRequestSummary{request, merged, replaced}
	byID := slices.Clone(newest)
	slices.SortFunc(byID[1:], func(a, b *pb.MergeRequestSummary) int { return bytes.Compare(a.GetRequestId(), b.GetRequestId()) })
	ofProject := func(project, requester []byte, requests ...*pb.MergeRequestSummary) example {
		req := &pb.ListMergeRequestsRequest{ProjectId: project, RequesterOwnerAddress: requester}
		return example{"ListMergeRequests", req, &pb.ListMergeRequestsResponse{MergeRequests: requests}}
	}
	return []example{
		{
			"GetMergeRequest", &pb.GetMergeRequestRequest{ProjectId: s.hello[:], RequestId: s.request.Hash[:]},
			&pb.GetMergeRequestResponse{MergeRequest: request},
		},
		ofProject(s.hello[:], nil, request),
		ofProject(s.hello[:], s.bobby.Address[:], request),
		ofProject(s.hello[:], s.alice.Address[:]),
		ofProject(s.mine[:], nil),
		{
			"GetMergeRequest", &pb.GetMergeRequestRequest{ProjectId: s.hello[:], RequestId: s.request.Hash[:], IncludeClosed: true},
			&pb.GetMergeRequestResponse{MergeRequest: request},
		},
		{
			"GetMergeRequest", &pb.GetMergeRequestRequest{ProjectId: s.hello[:], RequestId: s.merged.Hash[:], IncludeClosed: true},
			&pb.GetMergeRequestResponse{MergeRequest: merged},
		},
		{
			"ListMergeRequests", &pb.ListMergeRequestsRequest{ProjectId: s.hello[:], IncludeClosed: true},
			&pb.ListMergeRequestsResponse{MergeRequests: byID},
		},
		{
			"ListMergeRequests", &pb.ListMergeRequestsRequest{ProjectId: s.hello[:], RequesterOwnerAddress: s.alice.Address[:], IncludeClosed: true},
			&pb.ListMergeRequestsResponse{},
		},
		{
			"ListMergeRequestsByRequester", &pb.ListMergeRequestsByRequesterRequest{OwnerAddress: s.bobby.Address[:], IncludeClosed: true},
			&pb.ListMergeRequestsByRequesterResponse{MergeRequests: newest},
		},
		{
			"ListMergeRequestsByRequester", &pb.ListMergeRequestsByRequesterRequest{OwnerAddress: s.bobby.Address[:]},
			&pb.ListMergeRequestsByRequesterResponse{MergeRequests: one},
		},
		{
			"ListMergeRequestsByRequester", &pb.ListMergeRequestsByRequesterRequest{OwnerAddress: s.alice.Address[:]},
			&pb.ListMergeRequestsByRequesterResponse{},
		},
	}
}

func (s *populated) nodeExamples() []example {
	height := s.blocks.Height()
	messages, rows := s.countMessages(), s.countRows()
	uptime := uint64(s.clock.Load() - ledgertest.Start)
	verified := &pb.ReplayVerificationInfo{Status: pb.ReplayVerificationStatus_REPLAY_VERIFICATION_STATUS_VERIFIED}
	return []example{
		{"GetNodeStatus", &pb.GetNodeStatusRequest{}, &pb.GetNodeStatusResponse{
			CurrentBlock: height, MempoolSize: 2, Network: pb.Network_NETWORK_DEVNET, Version: "v0.0.0-test", UptimeSecs: uptime,
			TotalMessages: messages, StateEntries: rows, ReplayVerification: verified,
			ValidatorPublicKey: []byte("validator"), PeerCount: 3, ChainId: "test-1", RulesVersion: 4, PendingRules: &pb.RulesActivation{},
		}},
		{"GetHealth", &pb.GetHealthRequest{}, &pb.GetHealthResponse{
			Serving: true, Ready: true, CurrentBlock: height, UptimeSecs: uptime, ReplayVerification: verified,
		}},
		{"GetChainStats", &pb.GetChainStatsRequest{}, &pb.GetChainStatsResponse{
			BlockHeight: height, TotalMessages: messages, TotalProjects: 3, TotalAccounts: 2, TotalRefs: 3, TotalCommits: 5,
			TotalCollaborators: 1, TotalKeys: 3, TotalVerifications: 2, StateEntries: rows, TotalLinks: 2, TotalReactions: 1,
		}},
		{"GetSnapshotInfo", &pb.GetSnapshotInfoRequest{}, fixedSnapshot{}.Newest()},
		{"GetMempoolInfo", &pb.GetMempoolInfoRequest{}, &pb.GetMempoolInfoResponse{
			Total: 2, Capacity: 100_000, AccountMessages: 1, ProjectMessages: 1, OldestTimestamp: at(s.pending), NewestTimestamp: at(s.pending),
			TypeBreakdown: []*pb.MempoolTypeCount{
				{MessageType: pb.MessageType_MESSAGE_TYPE_COMMIT_BUNDLE, Count: 1},
				{MessageType: pb.MessageType_MESSAGE_TYPE_ACCOUNT_DATA, Count: 1},
			},
		}},
	}
}

func (s *populated) countMessages() (count uint64) {
	for _, txs := range s.blocks.txs {
		count += uint64(len(txs))
	}
	return count
}

// countRows returns the number of rows in the state tree.
func (s *populated) countRows() (count uint32) {
	s.Helper()
	latest := s.store.Snapshot()
	err := latest.Scan(nil, nil, func(key, _ []byte) bool {
		if schema.Prefix(key[0]).Merkleized() {
			count++
		}
		return true
	})
	if err != nil {
		s.Fatal(err)
	}
	if err := latest.Close(); err != nil {
		s.Fatal(err)
	}
	return count
}

// submitExamples change the mempool and are called last.
func (s *populated) submitExamples() []example {
	s.Helper()
	good := s.create(s.bobby, "better")
	again := s.create(s.bobby, "mine") // a name that is taken
	stranger := s.create(s.actor("stranger"), "x")
	second := s.create(s.bobby, "best")
	refused := &pb.DryRunMessageResponse{
		ErrorStage: "state transition", Code: "name_taken", Error: "the owner already has a project named \"mine\"",
	}
	return []example{
		{"DryRunMessage", &pb.DryRunMessageRequest{Message: good.Proto()}, &pb.DryRunMessageResponse{WouldAccept: true}},
		{"DryRunMessage", &pb.DryRunMessageRequest{Message: again.Proto()}, refused},
		{"SubmitMessage", &pb.SubmitMessageRequest{Message: good.Proto()}, &pb.SubmitMessageResponse{Hash: good.Hash[:], Accepted: true}},
		{"SubmitMessage", &pb.SubmitMessageRequest{Message: again.Proto()}, &pb.SubmitMessageResponse{
			Hash: again.Hash[:], Stage: refused.GetErrorStage(), Code: refused.GetCode(), Error: refused.GetError(),
		}},
		{"BatchSubmitMessages", &pb.BatchSubmitRequest{Messages: []*pb.Message{stranger.Proto(), second.Proto()}}, &pb.BatchSubmitResponse{
			AcceptedCount: 1, RejectedCount: 1,
			Results: []*pb.BatchSubmitResult{
				{
					Hash: stranger.Hash[:], Stage: "authorization", Code: "unknown_signer",
					Error: "key " + stranger.Signer.String() + " is not registered to account " + stranger.Owner.String(),
				},
				{Hash: second.Hash[:], Accepted: true},
			},
		}},
	}
}

// newestFirst returns the committed messages that match, newest first.
func (s *populated) newestFirst(wanted func(*message.Envelope) bool) []*pb.MessageEntry {
	s.Helper()
	var entries []*pb.MessageEntry
	for _, txs := range s.blocks.txs {
		for _, tx := range txs {
			m, refusal := message.Decode(tx)
			if refusal != nil {
				s.Fatal(refusal)
			}
			if wanted(m) {
				entries = append(entries, s.entry(m))
			}
		}
	}
	slices.Reverse(entries)
	return entries
}
