package rest

import pb "makechain/gen/makechain"

type listAccountsInput struct{ PageQuery }

type searchAccountsInput struct {
	PageQuery

	Query textParam `doc:"The prefix of the username." query:"query" required:"true"`
}

type accountByKeyInput struct {
	Key idParam `doc:"A delegated key: 64 hex digits." path:"key"`
}

type accountInput struct{ AccountPath }

type accountListInput struct {
	AccountPath
	PageQuery
}

type accountActivityInput struct {
	AccountPath
	PageQuery
	TypesQuery
}

func (g *Gateway) registerAccounts() {
	get(g, endpoint{
		id: "list-accounts", path: "/v1/accounts", rpcs: []string{"ListAccounts"}, tag: tagAccounts,
		summary: "List accounts",
	}, g.service.ListAccounts, func(in *listAccountsInput) *pb.ListAccountsRequest {
		return &pb.ListAccountsRequest{Limit: in.Limit, Cursor: in.Cursor.bytes}
	})

	get(g, endpoint{
		id: "search-accounts", path: "/v1/accounts/search", rpcs: []string{"SearchAccounts"}, tag: tagAccounts,
		summary: "Search accounts by the prefix of their username",
	}, g.service.SearchAccounts, func(in *searchAccountsInput) *pb.SearchAccountsRequest {
		return &pb.SearchAccountsRequest{Query: in.Query.text, Limit: in.Limit, Cursor: in.Cursor.bytes}
	})

	get(g, endpoint{
		id: "get-account-by-key", path: "/v1/accounts/by-key/{key}", rpcs: []string{"GetAccountByKey"}, tag: tagAccounts,
		summary: "Get the account of a delegated key", errors: notFound(),
	}, g.service.GetAccountByKey, func(in *accountByKeyInput) *pb.GetAccountByKeyRequest {
		return &pb.GetAccountByKeyRequest{Key: in.Key.bytes}
	})

	get(g, endpoint{
		id: "get-account", path: "/v1/accounts/{ownerAddress}", rpcs: []string{"GetAccount"}, tag: tagAccounts,
		summary:     "Get an account with its keys, custody keys and custody nonce",
		description: "Every address is an account, so an unused address is returned too. The response has the first page of keys and of verifications.",
	}, g.service.GetAccount, func(in *accountInput) *pb.GetAccountRequest {
		return &pb.GetAccountRequest{OwnerAddress: in.Owner.bytes}
	})

	get(g, endpoint{
		id: "get-account-activity", path: "/v1/accounts/{ownerAddress}/activity", rpcs: []string{"GetAccountActivity"}, tag: tagAccounts,
		summary: "List the latest messages of an account, newest first",
	}, g.service.GetAccountActivity, func(in *accountActivityInput) *pb.GetAccountActivityRequest {
		return &pb.GetAccountActivityRequest{OwnerAddress: in.Owner.bytes, Limit: in.Limit, Cursor: in.Cursor.bytes, Types: messageTypes(in.Types)}
	})

	get(g, endpoint{
		id: "list-verifications", path: "/v1/accounts/{ownerAddress}/verifications", rpcs: []string{"ListVerifications"}, tag: tagAccounts,
		summary: "List the verified external addresses of an account",
	}, g.service.ListVerifications, func(in *accountListInput) *pb.ListVerificationsRequest {
		return &pb.ListVerificationsRequest{OwnerAddress: in.Owner.bytes, Limit: in.Limit, Cursor: in.Cursor.bytes}
	})
}
