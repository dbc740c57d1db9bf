package rpc

import (
	"context"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/limit"
	"makechain/internal/schema"
)

// GetAccount returns an account by its address. Every address is an account (P1.1).
func (s *Service) GetAccount(ctx context.Context, req *connect.Request[pb.GetAccountRequest]) (*connect.Response[pb.GetAccountResponse], error) {
	owner, err := addressField("owner_address", req.Msg.GetOwnerAddress())
	if err != nil {
		return nil, err
	}
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.GetAccountResponse], error) {
		return s.respondAccount(snapshot, owner)
	})
}

// GetAccountByKey returns the account that a delegated key belongs to.
func (s *Service) GetAccountByKey(ctx context.Context, req *connect.Request[pb.GetAccountByKeyRequest]) (*connect.Response[pb.GetAccountResponse], error) {
	key, err := publicKeyField("key", req.Msg.GetKey())
	if err != nil {
		return nil, err
	}
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.GetAccountResponse], error) {
		row, err := load[pb.KeyOwnerRow](snapshot, schema.KeyOwnerKey(key))
		if err != nil {
			return nil, err
		}
		if row == nil {
			return nil, notFound("key %s is not registered", key)
		}
		owner, err := addressIn(row.GetOwnerAddress())
		if err != nil {
			return nil, err
		}
		return s.respondAccount(snapshot, owner)
	})
}

func (s *Service) respondAccount(snapshot Snapshot, owner ident.Address) (*connect.Response[pb.GetAccountResponse], error) {
	row, err := s.account(snapshot, owner)
	if err != nil {
		return nil, err
	}
	response := &pb.GetAccountResponse{
		OwnerAddress: owner[:], Username: row.GetUsername(), UsernameLastSetAt: row.GetUsernameLastSetAt(),
		CustodyNonce: row.GetCustodyNonce(), StorageUnits: row.GetStorageUnits(), ProjectCount: row.GetProjectCount(), KeyCount: row.GetKeyCount(),
		MaxProjects:                  allowed(row, schema.ProjectsPerUnit),
		MaxLinks:                     allowed(row, schema.LinksPerUnit),
		MaxVerifications:             allowed(row, schema.VerificationsPerUnit),
		MaxReactions:                 allowed(row, schema.ReactionsPerUnit),
		MaxCollaboratorsPerProject:   allowed(row, schema.CollaboratorsPerUnit),
		MaxMergeRequestsPerRequester: allowed(row, schema.MergeRequestsPerRequesterUnit),
		MaxMergeRequestsPerProject:   allowed(row, schema.MergeRequestsPerOwnerUnit),
	}
	if row.GetUsername() != "" {
		response.UsernameUpdateAvailableAt = saturated(uint64(row.GetUsernameLastSetAt()) + ledger.UsernameCooldown)
	}
	if err := readProfile(snapshot, owner, response); err != nil {
		return nil, err
	}
	if err := readCounters(snapshot, owner, &response.LinkCount, &response.ReactionCount, &response.VerificationCount); err != nil {
		return nil, err
	}
	return connect.NewResponse(response), readFirstPages(snapshot, owner, response)
}

func readProfile(snapshot Snapshot, owner ident.Address, response *pb.GetAccountResponse) error {
	for _, field := range []struct {
		kind  pb.AccountDataType
		value *string
	}{
		{pb.AccountDataType_ACCOUNT_DATA_DISPLAY_NAME, &response.DisplayName},
		{pb.AccountDataType_ACCOUNT_DATA_AVATAR, &response.Avatar},
		{pb.AccountDataType_ACCOUNT_DATA_BIO, &response.Bio},
		{pb.AccountDataType_ACCOUNT_DATA_WEBSITE, &response.Website},
	} {
		row, err := load[pb.AccountMetadataRow](snapshot, schema.AccountMetadataKey(owner, byte(field.kind)))
		if err != nil {
			return err
		}
		*field.value = row.GetValue()
	}
	return nil
}

func readCounters(snapshot Snapshot, owner ident.Address, links, reactions, verifications *uint32) error {
	for _, counter := range []struct {
		kind  schema.Counter
		count *uint32
	}{
		{schema.CounterLinks, links},
		{schema.CounterReactions, reactions},
		{schema.CounterVerifications, verifications},
	} {
		row, err := load[pb.CounterRow](snapshot, schema.CounterKey(owner, counter.kind))
		if err != nil {
			return err
		}
		*counter.count = row.GetCount()
	}
	return nil
}

