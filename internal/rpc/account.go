package rpc

import (
	"context"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/schema"
)

// GetAccount answers an account by its address. Any address is an account (P1.1).
func (s *Service) GetAccount(_ context.Context, req *connect.Request[pb.GetAccountRequest]) (*connect.Response[pb.GetAccountResponse], error) {
	owner, err := addressField("owner_address", req.Msg.GetOwnerAddress())
	if err != nil {
		return nil, err
	}
	return read(s, func(snapshot Snapshot) (*connect.Response[pb.GetAccountResponse], error) {
		return s.respondAccount(snapshot, owner)
	})
}

// GetAccountByKey answers the account that a delegated key belongs to.
func (s *Service) GetAccountByKey(_ context.Context, req *connect.Request[pb.GetAccountByKeyRequest]) (*connect.Response[pb.GetAccountResponse], error) {
	key, err := publicKeyField("key", req.Msg.GetKey())
	if err != nil {
		return nil, err
	}
	return read(s, func(snapshot Snapshot) (*connect.Response[pb.GetAccountResponse], error) {
		row, err := load[pb.KeyOwnerRow](snapshot, schema.KeyOwnerKey(key))
		if err != nil {
			return nil, err
		}
		if row == nil {
			return nil, notFound("key %s is not registered", key)
		}
		return s.respondAccount(snapshot, ident.Address(row.GetOwnerAddress()))
	})
}

func (s *Service) respondAccount(snapshot Snapshot, owner ident.Address) (*connect.Response[pb.GetAccountResponse], error) {
	row, err := s.account(snapshot, owner)
	if err != nil {
		return nil, err
	}
	answer := &pb.GetAccountResponse{
		OwnerAddress: owner[:], Username: row.GetUsername(), UsernameLastSetAt: row.GetUsernameLastSetAt(),
		CustodyNonce: row.GetCustodyNonce(), StorageUnits: row.GetStorageUnits(), ProjectCount: row.GetProjectCount(), KeyCount: row.GetKeyCount(),
		MaxProjects:                  limit(row, ledger.ProjectsPerUnit),
		MaxLinks:                     limit(row, ledger.LinksPerUnit),
		MaxVerifications:             limit(row, ledger.VerificationsPerUnit),
		MaxReactions:                 limit(row, ledger.ReactionsPerUnit),
		MaxCollaboratorsPerProject:   limit(row, ledger.CollaboratorsPerUnit),
		MaxMergeRequestsPerRequester: limit(row, ledger.MergeRequestsPerRequesterUnit),
		MaxMergeRequestsPerProject:   limit(row, ledger.MergeRequestsPerOwnerUnit),
	}
	if row.GetUsername() != "" {
		answer.UsernameUpdateAvailableAt = row.GetUsernameLastSetAt() + ledger.UsernameCooldown
	}
	if err := readProfile(snapshot, owner, answer); err != nil {
		return nil, err
	}
	if err := readCounters(snapshot, owner, &answer.LinkCount, &answer.ReactionCount, &answer.VerificationCount); err != nil {
		return nil, err
	}
	return connect.NewResponse(answer), readHoldings(snapshot, owner, answer)
}

func readProfile(snapshot Snapshot, owner ident.Address, answer *pb.GetAccountResponse) error {
	for field, target := range map[pb.AccountDataType]*string{ // each has its own place
		pb.AccountDataType_ACCOUNT_DATA_DISPLAY_NAME: &answer.DisplayName,
		pb.AccountDataType_ACCOUNT_DATA_AVATAR:       &answer.Avatar,
		pb.AccountDataType_ACCOUNT_DATA_BIO:          &answer.Bio,
		pb.AccountDataType_ACCOUNT_DATA_WEBSITE:      &answer.Website,
	} {
		row, err := load[pb.AccountMetadataRow](snapshot, schema.AccountMetadataKey(owner, byte(field)))
		if err != nil {
			return err
		}
		*target = row.GetValue()
	}
	return nil
}

func readCounters(snapshot Snapshot, owner ident.Address, links, reactions, verifications *uint32) error {
	for counter, target := range map[schema.Counter]*uint32{ // each has its own place
		schema.CounterLinks: links, schema.CounterReactions: reactions, schema.CounterVerifications: verifications,
	} {
		row, err := load[pb.CounterRow](snapshot, schema.CounterKey(owner, counter))
		if err != nil {
			return err
		}
		*target = row.GetCount()
	}
	return nil
}

