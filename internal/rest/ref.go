package rest

import pb "makechain/gen/makechain"

type refInput struct {
	OfProject

	Name bytesParam `doc:"The name of the ref as hex, since it may be any bytes." path:"refNameHex"`
}

type refByNameInput struct {
	OfProject

	Name string `doc:"The name of the ref as text." query:"name" required:"true"`
}

type refLogInput struct {
	OfProject
	Limited

	Name bytesParam `doc:"The name of the ref as hex, since it may be any bytes." path:"refNameHex"`
}

func (g *Gateway) registerRefs() {
	get(g, endpoint{
		id: "list-refs", path: "/v1/projects/{projectId}/refs", rpcs: []string{"ListRefs"}, tag: tagRefs,
		summary: "The refs of a project", errors: mayBeAbsent(),
	}, g.upstream.ListRefs, func(in *projectListInput) *pb.ListRefsRequest {
		return &pb.ListRefsRequest{ProjectId: in.Project.bytes, Limit: in.Limit, Cursor: in.Cursor.bytes}
	})

	get(g, endpoint{
		id: "get-ref", path: "/v1/projects/{projectId}/refs/{refNameHex}", rpcs: []string{"GetRef"}, tag: tagRefs,
		summary: "A ref by its name in hex", errors: mayBeAbsent(),
	}, g.upstream.GetRef, func(in *refInput) *pb.GetRefRequest {
		return &pb.GetRefRequest{ProjectId: in.Project.bytes, RefName: in.Name.bytes}
	})

	get(g, endpoint{
		id: "get-ref-by-name", path: "/v1/projects/{projectId}/refs/by-name", rpcs: []string{"GetRef"}, tag: tagRefs,
		summary: "A ref by its name as text", about: "Bytes that are no text can be percent-encoded.", errors: mayBeAbsent(),
	}, g.upstream.GetRef, func(in *refByNameInput) *pb.GetRefRequest {
		return &pb.GetRefRequest{ProjectId: in.Project.bytes, RefName: []byte(in.Name)}
	})

	get(g, endpoint{
		id: "get-ref-log", path: "/v1/projects/{projectId}/refs/{refNameHex}/log", rpcs: []string{"GetRefLog"}, tag: tagRefs,
		summary: "How a ref moved, newest first", errors: mayBeAbsent(),
	}, g.upstream.GetRefLog, func(in *refLogInput) *pb.GetRefLogRequest {
		return &pb.GetRefLogRequest{ProjectId: in.Project.bytes, RefName: in.Name.bytes, Limit: in.Limit}
	})
}