// readFirstPages adds the first page of each list of an account. The counts show whether there is more; each list has a
// method of its own.
func readFirstPages(snapshot Snapshot, owner ident.Address, response *pb.GetAccountResponse) error {
	keys, _, err := keys(snapshot, owner, &pb.ListKeysRequest{Limit: limit.MaxPage})
	if err != nil {
		return err
	}
	for _, k := range keys {
		response.Keys = append(response.Keys, &pb.KeyEntry{
			Key: k.GetKey(), Scope: k.GetScope(), AllowedProjects: k.GetAllowedProjects(), RequestOwnerAddress: k.GetRequestOwnerAddress(),
		})
	}
	if response.CustodyKeys, _, err = custodyKeys(snapshot, owner, &pb.ListCustodyKeysRequest{Limit: limit.MaxPage}); err != nil {
		return err
	}
	response.Verifications, _, err = verifications(snapshot, owner, &pb.ListVerificationsRequest{Limit: limit.MaxPage})
	return err
}

// ListAccounts lists the accounts that have a row, by address.
func (s *Service) ListAccounts(ctx context.Context, req *connect.Request[pb.ListAccountsRequest]) (*connect.Response[pb.ListAccountsResponse], error) {
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.ListAccountsResponse], error) {
		accounts, next, err := readPage(snapshot, newListID("ListAccounts"), []byte{byte(schema.PrefixAccount)}, req.Msg,
			func(key *schema.Key, row *pb.AccountRow) (*pb.AccountSummary, error) {
				if err := s.expire(snapshot, key.Owner, row); err != nil {
					return nil, err
				}
				return accountSummary(snapshot, key.Owner, row)
			})
		return connect.NewResponse(&pb.ListAccountsResponse{Accounts: accounts, NextCursor: next}), err
	})
}

// SearchAccounts lists the accounts whose usernames start with a prefix, by username.
func (s *Service) SearchAccounts(ctx context.Context, req *connect.Request[pb.SearchAccountsRequest]) (*connect.Response[pb.ListAccountsResponse], error) {
	query := req.Msg.GetQuery()
	if query == "" {
		return nil, invalid("query", "is empty")
	}
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.ListAccountsResponse], error) {
		accounts, next, err := readPage(snapshot, newListID("SearchAccounts", []byte(query)), schema.UsernameKey(query), req.Msg,
			func(_ *schema.Key, row *pb.UsernameRow) (*pb.AccountSummary, error) {
				owner, err := addressIn(row.GetOwnerAddress())
				if err != nil {
					return nil, err
				}
				account, err := s.account(snapshot, owner)
				if err != nil || account.GetUsername() == "" { // its storage has expired since
					return nil, err
				}
				return accountSummary(snapshot, owner, account)
			})
		return connect.NewResponse(&pb.ListAccountsResponse{Accounts: accounts, NextCursor: next}), err
	})
}

func accountSummary(snapshot Snapshot, owner ident.Address, row *pb.AccountRow) (*pb.AccountSummary, error) {
	var profile pb.GetAccountResponse
	if err := readProfile(snapshot, owner, &profile); err != nil {
		return nil, err
	}
	summary := &pb.AccountSummary{
		OwnerAddress: owner[:], Username: row.GetUsername(), DisplayName: profile.GetDisplayName(), Avatar: profile.GetAvatar(),
		StorageUnits: row.GetStorageUnits(), ProjectCount: row.GetProjectCount(), KeyCount: row.GetKeyCount(),
	}
	return summary, readCounters(snapshot, owner, &summary.LinkCount, &summary.ReactionCount, &summary.VerificationCount)
}

// ListVerifications lists the verified external addresses of an account.
func (s *Service) ListVerifications(ctx context.Context, req *connect.Request[pb.ListVerificationsRequest]) (*connect.Response[pb.ListVerificationsResponse], error) {
	owner, err := addressField("owner_address", req.Msg.GetOwnerAddress())
	if err != nil {
		return nil, err
	}
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.ListVerificationsResponse], error) {
		entries, next, err := verifications(snapshot, owner, req.Msg)
		return connect.NewResponse(&pb.ListVerificationsResponse{Verifications: entries, NextCursor: next}), err
	})
}

func verifications(snapshot Snapshot, owner ident.Address, req pageRequest) ([]*pb.VerificationEntry, []byte, error) {
	return readPage(snapshot, newListID("ListVerifications", owner[:]), schema.VerificationKey(owner, nil), req,
		func(key *schema.Key, row *pb.VerificationRow) (*pb.VerificationEntry, error) {
			return &pb.VerificationEntry{
				VerificationType: row.GetVerificationType(), Address: key.Name, ChainId: row.GetChainId(), AddedAt: row.GetTimestamp(),
			}, nil
		})
}