// readHoldings adds the first page of each list an account has. The counts say when there is more, and the
// lists themselves have methods of their own.
func readHoldings(snapshot Snapshot, owner ident.Address, answer *pb.GetAccountResponse) error {
	keys, _, err := keys(snapshot, owner, MaxLimit, nil)
	if err != nil {
		return err
	}
	for _, k := range keys {
		answer.Keys = append(answer.Keys, &pb.KeyEntry{
			Key: k.GetKey(), Scope: k.GetScope(), AllowedProjects: k.GetAllowedProjects(), RequestOwnerAddress: k.GetRequestOwnerAddress(),
		})
	}
	if answer.CustodyKeys, _, err = custodyKeys(snapshot, owner, MaxLimit, nil); err != nil {
		return err
	}
	answer.Verifications, _, err = verifications(snapshot, owner, MaxLimit, nil)
	return err
}

// ListAccounts lists the accounts that messages have named, by address.
func (s *Service) ListAccounts(_ context.Context, req *connect.Request[pb.ListAccountsRequest]) (*connect.Response[pb.ListAccountsResponse], error) {
	return read(s, func(snapshot Snapshot) (*connect.Response[pb.ListAccountsResponse], error) {
		accounts, next, err := pageOf(snapshot, listOf("ListAccounts"), []byte{byte(schema.PrefixAccount)}, req.Msg.GetLimit(), req.Msg.GetCursor(),
			func(key, _ []byte) (*pb.AccountSummary, error) {
				return s.accountSummary(snapshot, ident.Address(key[1:]))
			})
		return connect.NewResponse(&pb.ListAccountsResponse{Accounts: accounts, NextCursor: next}), err
	})
}

// SearchAccounts lists the accounts whose usernames begin with a text, by username.
func (s *Service) SearchAccounts(_ context.Context, req *connect.Request[pb.SearchAccountsRequest]) (*connect.Response[pb.ListAccountsResponse], error) {
	query := req.Msg.GetQuery()
	if query == "" {
		return nil, invalid("query", "is empty")
	}
	return read(s, func(snapshot Snapshot) (*connect.Response[pb.ListAccountsResponse], error) {
		accounts, next, err := pageOf(snapshot, listOf("SearchAccounts", []byte(query)), schema.UsernameKey(query), req.Msg.GetLimit(), req.Msg.GetCursor(),
			func(_, value []byte) (*pb.AccountSummary, error) {
				var row pb.UsernameRow
				if err := schema.Decode(value, &row); err != nil {
					return nil, err
				}
				summary, err := s.accountSummary(snapshot, ident.Address(row.GetOwnerAddress()))
				if err != nil || summary.GetUsername() == "" { // its storage has run out since
					return nil, err
				}
				return summary, nil
			})
		return connect.NewResponse(&pb.ListAccountsResponse{Accounts: accounts, NextCursor: next}), err
	})
}

func (s *Service) accountSummary(snapshot Snapshot, owner ident.Address) (*pb.AccountSummary, error) {
	row, err := s.account(snapshot, owner)
	if err != nil {
		return nil, err
	}
	profile := &pb.GetAccountResponse{}
	if err := readProfile(snapshot, owner, profile); err != nil {
		return nil, err
	}
	summary := &pb.AccountSummary{
		OwnerAddress: owner[:], Username: row.GetUsername(), DisplayName: profile.GetDisplayName(), Avatar: profile.GetAvatar(),
		StorageUnits: row.GetStorageUnits(), ProjectCount: row.GetProjectCount(), KeyCount: row.GetKeyCount(),
	}
	return summary, readCounters(snapshot, owner, &summary.LinkCount, &summary.ReactionCount, &summary.VerificationCount)
}

// ListVerifications lists the verified outside addresses of an account.
func (s *Service) ListVerifications(_ context.Context, req *connect.Request[pb.ListVerificationsRequest]) (*connect.Response[pb.ListVerificationsResponse], error) {
	owner, err := addressField("owner_address", req.Msg.GetOwnerAddress())
	if err != nil {
		return nil, err
	}
	return read(s, func(snapshot Snapshot) (*connect.Response[pb.ListVerificationsResponse], error) {
		entries, next, err := verifications(snapshot, owner, req.Msg.GetLimit(), req.Msg.GetCursor())
		return connect.NewResponse(&pb.ListVerificationsResponse{Verifications: entries, NextCursor: next}), err
	})
}

func verifications(snapshot Snapshot, owner ident.Address, limit uint32, cursor []byte) ([]*pb.VerificationEntry, []byte, error) {
	prefix := schema.VerificationKey(owner, nil)
	return pageOf(snapshot, listOf("ListVerifications", owner[:]), prefix, limit, cursor, func(key, value []byte) (*pb.VerificationEntry, error) {
		var row pb.VerificationRow
		if err := schema.Decode(value, &row); err != nil {
			return nil, err
		}
		return &pb.VerificationEntry{
			VerificationType: row.GetVerificationType(), Address: append([]byte(nil), key[len(prefix):]...),
			ChainId: row.GetChainId(), AddedAt: row.GetTimestamp(),
		}, nil
	})
}
