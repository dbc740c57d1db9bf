package rpc

import (
	"context"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// GetKey returns one delegated key of an account.
func (s *Service) GetKey(ctx context.Context, req *connect.Request[pb.GetKeyRequest]) (*connect.Response[pb.GetKeyResponse], error) {
	owner, err := addressField("owner_address", req.Msg.GetOwnerAddress())
	if err != nil {
		return nil, err
	}
	key, err := publicKeyField("key", req.Msg.GetKey())
	if err != nil {
		return nil, err
	}
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.GetKeyResponse], error) {
		row, err := load[pb.DelegatedKeyRow](snapshot, schema.DelegatedKeyKey(owner, key))
		if err != nil {
			return nil, err
		}
		if row == nil {
			return nil, notFound("account %s has no key %s", owner, key)
		}
		return connect.NewResponse(keyResponse(key, row)), nil
	})
}

// ListKeys lists the delegated keys of an account.
func (s *Service) ListKeys(ctx context.Context, req *connect.Request[pb.ListKeysRequest]) (*connect.Response[pb.ListKeysResponse], error) {
	owner, err := addressField("owner_address", req.Msg.GetOwnerAddress())
	if err != nil {
		return nil, err
	}
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.ListKeysResponse], error) {
		entries, next, err := keys(snapshot, owner, req.Msg)
		return connect.NewResponse(&pb.ListKeysResponse{Keys: entries, NextCursor: next}), err
	})
}

func keys(snapshot Snapshot, owner ident.Address, req pageRequest) ([]*pb.GetKeyResponse, []byte, error) {
	return readPage(snapshot, newListID("ListKeys", owner[:]), schema.KeyPrefix(owner, schema.FamilyDelegated), req,
		func(key *schema.Key, row *pb.DelegatedKeyRow) (*pb.GetKeyResponse, error) {
			return keyResponse(key.PublicKey, row), nil
		})
}

func keyResponse(key ident.PublicKey, row *pb.DelegatedKeyRow) *pb.GetKeyResponse {
	return &pb.GetKeyResponse{
		Key: key[:], Scope: row.GetScope(), AllowedProjects: row.GetAllowedProjects(),
		AddedAt: row.GetAddedAt(), RequestOwnerAddress: row.GetRequestOwnerAddress(),
	}
}

// GetCustodyKey returns one custody key of an account, which may be revoked.
func (s *Service) GetCustodyKey(ctx context.Context, req *connect.Request[pb.GetCustodyKeyRequest]) (*connect.Response[pb.GetCustodyKeyResponse], error) {
	owner, err := addressField("owner_address", req.Msg.GetOwnerAddress())
	if err != nil {
		return nil, err
	}
	keyID, err := addressField("key_id", req.Msg.GetKeyId())
	if err != nil {
		return nil, err
	}
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.GetCustodyKeyResponse], error) {
		row, err := load[pb.CustodyKeyRow](snapshot, schema.CustodyKeyKey(owner, keyID))
		if err != nil {
			return nil, err
		}
		if row == nil {
			return nil, notFound("account %s has no custody key %s", owner, keyID)
		}
		return connect.NewResponse(&pb.GetCustodyKeyResponse{CustodyKey: custodyKey(keyID, row)}), nil
	})
}

// ListCustodyKeys lists the custody keys of an account, including revoked ones and without the root key (P1.4).
func (s *Service) ListCustodyKeys(ctx context.Context, req *connect.Request[pb.ListCustodyKeysRequest]) (*connect.Response[pb.ListCustodyKeysResponse], error) {
	owner, err := addressField("owner_address", req.Msg.GetOwnerAddress())
	if err != nil {
		return nil, err
	}
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.ListCustodyKeysResponse], error) {
		entries, next, err := custodyKeys(snapshot, owner, req.Msg)
		return connect.NewResponse(&pb.ListCustodyKeysResponse{CustodyKeys: entries, NextCursor: next}), err
	})
}

func custodyKeys(snapshot Snapshot, owner ident.Address, req pageRequest) ([]*pb.CustodyKeyEntry, []byte, error) {
	return readPage(snapshot, newListID("ListCustodyKeys", owner[:]), schema.KeyPrefix(owner, schema.FamilyCustody), req,
		func(key *schema.Key, row *pb.CustodyKeyRow) (*pb.CustodyKeyEntry, error) {
			return custodyKey(key.KeyID, row), nil
		})
}

func custodyKey(keyID ident.Address, row *pb.CustodyKeyRow) *pb.CustodyKeyEntry {
	return &pb.CustodyKeyEntry{
		KeyId: keyID[:], SignatureType: row.GetSignatureType(), PublicKey: row.GetPublicKey(), Admin: row.GetAdmin(),
		ExpiresAt: row.GetExpiresAt(), AddedAt: row.GetAddedAt(), RevokedAt: row.GetRevokedAt(), Status: row.GetStatus(),
	}
}
