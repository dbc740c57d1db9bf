package rest

import pb "makechain/gen/makechain"

type keyInput struct {
	AccountPath

	Key idParam `doc:"The delegated key: 64 hex digits." path:"key"`
}

type custodyKeyInput struct {
	AccountPath

	KeyID addressParam `doc:"The id of the custody key: 0x and 40 hex digits." path:"key_id"`
}

func (g *Gateway) registerKeys() {
	get(g, endpoint{
		id: "list-keys", path: "/v1/accounts/{ownerAddress}/keys", rpcs: []string{"ListKeys"}, tag: tagKeys,
		summary: "List the delegated keys of an account",
	}, g.service.ListKeys, func(in *accountListInput) *pb.ListKeysRequest {
		return &pb.ListKeysRequest{OwnerAddress: in.Owner.bytes, Limit: in.Limit, Cursor: in.Cursor.bytes}
	})

	get(g, endpoint{
		id: "get-key", path: "/v1/accounts/{ownerAddress}/keys/{key}", rpcs: []string{"GetKey"}, tag: tagKeys,
		summary: "Get a delegated key of an account", errors: notFound(),
	}, g.service.GetKey, func(in *keyInput) *pb.GetKeyRequest {
		return &pb.GetKeyRequest{OwnerAddress: in.Owner.bytes, Key: in.Key.bytes}
	})

	get(g, endpoint{
		id: "list-custody-keys", path: "/v1/accounts/{ownerAddress}/custody-keys", rpcs: []string{"ListCustodyKeys"}, tag: tagKeys,
		summary: "List the custody keys of an account, including revoked ones",
	}, g.service.ListCustodyKeys, func(in *accountListInput) *pb.ListCustodyKeysRequest {
		return &pb.ListCustodyKeysRequest{OwnerAddress: in.Owner.bytes, Limit: in.Limit, Cursor: in.Cursor.bytes}
	})

	get(g, endpoint{
		id: "get-custody-key", path: "/v1/accounts/{ownerAddress}/custody-keys/{key_id}", rpcs: []string{"GetCustodyKey"}, tag: tagKeys,
		summary: "Get a custody key of an account, even if it is revoked", errors: notFound(),
	}, g.service.GetCustodyKey, func(in *custodyKeyInput) *pb.GetCustodyKeyRequest {
		return &pb.GetCustodyKeyRequest{OwnerAddress: in.Owner.bytes, KeyId: in.KeyID.bytes}
	})
}
