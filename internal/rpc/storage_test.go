package rpc_test

import (
	"math"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// term is the duration of a storage grant.
const term = 395 * 24 * 60 * 60

// TestExpiredStorage checks that reads reflect storage grants that expired since the last block.
//
// Rules: P8.1, P8.4, P8.5, P8.6.
func TestExpiredStorage(t *testing.T) {
	t.Parallel()
	n := newNode(t, setup{})
	alice := n.actor("alice")
	project := n.create(alice, "hello")
	n.must(append(n.join(alice, 2), project)...)
	first := n.clock.Load() - 1
	n.clock.Add(1_000)
	n.must(n.claim(alice, 3))
	second := n.clock.Load() - 1
	root := get[*pb.GetOperationProofResponse](n, "GetOperationProof", &pb.GetOperationProofRequest{Key: append([]byte{0x04}, alice.Address[:]...)}).GetRoot()
	for _, c := range []struct {
		name   string
		at     int64
		units  uint32
		usable uint32
		found  int // by username
	}{
		{"both", first + term - 1, 5, 5, 1},
		{"the first ends", first + term, 3, 3, 1},
		{"the second is left", second + term - 1, 3, 3, 1},
		{"the second ends", second + term, 0, 0, 0},
		{"long after", second + 2*term, 0, 0, 0},
	} {
		n.clock.Store(c.at)
		account := get[*pb.GetAccountResponse](n, "GetAccount", &pb.GetAccountRequest{OwnerAddress: alice.Address[:]})
		want := &pb.GetAccountResponse{
			StorageUnits: c.units, MaxProjects: 10 * c.usable, MaxLinks: 5_000 * c.usable, MaxVerifications: 50 * c.usable,
			MaxReactions: 10_000 * c.usable, MaxCollaboratorsPerProject: 50 * c.usable,
			MaxMergeRequestsPerRequester: 20 * c.usable, MaxMergeRequestsPerProject: 20 * c.usable,
		}
		if c.usable > 0 {
			want.Username, want.UsernameUpdateAvailableAt = "alice", account.GetUsernameLastSetAt()+week
		}
		expectQuota(t, c.name, want, account)
		served := get[*pb.GetProjectResponse](n, "GetProject", &pb.GetProjectRequest{ProjectId: project.Hash[:]})
		if served.GetMaxCollaborators() != 50*c.usable || served.GetStatus() != "active" {
			t.Errorf("%s: project %v", c.name, served)
		}
		found := items(get[proto.Message](n, "SearchAccounts", &pb.SearchAccountsRequest{Query: "alice"}))
		listed := get[*pb.ListAccountsResponse](n, "ListAccounts", &pb.ListAccountsRequest{}).GetAccounts()
		if len(found) != c.found || len(listed) != 1 || listed[0].GetStorageUnits() != c.units || (listed[0].GetUsername() == "alice") != (c.usable > 0) {
			t.Errorf("%s: found %v, listed %v", c.name, found, listed)
		}
		quota := get[*pb.GetStorageQuotaProofResponse](n, "GetStorageQuotaProof", &pb.GetStorageQuotaProofRequest{OwnerAddress: alice.Address[:]})
		if quota.GetStorageUnits() != c.units || quota.GetUsableStorageUnits() != c.usable || string(quota.GetRoot()) != string(root) {
			t.Errorf("%s: the proof has %d units, %d usable", c.name, quota.GetStorageUnits(), quota.GetUsableStorageUnits())
		}
	}
}

// expectQuota compares the limits of two accounts.
func expectQuota(t *testing.T, name string, want, got *pb.GetAccountResponse) {
	t.Helper()
	quota := func(a *pb.GetAccountResponse) [9]uint32 {
		return [9]uint32{
			a.GetStorageUnits(), a.GetMaxProjects(), a.GetMaxLinks(), a.GetMaxVerifications(), a.GetMaxReactions(),
			a.GetMaxCollaboratorsPerProject(), a.GetMaxMergeRequestsPerRequester(), a.GetMaxMergeRequestsPerProject(), a.GetUsernameUpdateAvailableAt(),
		}
	}
	if quota(got) != quota(want) || got.GetUsername() != want.GetUsername() {
		t.Errorf("%s: %q has %v, want %q and %v", name, got.GetUsername(), quota(got), want.GetUsername(), quota(want))
	}
}

// TestReleasedUsername checks that a username is free when the storage of its owner has expired.
//
// Rules: P8.3, P8.5.
func TestReleasedUsername(t *testing.T) {
	t.Parallel()
	n := newNode(t, setup{})
	alice, other := n.actor("alice"), n.actor("other")
	n.must(append(n.join(alice, 1), n.join(other, 0)...)...)
	n.clock.Add(term)
	n.must(n.claim(other, 1), n.sign(other, message.UsernameCreate("alice")))
	found := get[*pb.ListAccountsResponse](n, "SearchAccounts", &pb.SearchAccountsRequest{Query: "alice"}).GetAccounts()
	if len(found) != 1 || string(found[0].GetOwnerAddress()) != string(other.Address[:]) {
		t.Errorf("found %v", found)
	}
	before := get[*pb.GetAccountResponse](n, "GetAccount", &pb.GetAccountRequest{OwnerAddress: alice.Address[:]})
	if before.GetUsername() != "" || before.GetUsernameLastSetAt() == 0 || before.GetUsernameUpdateAvailableAt() != 0 {
		t.Errorf("the previous owner is %v", before)
	}
}

// TestUsernameWithoutStorage checks the limits of an account without a username and of one with the most storage.
//
// Rules: P8.4.
func TestUsernameWithoutStorage(t *testing.T) {
	t.Parallel()
	n := newNode(t, setup{})
	alice := n.actor("alice")
	n.must(append(n.join(alice, 0), n.claim(alice, math.MaxUint32))...)
	account := get[*pb.GetAccountResponse](n, "GetAccount", &pb.GetAccountRequest{OwnerAddress: alice.Address[:]})
	expectQuota(t, "no username", &pb.GetAccountResponse{StorageUnits: math.MaxUint32}, account)
	n.must(n.sign(alice, message.UsernameCreate("alice")))
	account = get[*pb.GetAccountResponse](n, "GetAccount", &pb.GetAccountRequest{OwnerAddress: alice.Address[:]})
	if account.GetMaxProjects() != math.MaxUint32 || account.GetMaxReactions() != math.MaxUint32 {
		t.Errorf("limits %d and %d, want the largest number there is", account.GetMaxProjects(), account.GetMaxReactions())
	}
	if ledgertest.Start+week != account.GetUsernameUpdateAvailableAt()-1 {
		t.Errorf("the username can change at %d", account.GetUsernameUpdateAvailableAt())
	}
}
