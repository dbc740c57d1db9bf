package rest_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/jsonform"
	"makechain/internal/node/nodetest"
	"makechain/internal/schema"
)

// question is a request to the gateway and the call of the node that it must correspond to.
type question struct {
	url  string
	body []byte // of a POST
	ask  func() proto.Message
}

// asking returns the call of a question.
func asking[Req, Resp any, Answer interface {
	*Resp
	proto.Message
}](t *testing.T, method func(context.Context, *connect.Request[Req]) (*connect.Response[Resp], error), request *Req,
) func() proto.Message {
	t.Helper()
	return func() proto.Message { return Answer(nodetest.Call(t, method, request)) }
}

// everyRoute checks that every route returns the same data as its RPC.
func (s *fixture) everyRoute(t *testing.T) {
	questions := s.questions(t)
	for path, methods := range s.gateway.document.Paths {
		for method, op := range methods {
			if strings.HasPrefix(path, "/v1/stream/") {
				continue // streams have tests of their own
			}
			if questions[op.ID] == nil {
				t.Errorf("%s %s is not compared", method, path)
			}
		}
	}
	for id, asked := range questions {
		for _, q := range asked {
			t.Run(id, func(t *testing.T) { s.compare(t, id, q) })
		}
	}
}

// compare compares both responses. They may differ for a moment when a block commits in between.
func (s *fixture) compare(t *testing.T, id string, q question) {
	t.Helper()
	var got, want []byte
	for range 5 {
		method := http.MethodGet
		header := http.Header{}
		if q.body != nil {
			method = http.MethodPost
			header.Set("Content-Type", "application/json")
		}
		answer := s.gateway.do(t, method, q.url, q.body, header)
		path, _, _ := strings.Cut(q.url, "?")
		if op := s.gateway.document.find(method, path); op.ID != id {
			t.Fatalf("%s is the route %s", q.url, op.ID)
		}
		if answer.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", q.url, answer.Code, answer.Body)
		}
		var err error
		if want, err = jsonform.Marshal(q.ask()); err != nil {
			t.Fatal(err)
		}
		if got = answer.Body.Bytes(); bytes.Equal(got, want) {
			return
		}
	}
	t.Errorf("%s:\n got %s\nwant %s", q.url, got, want)
}

func (s *fixture) questions(t *testing.T) map[string][]question {
	t.Helper()
	all := map[string][]question{}
	for _, some := range []map[string][]question{
		s.projectQuestions(t), s.refQuestions(t), s.accountQuestions(t), s.linkQuestions(t), s.messageQuestions(t),
		s.blockQuestions(t), s.proofQuestions(t), s.verifierQuestions(t), s.nodeQuestions(t),
	} {
		for id, q := range some {
			all[id] = append(all[id], q...)
		}
	}
	return all
}

