package rest

import pb "makechain/gen/makechain"

type refInput struct {
	ProjectPath

	Name bytesParam `doc:"The name of the ref in hex, because it may be any bytes." path:"refNameHex"`
}

type refByNameInput struct {
	ProjectPath

	Name string `doc:"The name of the ref as text." query:"name" required:"true"`
}

type refLogInput struct {
	ProjectPath
	PageQuery

	Name bytesParam `doc:"The name of the ref in hex, because it may be any bytes." path:"refNameHex"`
}

func (g *Gateway) registerRefs() {
	get(g, endpoint{
		id: "list-refs", path: "/v1/projects/{projectId}/refs", rpcs: []string{"ListRefs"}, tag: tagRefs,
		summary: "List the refs of a project", errors: notFound(),
	}, g.service.ListRefs, func(in *projectListInput) *pb.ListRefsRequest {
		return &pb.ListRefsRequest{ProjectId: in.Project.bytes, Limit: in.Limit, Cursor: in.Cursor.bytes}
	})

	get(g, endpoint{
		id: "get-ref", path: "/v1/projects/{projectId}/refs/{refNameHex}", rpcs: []string{"GetRef"}, tag: tagRefs,
		summary: "Get a ref by its name in hex", errors: notFound(),
	}, g.service.GetRef, func(in *refInput) *pb.GetRefRequest {
		return &pb.GetRefRequest{ProjectId: in.Project.bytes, RefName: in.Name.bytes}
	})

	get(g, endpoint{
		id: "get-ref-by-name", path: "/v1/projects/{projectId}/refs/by-name", rpcs: []string{"GetRef"}, tag: tagRefs,
		summary: "Get a ref by its name as text", description: "Bytes that are not UTF-8 can be percent-encoded.", errors: notFound(),
	}, g.service.GetRef, func(in *refByNameInput) *pb.GetRefRequest {
		return &pb.GetRefRequest{ProjectId: in.Project.bytes, RefName: []byte(in.Name)}
	})

	get(g, endpoint{
		id: "get-ref-log", path: "/v1/projects/{projectId}/refs/{refNameHex}/log", rpcs: []string{"GetRefLog"}, tag: tagRefs,
		summary: "List the ref log of a ref, newest first", errors: notFound(),
	}, g.service.GetRefLog, func(in *refLogInput) *pb.GetRefLogRequest {
		return &pb.GetRefLogRequest{ProjectId: in.Project.bytes, RefName: in.Name.bytes, Limit: in.Limit, Cursor: in.Cursor.bytes}
	})
}
