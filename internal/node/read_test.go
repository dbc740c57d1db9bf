package node_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

// same compares a response with the expected one.
func same[M proto.Message](t *testing.T, what string, got, want M) {
	t.Helper()
	if !proto.Equal(want, got) { // which is much faster than working out the difference
		t.Errorf("%s (-want +got):\n%s", what, cmp.Diff(want, got, protocmp.Transform()))
	}
}

func (s *scenario) readProjects(t *testing.T) {
	owner := s.alice.Address()
	hello := &pb.GetProjectResponse{
		ProjectId: s.hello[:], Name: "hello", Description: "A greeting", License: s.license, Status: "active", OwnerAddress: owner[:],
		RefCount: 3, CollaboratorCount: 1, CommitCount: commitCount, MergeRequestCount: 1, ClosedMergeRequestCount: 1,
		MaxRefs: 5_000, MaxCollaborators: 50 * storageUnits, MaxCommits: 10_000,
	}
	same(t, "project", nodetest.Call(t, s.GetProject, &pb.GetProjectRequest{ProjectId: s.hello[:]}), hello)
	same(t, "by name", nodetest.Call(t, s.GetProjectByName, &pb.GetProjectByNameRequest{OwnerAddress: owner[:], Name: "hello"}), hello)
	fork := nodetest.Call(t, s.GetProject, &pb.GetProjectRequest{ProjectId: s.fork[:]})
	if !bytes.Equal(fork.GetForkSource(), s.hello[:]) || fork.GetCommitCount() != 2 || fork.GetRefCount() != 1 {
		t.Errorf("fork: %v", fork)
	}
	for id, status := range map[ident.Hash]string{s.private: "active", s.archived: "archived", s.removed: "removed"} {
		if got := nodetest.Call(t, s.GetProject, &pb.GetProjectRequest{ProjectId: id[:]}); got.GetStatus() != status {
			t.Errorf("project %s is %s, want %s", got.GetName(), got.GetStatus(), status)
		}
	}
	nodetest.MustFail(t, s.GetProject, &pb.GetProjectRequest{ProjectId: s.request[:]}, connect.CodeNotFound)
	nodetest.MustFail(t, s.GetProjectByName, &pb.GetProjectByNameRequest{OwnerAddress: owner[:], Name: "gone"}, connect.CodeNotFound)

	own := nodetest.Call(t, s.ListProjects, &pb.ListProjectsRequest{OwnerAddress: owner[:]})
	wantNames(t, "projects of alice", own.GetProjects(), "hello", "hello-private", "old")
	var all []*pb.GetProjectResponse
	for cursor := []byte(nil); ; {
		page := nodetest.Call(t, s.ListProjects, &pb.ListProjectsRequest{Limit: 2, Cursor: cursor})
		all = append(all, page.GetProjects()...)
		if cursor = page.GetNextCursor(); len(cursor) == 0 {
			break
		}
	}
	slices.SortFunc(all, func(a, b *pb.GetProjectResponse) int { return strings.Compare(a.GetName(), b.GetName()) })
	wantNames(t, "all projects", all, "hello", "hello-fork", "hello-private", "old")
	forks := nodetest.Call(t, s.ListForks, &pb.ListForksRequest{ProjectId: own.GetProjects()[0].GetProjectId()})
	wantNames(t, "forks of hello", forks.GetProjects(), "hello-fork")
	found := nodetest.Call(t, s.SearchProjects, &pb.SearchProjectsRequest{Query: "hello-"})
	wantNames(t, "search", found.GetProjects(), "hello-fork", "hello-private")
}

func wantNames(t *testing.T, what string, projects []*pb.GetProjectResponse, want ...string) {
	t.Helper()
	var names []string
	for _, p := range projects {
		names = append(names, p.GetName())
	}
	if !slices.Equal(names, want) {
		t.Errorf("%s: %q, want %q", what, names, want)
	}
}

