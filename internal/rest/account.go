package rest

import pb "makechain/gen/makechain"

type listAccountsInput struct{ Page }

type searchAccountsInput struct {
	Page

	Query textParam `doc:"What the username begins with." query:"query" required:"true"`
}

type accountByKeyInput struct {
	Key idParam `doc:"A delegated key: 64 hex digits." path:"key"`
}

type accountInput struct{ OfAccount }

type accountListInput struct {
	OfAccount
	Page
}

type accountActivityInput struct {
	OfAccount
	Limited
	OfTypes
}

func (g *Gateway) registerAccounts() {
	get(g, endpoint{
		id: "list-accounts", path: "/v1/accounts", rpcs: []string{"ListAccounts"}, tag: tagAccounts,
		summary: "The accounts that messages have named",
	}, g.upstream.ListAccounts, func(in *listAccountsInput) *pb.ListAccountsRequest {
		return &pb.ListAccountsRequest{Limit: in.Limit, Cursor: in.Cursor.bytes}
	})

	get(g, endpoint{
		id: "search-accounts", path: "/v1/accounts/search", rpcs: []string{"SearchAccounts"}, tag: tagAccounts,
		summary: "Accounts by the beginning of their usernames",
	}, g.upstream.SearchAccounts, func(in *searchAccountsInput) *pb.SearchAccountsRequest {
		return &pb.SearchAccountsRequest{Query: in.Query.text, Limit: in.Limit, Cursor: in.Cursor.bytes}
	})

	get(g, endpoint{
		id: "get-account-by-key", path: "/v1/accounts/by-key/{key}", rpcs: []string{"GetAccountByKey"}, tag: tagAccounts,
		summary: "The account of a delegated key", errors: mayBeAbsent(),
	}, g.upstream.GetAccountByKey, func(in *accountByKeyInput) *pb.GetAccountByKeyRequest {
		return &pb.GetAccountByKeyRequest{Key: in.Key.bytes}
	})

	get(g, endpoint{
		id: "get-account", path: "/v1/accounts/{ownerAddress}", rpcs: []string{"GetAccount"}, tag: tagAccounts,
		summary: "An account with its keys, custody keys and custody nonce",
		about:   "Every address is an account, so one that nobody has used is answered too. Keys and verifications are the first page of each.",
	}, g.upstream.GetAccount, func(in *accountInput) *pb.GetAccountRequest {
		return &pb.GetAccountRequest{OwnerAddress: in.Owner.bytes}
	})

	get(g, endpoint{
		id: "get-account-activity", path: "/v1/accounts/{ownerAddress}/activity", rpcs: []string{"GetAccountActivity"}, tag: tagAccounts,
		summary: "The latest messages of an account, newest first",
	}, g.upstream.GetAccountActivity, func(in *accountActivityInput) *pb.GetAccountActivityRequest {
		return &pb.GetAccountActivityRequest{OwnerAddress: in.Owner.bytes, Limit: in.Limit, Types: messageTypes(in.Types)}
	})

	get(g, endpoint{
		id: "list-verifications", path: "/v1/accounts/{ownerAddress}/verifications", rpcs: []string{"ListVerifications"}, tag: tagAccounts,
		summary: "The verified outside addresses of an account",
	}, g.upstream.ListVerifications, func(in *accountListInput) *pb.ListVerificationsRequest {
		return &pb.ListVerificationsRequest{OwnerAddress: in.Owner.bytes, Limit: in.Limit, Cursor: in.Cursor.bytes}
	})
}
