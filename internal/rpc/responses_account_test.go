package rpc_test

import (
	"slices"

	pb "makechain/gen/makechain"
	"makechain/internal/ledgertest"
)

// week is the username cooldown in seconds.
const week = 7 * 24 * 60 * 60

// aliceResponse returns the account of alice, who has three units of storage.
func (s *populated) aliceResponse() *pb.GetAccountResponse {
	s.Helper()
	answer := &pb.GetAccountResponse{
		OwnerAddress: s.alice.Address[:], Username: "alice", UsernameLastSetAt: at(s.joined), UsernameUpdateAvailableAt: at(s.joined) + week,
		DisplayName: "Alice", Avatar: "ipfs://face", Bio: "likes trees", Website: "https://alice.example",
		CustodyNonce: 5, StorageUnits: 3, ProjectCount: 2, KeyCount: 2, VerificationCount: 2,
		MaxProjects: 30, MaxLinks: 15_000, MaxVerifications: 150, MaxReactions: 30_000, MaxCollaboratorsPerProject: 150,
		MaxMergeRequestsPerRequester: 60, MaxMergeRequestsPerProject: 60,
		Verifications: s.verifications(), CustodyKeys: s.custodyKeys(),
	}
	for _, k := range s.keys() {
		answer.Keys = append(answer.Keys, &pb.KeyEntry{
			Key: k.GetKey(), Scope: k.GetScope(), AllowedProjects: k.GetAllowedProjects(), RequestOwnerAddress: k.GetRequestOwnerAddress(),
		})
	}
	return answer
}

// keys returns the delegated keys of alice, in byte order.
func (s *populated) keys() []*pb.GetKeyResponse {
	main := s.alice.Key()
	keys := []*pb.GetKeyResponse{
		{Key: main[:], Scope: pb.KeyScope_KEY_SCOPE_OWNER, AddedAt: committedAt(s.joined), RequestOwnerAddress: s.alice.Address[:]},
		{
			Key: s.agentKey[:], Scope: pb.KeyScope_KEY_SCOPE_AGENT, AllowedProjects: [][]byte{s.hello[:]},
			AddedAt: committedAt(s.agent), RequestOwnerAddress: s.bobby.Address[:],
		},
	}
	slices.SortFunc(keys, func(a, b *pb.GetKeyResponse) int { return slices.Compare(a.GetKey(), b.GetKey()) })
	return keys
}

// custodyKeys returns the custody keys of alice, in byte order.
func (s *populated) custodyKeys() []*pb.CustodyKeyEntry {
	phone, watch := s.phoneKey.KeyID(), s.watch.KeyID()
	keys := []*pb.CustodyKeyEntry{
		{
			KeyId: phone[:], SignatureType: pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_WEBAUTHN_P256, PublicKey: s.phoneKey.PublicKey(),
			ExpiresAt: ledgertest.Start + 1_000, AddedAt: committedAt(s.phone), Status: pb.CustodyKeyStatus_CUSTODY_KEY_STATUS_ACTIVE,
		},
		{
			KeyId: watch[:], SignatureType: pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_P256, PublicKey: s.watch.PublicKey(), Admin: true,
			AddedAt: committedAt(s.phone), RevokedAt: committedAt(s.revoked), Status: pb.CustodyKeyStatus_CUSTODY_KEY_STATUS_REVOKED,
		},
	}
	slices.SortFunc(keys, func(a, b *pb.CustodyKeyEntry) int { return slices.Compare(a.GetKeyId(), b.GetKeyId()) })
	return keys
}

// verifications returns the verifications of alice, in byte order.
func (s *populated) verifications() []*pb.VerificationEntry {
	ethereum, solana := s.ethereum.Data.GetVerificationAdd(), s.solana.Data.GetVerificationAdd()
	entries := []*pb.VerificationEntry{
		{
			VerificationType: pb.VerificationType_VERIFICATION_TYPE_ETH_ADDRESS, Address: s.alice.Address[:],
			ChainId: ethereum.GetChainId(), AddedAt: at(s.ethereum),
		},
		{VerificationType: pb.VerificationType_VERIFICATION_TYPE_SOL_ADDRESS, Address: solana.GetAddress(), AddedAt: at(s.solana)},
	}
	slices.SortFunc(entries, func(a, b *pb.VerificationEntry) int { return slices.Compare(a.GetAddress(), b.GetAddress()) })
	return entries
}