func (s *scenario) readRefs(t *testing.T) {
	last := s.commits[commitCount-1].Hash
	main := &pb.GetRefResponse{ProjectId: s.hello[:], RefName: []byte("main"), Hash: last[:], Nonce: 2}
	topic := &pb.GetRefResponse{ProjectId: s.hello[:], RefName: []byte("topic"), Hash: s.commits[39].Hash[:], Nonce: 2}
	tag := &pb.GetRefResponse{ProjectId: s.hello[:], RefName: []byte("v1"), RefType: pb.RefType_REF_TYPE_TAG, Hash: last[:], Nonce: 1}
	listed := nodetest.Call(t, s.ListRefs, &pb.ListRefsRequest{ProjectId: s.hello[:]}).GetRefs()
	for i, ref := range []*pb.GetRefResponse{main, topic, tag} {
		if ref.Floor = listed[i].GetFloor(); ref.GetFloor() == 0 { // the timestamp of its creation
			t.Errorf("ref %s has no floor", ref.GetRefName())
		}
	}
	same(t, "ref", nodetest.Call(t, s.GetRef, &pb.GetRefRequest{ProjectId: s.hello[:], RefName: []byte("main")}), main)
	nodetest.MustFail(t, s.GetRef, &pb.GetRefRequest{ProjectId: s.hello[:], RefName: []byte("wrong")}, connect.CodeNotFound)
	same(t, "refs", nodetest.Call(t, s.ListRefs, &pb.ListRefsRequest{ProjectId: s.hello[:]}),
		&pb.ListRefsResponse{Refs: []*pb.GetRefResponse{main, topic, tag}})
	nodetest.MustFail(t, s.ListRefs, &pb.ListRefsRequest{ProjectId: s.removed[:]}, connect.CodeNotFound)

	log := nodetest.Call(t, s.GetRefLog, &pb.GetRefLogRequest{ProjectId: s.hello[:], RefName: []byte("main")}).GetEntries()
	if len(log) != 2 || !bytes.Equal(log[0].GetNewHash(), last[:]) || !bytes.Equal(log[0].GetOldHash(), log[1].GetNewHash()) ||
		log[0].GetNonce() != 2 || log[1].GetNonce() != 1 || len(log[1].GetOldHash()) != 0 {
		t.Errorf("log of main: %v", log)
	}
	log = nodetest.Call(t, s.GetRefLog, &pb.GetRefLogRequest{ProjectId: s.hello[:], RefName: []byte("wrong")}).GetEntries()
	if len(log) != 2 || len(log[0].GetNewHash()) != 0 {
		t.Errorf("log of the deleted ref: %v", log)
	}
}

func (s *scenario) readCommits(t *testing.T) {
	served := make(map[ident.Hash]*pb.CommitMeta)
	var cursor []byte
	for {
		page := nodetest.Call(t, s.ListCommits, &pb.ListCommitsRequest{ProjectId: s.hello[:], Limit: 20, Cursor: cursor})
		for _, c := range page.GetCommits() {
			served[ident.Hash(c.GetCommit().GetHash())] = c.GetCommit()
		}
		if cursor = page.GetNextCursor(); len(cursor) == 0 {
			break
		}
	}
	if len(served) != commitCount {
		t.Errorf("%d commits are listed, want %d", len(served), commitCount)
	}
	for _, c := range s.commits {
		want := commitMeta(c)
		same(t, c.Title, served[c.Hash], want)
		one := nodetest.Call(t, s.GetCommit, &pb.GetCommitRequest{ProjectId: s.hello[:], CommitHash: c.Hash[:]})
		same(t, c.Title, one.GetCommit(), want)
		if len(one.GetContentDigest()) != ident.HashSize || one.GetUrl() == "" {
			t.Errorf("%s: content %x at %q", c.Title, one.GetContentDigest(), one.GetUrl())
		}
	}
	nodetest.MustFail(t, s.GetCommit, &pb.GetCommitRequest{ProjectId: s.hello[:], CommitHash: s.forked.Hash[:]}, connect.CodeNotFound)
	last := s.commits[commitCount-1].Hash
	line := nodetest.Call(t, s.GetCommitAncestors, &pb.GetCommitAncestorsRequest{ProjectId: s.hello[:], CommitHash: last[:], Limit: 3})
	want := []*pb.CommitMeta{commitMeta(s.commits[commitCount-1]), commitMeta(s.commits[commitCount-2]), commitMeta(s.commits[commitCount-3])}
	same(t, "ancestors", &pb.GetCommitAncestorsResponse{Commits: line.GetCommits()}, &pb.GetCommitAncestorsResponse{Commits: want})
}

func commitMeta(c message.Commit) *pb.CommitMeta {
	meta := &pb.CommitMeta{
		Hash: c.Hash[:], TreeRoot: c.TreeRoot[:], MessageHash: c.MessageHash[:], AuthorAddress: c.Author[:],
		AuthorTimestamp: c.AuthorTimestamp, Title: c.Title,
	}
	for _, parent := range c.Parents {
		meta.Parents = append(meta.Parents, bytes.Clone(parent[:]))
	}
	return meta
}