func (s *fixture) projectQuestions(t *testing.T) map[string][]question {
	t.Helper()
	owner, hello := s.alice.Address(), s.project(s.hello)
	requester := s.bob.Address()
	firstPage := nodetest.Call(t, s.ListProjects, &pb.ListProjectsRequest{Limit: 1})
	cursor := firstPage.GetNextCursor()
	return map[string][]question{
		"list-projects": {
			{url: "/v1/projects", ask: asking(t, s.ListProjects, &pb.ListProjectsRequest{Limit: 50})},
			{url: "/v1/projects?limit=1", ask: asking(t, s.ListProjects, &pb.ListProjectsRequest{Limit: 1})},
			{
				url: "/v1/projects?limit=1&cursor=" + hex.EncodeToString(cursor),
				ask: asking(t, s.ListProjects, &pb.ListProjectsRequest{Limit: 1, Cursor: cursor}),
			},
			{url: "/v1/projects?owner_address=" + owner.String(), ask: asking(t, s.ListProjects, &pb.ListProjectsRequest{OwnerAddress: owner[:]})},
		},
		"search-projects": {
			{url: "/v1/projects/search?query=hel", ask: asking(t, s.SearchProjects, &pb.SearchProjectsRequest{Query: "hel"})},
			{
				url: "/v1/projects/search?query=hel&limit=1&owner_address=" + owner.String(),
				ask: asking(t, s.SearchProjects, &pb.SearchProjectsRequest{Query: "hel", Limit: 1, OwnerAddress: owner[:]}),
			},
		},
		"list-forks": {{url: hello + "/forks?limit=1", ask: asking(t, s.ListForks, &pb.ListForksRequest{ProjectId: s.hello[:], Limit: 1})}},
		"get-project-by-name": {{
			url: "/v1/projects/by-name/" + owner.String() + "/hello",
			ask: asking(t, s.GetProjectByName, &pb.GetProjectByNameRequest{OwnerAddress: owner[:], Name: "hello"}),
		}},
		"get-project": {
			{url: hello, ask: asking(t, s.GetProject, &pb.GetProjectRequest{ProjectId: s.hello[:]})},
			{url: "/v1/projects/0x" + strings.ToUpper(s.fork.String()), ask: asking(t, s.GetProject, &pb.GetProjectRequest{ProjectId: s.fork[:]})},
		},
		"get-project-activity": {
			{url: hello + "/activity", ask: asking(t, s.GetProjectActivity, &pb.GetProjectActivityRequest{ProjectId: s.hello[:]})},
			{
				url: hello + "/activity?limit=2&types=ref_update,commit_bundle",
				ask: asking(t, s.GetProjectActivity, &pb.GetProjectActivityRequest{
					ProjectId: s.hello[:], Limit: 2,
					Types: []pb.MessageType{pb.MessageType_MESSAGE_TYPE_REF_UPDATE, pb.MessageType_MESSAGE_TYPE_COMMIT_BUNDLE},
				}),
			},
		},
		"list-collaborators": {{
			url: hello + "/collaborators", ask: asking(t, s.ListCollaborators, &pb.ListCollaboratorsRequest{ProjectId: s.hello[:]}),
		}},
		"list-merge-requests": {
			{url: hello + "/merge-requests", ask: asking(t, s.ListMergeRequests, &pb.ListMergeRequestsRequest{ProjectId: s.hello[:]})},
			{
				url: hello + "/merge-requests?requester_owner_address=" + requester.String(),
				ask: asking(t, s.ListMergeRequests, &pb.ListMergeRequestsRequest{ProjectId: s.hello[:], RequesterOwnerAddress: requester[:]}),
			},
			{
				url: hello + "/merge-requests?include_closed=true",
				ask: asking(t, s.ListMergeRequests, &pb.ListMergeRequestsRequest{ProjectId: s.hello[:], IncludeClosed: true}),
			},
		},
		"get-merge-request": {
			{
				url: hello + "/merge-requests/" + s.request.String(),
				ask: asking(t, s.GetMergeRequest, &pb.GetMergeRequestRequest{ProjectId: s.hello[:], RequestId: s.request[:]}),
			},
			{
				url: hello + "/merge-requests/" + s.closed.String() + "?include_closed=true",
				ask: asking(t, s.GetMergeRequest, &pb.GetMergeRequestRequest{ProjectId: s.hello[:], RequestId: s.closed[:], IncludeClosed: true}),
			},
		},
		"list-merge-requests-by-requester": {
			{
				url: s.account(s.bob) + "/merge-requests",
				ask: asking(t, s.ListMergeRequestsByRequester, &pb.ListMergeRequestsByRequesterRequest{OwnerAddress: requester[:]}),
			},
			{
				url: s.account(s.bob) + "/merge-requests?include_closed=true",
				ask: asking(t, s.ListMergeRequestsByRequester, &pb.ListMergeRequestsByRequesterRequest{OwnerAddress: requester[:], IncludeClosed: true}),
			},
		},
	}
}