func (s *populated) accountExamples() []example {
	s.Helper()
	alice := &pb.AccountSummary{
		OwnerAddress: s.alice.Address[:], Username: "alice", DisplayName: "Alice", Avatar: "ipfs://face",
		StorageUnits: 3, ProjectCount: 2, KeyCount: 2, VerificationCount: 2,
	}
	bobby := &pb.AccountSummary{
		OwnerAddress: s.bobby.Address[:], Username: "bobby", StorageUnits: 2, ProjectCount: 1, KeyCount: 1, LinkCount: 2, ReactionCount: 1,
	}
	bobbyKey := s.bobby.Key()
	bobbyAnswer := &pb.GetAccountResponse{
		OwnerAddress: s.bobby.Address[:], Username: "bobby", UsernameLastSetAt: at(s.joined), UsernameUpdateAvailableAt: at(s.joined) + week,
		CustodyNonce: 1, StorageUnits: 2, ProjectCount: 1, KeyCount: 1, LinkCount: 2, ReactionCount: 1,
		MaxProjects: 20, MaxLinks: 10_000, MaxVerifications: 100, MaxReactions: 20_000, MaxCollaboratorsPerProject: 100,
		MaxMergeRequestsPerRequester: 40, MaxMergeRequestsPerProject: 40,
		Keys: []*pb.KeyEntry{{Key: bobbyKey[:], Scope: pb.KeyScope_KEY_SCOPE_OWNER, RequestOwnerAddress: s.bobby.Address[:]}},
	}
	unknown := ledgertest.Hash("nobody")
	byAddress := []*pb.AccountSummary{alice, bobby}
	slices.SortFunc(byAddress, func(a, b *pb.AccountSummary) int { return slices.Compare(a.GetOwnerAddress(), b.GetOwnerAddress()) })
	return []example{
		{"GetAccount", &pb.GetAccountRequest{OwnerAddress: s.alice.Address[:]}, s.aliceResponse()},
		{"GetAccount", &pb.GetAccountRequest{OwnerAddress: s.bobby.Address[:]}, bobbyAnswer},
		{"GetAccount", &pb.GetAccountRequest{OwnerAddress: unknown[:20]}, &pb.GetAccountResponse{OwnerAddress: unknown[:20]}},
		{"GetAccountByKey", &pb.GetAccountByKeyRequest{Key: s.agentKey[:]}, s.aliceResponse()},
		{"ListAccounts", &pb.ListAccountsRequest{}, &pb.ListAccountsResponse{Accounts: byAddress}},
		{"SearchAccounts", &pb.SearchAccountsRequest{Query: "al"}, &pb.ListAccountsResponse{Accounts: []*pb.AccountSummary{alice}}},
		{"SearchAccounts", &pb.SearchAccountsRequest{Query: "bobby"}, &pb.ListAccountsResponse{Accounts: []*pb.AccountSummary{bobby}}},
		{"SearchAccounts", &pb.SearchAccountsRequest{Query: "bobby2"}, &pb.ListAccountsResponse{}},
		{"ListVerifications", &pb.ListVerificationsRequest{OwnerAddress: s.alice.Address[:]}, &pb.ListVerificationsResponse{Verifications: s.verifications()}},
		{"ListVerifications", &pb.ListVerificationsRequest{OwnerAddress: s.bobby.Address[:]}, &pb.ListVerificationsResponse{}},
	}
}

func (s *populated) keyExamples() []example {
	custody := s.custodyKeys()
	keys := s.keys()
	return []example{
		{"GetKey", &pb.GetKeyRequest{OwnerAddress: s.alice.Address[:], Key: keys[0].GetKey()}, keys[0]},
		{"GetKey", &pb.GetKeyRequest{OwnerAddress: s.alice.Address[:], Key: keys[1].GetKey()}, keys[1]},
		{"ListKeys", &pb.ListKeysRequest{OwnerAddress: s.alice.Address[:]}, &pb.ListKeysResponse{Keys: keys}},
		{
			"GetCustodyKey", &pb.GetCustodyKeyRequest{OwnerAddress: s.alice.Address[:], KeyId: custody[0].GetKeyId()},
			&pb.GetCustodyKeyResponse{CustodyKey: custody[0]},
		},
		{
			"GetCustodyKey", &pb.GetCustodyKeyRequest{OwnerAddress: s.alice.Address[:], KeyId: custody[1].GetKeyId()},
			&pb.GetCustodyKeyResponse{CustodyKey: custody[1]},
		},
		{"ListCustodyKeys", &pb.ListCustodyKeysRequest{OwnerAddress: s.alice.Address[:]}, &pb.ListCustodyKeysResponse{CustodyKeys: custody}},
	}
}
