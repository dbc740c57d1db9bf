package rest

import pb "makechain/gen/makechain"

type stateKeyInput struct {
	Key bytesParam `doc:"The key of the row, in hex." path:"keyHex"`
}

type rangeProofInput struct {
	Page

	Prefix bytesParam `doc:"What the keys of the rows begin with, in hex." path:"prefixHex"`
}

type storageQuotaProofInput struct {
	OfAccount

	AsOf uint32 `doc:"Unix seconds; now when left out." maximum:"4294967295" query:"as_of_unix_time"`
}

func (g *Gateway) registerProofs() error {
	get(g, endpoint{
		id: "get-operation-proof", path: "/v1/proofs/operation/{keyHex}", rpcs: []string{"GetOperationProof"}, tag: tagProofs,
		summary: "The proof that a row is there", errors: mayBeAbsent(),
	}, g.upstream.GetOperationProof, func(in *stateKeyInput) *pb.GetOperationProofRequest {
		return &pb.GetOperationProofRequest{Key: in.Key.bytes}
	})

	get(g, endpoint{
		id: "get-exclusion-proof", path: "/v1/proofs/exclusion/{keyHex}", rpcs: []string{"GetExclusionProof"}, tag: tagProofs,
		summary: "The proof that a row is not there", errors: mayBePresent(),
	}, g.upstream.GetExclusionProof, func(in *stateKeyInput) *pb.GetExclusionProofRequest {
		return &pb.GetExclusionProofRequest{Key: in.Key.bytes}
	})

	get(g, endpoint{
		id: "get-compound-proof", path: "/v1/proofs/compound/{keyHex}", rpcs: []string{"GetCompoundProof"}, tag: tagProofs,
		summary: "The proof of what became of a member of a set",
	}, g.upstream.GetCompoundProof, func(in *stateKeyInput) *pb.GetCompoundProofRequest {
		return &pb.GetCompoundProofRequest{Key: in.Key.bytes}
	})

	get(g, endpoint{
		id: "get-range-proof", path: "/v1/proofs/range/{prefixHex}", rpcs: []string{"GetRangeProof"}, tag: tagProofs,
		summary: "The proof that a page of rows is complete",
	}, g.upstream.GetRangeProof, func(in *rangeProofInput) *pb.GetRangeProofRequest {
		return &pb.GetRangeProofRequest{Prefix: in.Prefix.bytes, Limit: in.Limit, Cursor: in.Cursor.bytes}
	})

	get(g, endpoint{
		id: "get-storage-quota-proof", path: "/v1/accounts/{ownerAddress}/storage-quota-proof", rpcs: []string{"GetStorageQuotaProof"}, tag: tagProofs,
		summary: "The proof of the storage that an account has, and of its limits",
	}, g.upstream.GetStorageQuotaProof, func(in *storageQuotaProofInput) *pb.GetStorageQuotaProofRequest {
		return &pb.GetStorageQuotaProofRequest{OwnerAddress: in.Owner.bytes, AsOfUnixTime: in.AsOf}
	})

	return g.registerVerifiers()
}