func (s *fixture) refQuestions(t *testing.T) map[string][]question {
	t.Helper()
	hello, commit := s.project(s.hello), s.commits[0].Hash
	last := s.commits[commitCount-1].Hash
	return map[string][]question{
		"list-refs": {{url: hello + "/refs", ask: asking(t, s.ListRefs, &pb.ListRefsRequest{ProjectId: s.hello[:]})}},
		"get-ref": {
			{
				url: hello + "/refs/" + hexOf("refs/heads/main"),
				ask: asking(t, s.GetRef, &pb.GetRefRequest{ProjectId: s.hello[:], RefName: []byte("refs/heads/main")}),
			},
			{url: hello + "/refs/0x" + hexOf(oddRef), ask: asking(t, s.GetRef, &pb.GetRefRequest{ProjectId: s.hello[:], RefName: []byte(oddRef)})},
		},
		"get-ref-by-name": {
			{
				url: hello + "/refs/by-name?name=refs/heads/main",
				ask: asking(t, s.GetRef, &pb.GetRefRequest{ProjectId: s.hello[:], RefName: []byte("refs/heads/main")}),
			},
			{
				url: hello + "/refs/by-name?name=" + url.QueryEscape(oddRef),
				ask: asking(t, s.GetRef, &pb.GetRefRequest{ProjectId: s.hello[:], RefName: []byte(oddRef)}),
			},
		},
		"get-ref-log": {
			{
				url: hello + "/refs/" + hexOf("refs/heads/main") + "/log",
				ask: asking(t, s.GetRefLog, &pb.GetRefLogRequest{ProjectId: s.hello[:], RefName: []byte("refs/heads/main")}),
			},
			{
				url: hello + "/refs/" + hexOf("refs/heads/main") + "/log?limit=1",
				ask: asking(t, s.GetRefLog, &pb.GetRefLogRequest{ProjectId: s.hello[:], RefName: []byte("refs/heads/main"), Limit: 1}),
			},
		},
		"list-commits": {{url: hello + "/commits?limit=5", ask: asking(t, s.ListCommits, &pb.ListCommitsRequest{ProjectId: s.hello[:], Limit: 5})}},
		"get-commit": {{
			url: hello + "/commits/" + commit.String(), ask: asking(t, s.GetCommit, &pb.GetCommitRequest{ProjectId: s.hello[:], CommitHash: commit[:]}),
		}},
		"get-commit-ancestors": {{
			url: hello + "/commits/" + last.String() + "/ancestors?limit=3",
			ask: asking(t, s.GetCommitAncestors, &pb.GetCommitAncestorsRequest{ProjectId: s.hello[:], CommitHash: last[:], Limit: 3}),
		}},
		"list-commit-reactions": {{
			url: hello + "/commits/" + commit.String() + "/reactions",
			ask: asking(t, s.ListReactionsByTarget, &pb.ListReactionsByTargetRequest{TargetProjectId: s.hello[:], TargetCommitHash: commit[:]}),
		}},
	}
}

func (s *fixture) accountQuestions(t *testing.T) map[string][]question {
	t.Helper()
	alice, owner, key, custodyKey := s.account(s.alice), s.alice.Address(), s.alice.Key(), s.custodyKey.KeyID()
	return map[string][]question{
		"list-accounts":   {{url: "/v1/accounts", ask: asking(t, s.ListAccounts, &pb.ListAccountsRequest{})}},
		"search-accounts": {{url: "/v1/accounts/search?query=al", ask: asking(t, s.SearchAccounts, &pb.SearchAccountsRequest{Query: "al"})}},
		"get-account-by-key": {{
			url: "/v1/accounts/by-key/" + key.String(), ask: asking(t, s.GetAccountByKey, &pb.GetAccountByKeyRequest{Key: key[:]}),
		}},
		"get-account": {{url: alice, ask: asking(t, s.GetAccount, &pb.GetAccountRequest{OwnerAddress: owner[:]})}},
		"get-account-activity": {{
			url: alice + "/activity?types=username_create",
			ask: asking(t, s.GetAccountActivity, &pb.GetAccountActivityRequest{
				OwnerAddress: owner[:], Types: []pb.MessageType{pb.MessageType_MESSAGE_TYPE_USERNAME_CREATE},
			}),
		}},
		"list-verifications": {{url: alice + "/verifications", ask: asking(t, s.ListVerifications, &pb.ListVerificationsRequest{OwnerAddress: owner[:]})}},
		"list-keys":          {{url: alice + "/keys", ask: asking(t, s.ListKeys, &pb.ListKeysRequest{OwnerAddress: owner[:]})}},
		"get-key": {{
			url: alice + "/keys/" + key.String(), ask: asking(t, s.GetKey, &pb.GetKeyRequest{OwnerAddress: owner[:], Key: key[:]}),
		}},
		"list-custody-keys": {{url: alice + "/custody-keys", ask: asking(t, s.ListCustodyKeys, &pb.ListCustodyKeysRequest{OwnerAddress: owner[:]})}},
		"get-custody-key": {{
			url: alice + "/custody-keys/" + custodyKey.String(),
			ask: asking(t, s.GetCustodyKey, &pb.GetCustodyKeyRequest{OwnerAddress: owner[:], KeyId: custodyKey[:]}),
		}},
	}
}

