package rest

import (
	"net/http"

	pb "makechain/gen/makechain"
)

type stateKeyInput struct {
	Key bytesParam `doc:"The key of the row, in hex." path:"keyHex"`
}

type rangeProofInput struct {
	PageQuery

	Prefix bytesParam `doc:"The prefix of the keys of the rows, in hex." path:"prefixHex"`
}

type storageQuotaProofInput struct {
	AccountPath

	AsOf uint32 `doc:"Unix seconds; default: now." maximum:"4294967295" query:"as_of_unix_time"`
}

type projectProofInput struct {
	ProjectPath

	Cursor bytesParam `doc:"next_cursor of the previous page; absent for the first page." query:"cursor"`
}

func (g *Gateway) registerProofs() error {
	get(g, endpoint{
		id: "get-project-proof", path: "/v1/projects/{projectId}/proof", rpcs: []string{"GetProjectProof"}, tag: tagProofs,
		summary: "Get a project, its metadata, its fork parent and its refs with a proof that none is missing", errors: []int{http.StatusConflict},
	}, g.service.GetProjectProof, func(in *projectProofInput) *pb.GetProjectProofRequest {
		return &pb.GetProjectProofRequest{ProjectId: in.Project.bytes, Cursor: in.Cursor.bytes}
	})

	get(g, endpoint{
		id: "list-content", path: "/v1/projects/{projectId}/content", rpcs: []string{"ListContent"}, tag: tagProofs,
		summary: "List the contents of a project with a proof that none is missing", errors: []int{http.StatusConflict},
	}, g.service.ListContent, func(in *projectListInput) *pb.ListContentRequest {
		return &pb.ListContentRequest{ProjectId: in.Project.bytes, Limit: in.Limit, Cursor: in.Cursor.bytes}
	})

	get(g, endpoint{
		id: "get-operation-proof", path: "/v1/proofs/operation/{keyHex}", rpcs: []string{"GetOperationProof"}, tag: tagProofs,
		summary: "Get an existence proof of a row", errors: notFound(),
	}, g.service.GetOperationProof, func(in *stateKeyInput) *pb.GetOperationProofRequest {
		return &pb.GetOperationProofRequest{Key: in.Key.bytes}
	})

	get(g, endpoint{
		id: "get-exclusion-proof", path: "/v1/proofs/exclusion/{keyHex}", rpcs: []string{"GetExclusionProof"}, tag: tagProofs,
		summary: "Get a non-existence proof of a row", errors: []int{http.StatusConflict},
	}, g.service.GetExclusionProof, func(in *stateKeyInput) *pb.GetExclusionProofRequest {
		return &pb.GetExclusionProofRequest{Key: in.Key.bytes}
	})

	get(g, endpoint{
		id: "get-compound-proof", path: "/v1/proofs/compound/{keyHex}", rpcs: []string{"GetCompoundProof"}, tag: tagProofs,
		summary: "Get the proof of the state of a member of a set",
	}, g.service.GetCompoundProof, func(in *stateKeyInput) *pb.GetCompoundProofRequest {
		return &pb.GetCompoundProofRequest{Key: in.Key.bytes}
	})

	get(g, endpoint{
		id: "get-range-proof", path: "/v1/proofs/range/{prefixHex}", rpcs: []string{"GetRangeProof"}, tag: tagProofs,
		summary: "Get a range proof: that a page of rows is complete",
	}, g.service.GetRangeProof, func(in *rangeProofInput) *pb.GetRangeProofRequest {
		return &pb.GetRangeProofRequest{Prefix: in.Prefix.bytes, Limit: in.Limit, Cursor: in.Cursor.bytes}
	})

	get(g, endpoint{
		id: "get-storage-quota-proof", path: "/v1/accounts/{ownerAddress}/storage-quota-proof", rpcs: []string{"GetStorageQuotaProof"}, tag: tagProofs,
		summary: "Get the proof of the storage of an account and of its limits",
	}, g.service.GetStorageQuotaProof, func(in *storageQuotaProofInput) *pb.GetStorageQuotaProofRequest {
		return &pb.GetStorageQuotaProofRequest{OwnerAddress: in.Owner.bytes, AsOfUnixTime: in.AsOf}
	})

	return g.registerVerifiers()
}