func (s *scenario) readAccount(t *testing.T) {
	owner, agent := s.alice.Address(), s.agent.Key()
	account := nodetest.Call(t, s.GetAccount, &pb.GetAccountRequest{OwnerAddress: owner[:]})
	same(t, "by key", nodetest.Call(t, s.GetAccountByKey, &pb.GetAccountByKeyRequest{Key: agent[:]}), account)
	if account.GetUsername() != "alice" || account.GetDisplayName() != "Alice" || account.GetBio() != "writes greetings" {
		t.Errorf("profile: %v", account)
	}
	// Seven custody signatures, three live projects, four quotas of three units.
	if account.GetCustodyNonce() != 7 || account.GetKeyCount() != 3 || account.GetProjectCount() != 3 || account.GetStorageUnits() != storageUnits ||
		account.GetMaxProjects() != 10*storageUnits || account.GetMaxLinks() != 5_000*storageUnits {
		t.Errorf("counts: %v", account)
	}
	if account.GetLinkCount() != 2 || account.GetVerificationCount() != 2 || account.GetReactionCount() != 0 {
		t.Errorf("counts: %v", account)
	}
	unknown := nodetest.Call(t, s.GetAccount, &pb.GetAccountRequest{OwnerAddress: make([]byte, ident.AddressSize)})
	same(t, "unknown account", unknown, &pb.GetAccountResponse{OwnerAddress: make([]byte, ident.AddressSize)})

	all := nodetest.Call(t, s.ListAccounts, &pb.ListAccountsRequest{}).GetAccounts()
	found := nodetest.Call(t, s.SearchAccounts, &pb.SearchAccountsRequest{Query: "al"}).GetAccounts()
	if len(all) != 2 || len(found) != 1 || !bytes.Equal(found[0].GetOwnerAddress(), owner[:]) || found[0].GetDisplayName() != "Alice" {
		t.Errorf("%d accounts; found %v", len(all), found)
	}
	entries := nodetest.Call(t, s.ListVerifications, &pb.ListVerificationsRequest{OwnerAddress: owner[:]}).GetVerifications()
	ethereum, solana := s.ethereum.KeyID(), s.solana.Key()
	want := map[string]pb.VerificationType{
		string(ethereum[:]): pb.VerificationType_VERIFICATION_TYPE_ETH_ADDRESS,
		string(solana[:]):   pb.VerificationType_VERIFICATION_TYPE_SOL_ADDRESS,
	}
	for _, entry := range entries {
		if want[string(entry.GetAddress())] != entry.GetVerificationType() {
			t.Errorf("verification: %v", entry)
		}
	}
	if len(entries) != len(want) {
		t.Errorf("%d verifications", len(entries))
	}
	same(t, "ethereum chain", &pb.VerificationEntry{ChainId: entryOf(entries, ethereum[:]).GetChainId()},
		&pb.VerificationEntry{ChainId: custody.HostChainIDBytes(s.Network())})
}

func entryOf(entries []*pb.VerificationEntry, address []byte) *pb.VerificationEntry {
	for _, entry := range entries {
		if bytes.Equal(entry.GetAddress(), address) {
			return entry
		}
	}
	return nil
}

func (s *scenario) readKeys(t *testing.T) {
	owner := s.alice.Address()
	main, agent := s.alice.Key(), s.agent.Key()
	want := map[ident.PublicKey]*pb.GetKeyResponse{
		main:     {Key: main[:], Scope: pb.KeyScope_KEY_SCOPE_OWNER, RequestOwnerAddress: owner[:]},
		agent:    {Key: agent[:], Scope: pb.KeyScope_KEY_SCOPE_AGENT, RequestOwnerAddress: owner[:], AllowedProjects: [][]byte{s.hello[:]}},
		s.helper: {Key: s.helper[:], Scope: pb.KeyScope_KEY_SCOPE_SIGNING, RequestOwnerAddress: owner[:]},
	}
	listed := nodetest.Call(t, s.ListKeys, &pb.ListKeysRequest{OwnerAddress: owner[:]}).GetKeys()
	if len(listed) != len(want) {
		t.Errorf("%d keys are listed", len(listed))
	}
	for key, expected := range want {
		got := nodetest.Call(t, s.GetKey, &pb.GetKeyRequest{OwnerAddress: owner[:], Key: key[:]})
		if got.GetAddedAt() == 0 || !slices.ContainsFunc(listed, func(k *pb.GetKeyResponse) bool { return proto.Equal(k, got) }) {
			t.Errorf("key %v is not among those listed", got)
		}
		got.AddedAt = 0
		same(t, "key", got, expected)
	}
	nodetest.MustFail(t, s.GetKey, &pb.GetKeyRequest{OwnerAddress: owner[:], Key: s.hello[:]}, connect.CodeNotFound)

	custodies := nodetest.Call(t, s.ListCustodyKeys, &pb.ListCustodyKeysRequest{OwnerAddress: owner[:]}).GetCustodyKeys()
	if len(custodies) != len(s.custodies) {
		t.Errorf("%d custody keys are listed", len(custodies))
	}
	for i, wallet := range s.custodies {
		id := wallet.KeyID()
		got := nodetest.Call(t, s.GetCustodyKey, &pb.GetCustodyKeyRequest{OwnerAddress: owner[:], KeyId: id[:]}).GetCustodyKey()
		if !slices.ContainsFunc(custodies, func(k *pb.CustodyKeyEntry) bool { return proto.Equal(k, got) }) {
			t.Errorf("custody key %v is not among those listed", got)
		}
		status := pb.CustodyKeyStatus_CUSTODY_KEY_STATUS_ACTIVE
		if i == 0 {
			status = pb.CustodyKeyStatus_CUSTODY_KEY_STATUS_REVOKED
		}
		if got.GetSignatureType() != wallet.Type() || !bytes.Equal(got.GetPublicKey(), wallet.PublicKey()) || !got.GetAdmin() || got.GetStatus() != status {
			t.Errorf("custody key %d: %v", i, got)
		}
	}
}