func (s *fixture) linkQuestions(t *testing.T) map[string][]question {
	t.Helper()
	owner, follower := s.alice.Address(), s.bob.Address()
	follow, star := pb.LinkType_LINK_TYPE_FOLLOW, pb.LinkType_LINK_TYPE_STAR
	starred := &pb.ListLinksByTargetRequest{LinkType: star, Target: &pb.ListLinksByTargetRequest_TargetProjectId{TargetProjectId: s.hello[:]}}
	followed := &pb.ListLinksByTargetRequest{LinkType: follow, TargetOwnerAddress: owner[:]}
	return map[string][]question{
		"list-stars":     {{url: s.project(s.hello) + "/stars", ask: asking(t, s.ListLinksByTarget, starred)}},
		"list-followers": {{url: s.account(s.alice) + "/followers", ask: asking(t, s.ListLinksByTarget, followed)}},
		"list-links": {
			{url: s.account(s.alice) + "/links", ask: asking(t, s.ListLinks, &pb.ListLinksRequest{OwnerAddress: owner[:]})},
			{url: s.account(s.alice) + "/links?link_type=star", ask: asking(t, s.ListLinks, &pb.ListLinksRequest{OwnerAddress: owner[:], LinkType: star})},
		},
		"list-links-by-target": {
			{url: "/v1/links?link_type=star&target_project_id=" + s.hello.String(), ask: asking(t, s.ListLinksByTarget, starred)},
			{url: "/v1/links?link_type=follow&target_owner_address=" + owner.String(), ask: asking(t, s.ListLinksByTarget, followed)},
		},
		"list-reactions": {
			{url: s.account(s.bob) + "/reactions", ask: asking(t, s.ListReactions, &pb.ListReactionsRequest{OwnerAddress: follower[:]})},
			{
				url: s.account(s.bob) + "/reactions?reaction_type=like&target_project_id=" + s.fork.String(),
				ask: asking(t, s.ListReactions, &pb.ListReactionsRequest{OwnerAddress: follower[:], TargetProjectId: s.fork[:]}),
			},
		},
	}
}

func (s *fixture) messageQuestions(t *testing.T) map[string][]question {
	t.Helper()
	hash := s.odd.Hash
	at := nodetest.Call(t, s.GetMessageStatus, &pb.GetMessageStatusRequest{Hash: hash[:]}).GetBlockNumber()
	blockHash := nodetest.Call(t, s.GetBlock, &pb.GetBlockRequest{BlockNumber: at}).GetBlock().GetHash()
	number := strconv.FormatUint(at, 10)
	path := "/v1/messages/" + hash.String()
	read := s.gateway.get(t, path).Body.Bytes()
	again := nodetest.Call(t, s.GetMessage, &pb.GetMessageRequest{Hash: hash[:]}).GetMessage()
	return map[string][]question{
		"list-messages": {
			{url: "/v1/messages?start_block=1&end_block=" + number, ask: asking(t, s.ListMessages, &pb.ListMessagesRequest{StartBlock: 1, EndBlock: at})},
			{
				url: "/v1/messages?start_block=1&end_block=" + number + "&limit=1&types=commit_bundle",
				ask: asking(t, s.ListMessages, &pb.ListMessagesRequest{
					StartBlock: 1, EndBlock: at, Limit: 1, Types: []pb.MessageType{pb.MessageType_MESSAGE_TYPE_COMMIT_BUNDLE},
				}),
			},
		},
		"get-message":        {{url: path, ask: asking(t, s.GetMessage, &pb.GetMessageRequest{Hash: hash[:]})}},
		"get-message-status": {{url: path + "/status", ask: asking(t, s.GetMessageStatus, &pb.GetMessageStatusRequest{Hash: hash[:]})}},
		"get-message-inclusion-proof": {
			{url: path + "/inclusion-proof", ask: asking(t, s.GetMessageInclusionProof, &pb.GetMessageInclusionProofRequest{MessageHash: hash[:]})},
			{
				url: path + "/inclusion-proof?block_number=" + number + "&block_hash=" + hex.EncodeToString(blockHash),
				ask: asking(t, s.GetMessageInclusionProof, &pb.GetMessageInclusionProofRequest{MessageHash: hash[:], BlockNumber: at, BlockHash: blockHash}),
			},
		},
		"submit-message":  {{url: "/v1/messages", body: read, ask: asking(t, s.SubmitMessage, &pb.SubmitMessageRequest{Message: again})}},
		"dry-run-message": {{url: "/v1/messages/dry-run", body: read, ask: asking(t, s.DryRunMessage, &pb.DryRunMessageRequest{Message: again})}},
		"batch-submit-messages": {{
			url: "/v1/messages/batch", body: slices.Concat([]byte(`{"messages":[`), read, []byte(","), read, []byte(`]}`)),
			ask: asking(t, s.BatchSubmitMessages, &pb.BatchSubmitRequest{Messages: []*pb.Message{again, again}}),
		}},
	}
}

func (s *fixture) blockQuestions(t *testing.T) map[string][]question {
	t.Helper()
	latest := func() uint64 { return nodetest.Call(t, s.GetHealth, &pb.GetHealthRequest{}).GetCurrentBlock() }
	return map[string][]question{
		"list-blocks": {
			{url: "/v1/blocks?limit=3", ask: asking(t, s.ListBlocks, &pb.ListBlocksRequest{Limit: 3})},
			{url: "/v1/blocks?start=2", ask: asking(t, s.ListBlocks, &pb.ListBlocksRequest{Start: 2})},
		},
		"get-block": {
			{url: block(0), ask: asking(t, s.GetBlock, &pb.GetBlockRequest{})},
			{url: block(2), ask: asking(t, s.GetBlock, &pb.GetBlockRequest{BlockNumber: 2})},
			{url: "/v1/blocks/latest", ask: func() proto.Message { return asking(t, s.GetBlock, &pb.GetBlockRequest{BlockNumber: latest()})() }},
		},
		"get-finalized-root": {
			{url: block(2) + "/finalized-root", ask: asking(t, s.GetFinalizedRoot, &pb.GetFinalizedRootRequest{BlockNumber: 2})},
			{url: "/v1/blocks/latest/finalized-root", ask: func() proto.Message {
				return asking(t, s.GetFinalizedRoot, &pb.GetFinalizedRootRequest{BlockNumber: latest()})()
			}},
		},
	}
}

func (s *fixture) proofQuestions(t *testing.T) map[string][]question {
	t.Helper()
	owner := s.alice.Address()
	present, absent := schema.RefKey(s.hello, []byte("v1")), schema.RefKey(s.hello, []byte("v2"))
	prefix := schema.CommitPrefix(s.hello)
	page := nodetest.Call(t, s.GetRangeProof, &pb.GetRangeProofRequest{Prefix: prefix, Limit: 2})
	now := s.alice.Now()
	return map[string][]question{
		"get-operation-proof": {{
			url: "/v1/proofs/operation/" + hex.EncodeToString(present), ask: asking(t, s.GetOperationProof, &pb.GetOperationProofRequest{Key: present}),
		}},
		"get-exclusion-proof": {{
			url: "/v1/proofs/exclusion/" + hex.EncodeToString(absent), ask: asking(t, s.GetExclusionProof, &pb.GetExclusionProofRequest{Key: absent}),
		}},
		"get-compound-proof": {{
			url: "/v1/proofs/compound/" + hex.EncodeToString(present), ask: asking(t, s.GetCompoundProof, &pb.GetCompoundProofRequest{Key: present}),
		}},
		"get-range-proof": {
			{url: "/v1/proofs/range/" + hex.EncodeToString(prefix), ask: asking(t, s.GetRangeProof, &pb.GetRangeProofRequest{Prefix: prefix, Limit: 50})},
			{
				url: "/v1/proofs/range/" + hex.EncodeToString(prefix) + "?limit=2&cursor=" + hex.EncodeToString(page.GetNextCursor()),
				ask: asking(t, s.GetRangeProof, &pb.GetRangeProofRequest{Prefix: prefix, Limit: 2, Cursor: page.GetNextCursor()}),
			},
		},
		"get-project-proof": {{
			url: s.project(s.hello) + "/proof", ask: asking(t, s.GetProjectProof, &pb.GetProjectProofRequest{ProjectId: s.hello[:]}),
		}},
		"list-content": {{
			url: s.project(s.hello) + "/content", ask: asking(t, s.ListContent, &pb.ListContentRequest{ProjectId: s.hello[:], Limit: 50}),
		}},
		"get-storage-quota-proof": {{
			url: s.account(s.alice) + "/storage-quota-proof?as_of_unix_time=" + strconv.FormatUint(uint64(now-1), 10),
			ask: asking(t, s.GetStorageQuotaProof, &pb.GetStorageQuotaProofRequest{OwnerAddress: owner[:], AsOfUnixTime: now - 1}),
		}},
	}
}

// verifierQuestions posts proofs that the gateway returned, with their keys added.
func (s *fixture) verifierQuestions(t *testing.T) map[string][]question {
	t.Helper()
	owner := s.alice.Address()
	present, absent := schema.RefKey(s.hello, []byte("v1")), schema.RefKey(s.hello, []byte("v2"))
	operation := nodetest.Call(t, s.GetOperationProof, &pb.GetOperationProofRequest{Key: present})
	exclusion := nodetest.Call(t, s.GetExclusionProof, &pb.GetExclusionProofRequest{Key: absent})
	quota := nodetest.Call(t, s.GetStorageQuotaProof, &pb.GetStorageQuotaProofRequest{OwnerAddress: owner[:]})
	bundle, err := jsonform.Marshal(quota)
	if err != nil {
		t.Fatal(err)
	}
	operationPath := "/v1/proofs/operation/" + hex.EncodeToString(present)
	exclusionPath := "/v1/proofs/exclusion/" + hex.EncodeToString(absent)
	latest := map[string]any{"block_number": nil}
	return map[string][]question{
		"verify-operation-proof": {
			{
				url: "/v1/proofs/verify/operation", body: s.edited(t, operationPath, map[string]any{"key": hex.EncodeToString(present)}, latest),
				ask: asking(t, s.VerifyOperationProof, &pb.VerifyOperationProofRequest{
					Proof: operation.GetProof(), Key: present, Root: operation.GetRoot(), Value: operation.GetValue(),
				}),
			},
			{
				url: "/v1/proofs/verify/operation", body: s.edited(t, operationPath, map[string]any{"key": hex.EncodeToString(present)}),
				ask: asking(t, s.VerifyOperationProofAtBlock, &pb.VerifyOperationProofAtBlockRequest{
					Proof: operation.GetProof(), Key: present, Value: operation.GetValue(), BlockNumber: operation.GetBlockNumber(),
				}),
			},
		},
		"verify-exclusion-proof": {
			{
				url: "/v1/proofs/verify/exclusion", body: s.edited(t, exclusionPath, map[string]any{"key": hex.EncodeToString(absent)}, latest),
				ask: asking(t, s.VerifyExclusionProof, &pb.VerifyExclusionProofRequest{Proof: exclusion.GetProof(), Key: absent, Root: exclusion.GetRoot()}),
			},
			{
				url: "/v1/proofs/verify/exclusion", body: s.edited(t, exclusionPath, map[string]any{"key": hex.EncodeToString(absent), "block_number": "0", "root": nil}),
				ask: asking(t, s.VerifyExclusionProofAtBlock, &pb.VerifyExclusionProofAtBlockRequest{Proof: exclusion.GetProof(), Key: absent}),
			},
		},
		"verify-storage-quota-proof": {{
			url: "/v1/proofs/verify/storage-quota", body: bundle,
			ask: asking(t, s.VerifyStorageQuotaProof, &pb.VerifyStorageQuotaProofRequest{QuotaProof: quota}),
		}},
	}
}

// edited returns the response of a path with other values for some keys.
func (s *fixture) edited(t *testing.T, path string, edits ...map[string]any) []byte {
	t.Helper()
	object, _ := s.gateway.get(t, path).value.(map[string]any)
	for _, edit := range edits {
		maps.Copy(object, edit)
	}
	body, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func (s *fixture) nodeQuestions(t *testing.T) map[string][]question {
	t.Helper()
	return map[string][]question{
		"get-node-status":   {{url: "/v1/node/status", ask: asking(t, s.GetNodeStatus, &pb.GetNodeStatusRequest{})}},
		"get-health":        {{url: "/v1/node/health", ask: asking(t, s.GetHealth, &pb.GetHealthRequest{})}},
		"get-chain-stats":   {{url: "/v1/chain/stats", ask: asking(t, s.GetChainStats, &pb.GetChainStatsRequest{})}},
		"get-snapshot-info": {{url: "/v1/chain/snapshot", ask: asking(t, s.GetSnapshotInfo, &pb.GetSnapshotInfoRequest{})}},
		"get-mempool-info":  {{url: "/v1/mempool", ask: asking(t, s.GetMempoolInfo, &pb.GetMempoolInfoRequest{})}},
	}
}
