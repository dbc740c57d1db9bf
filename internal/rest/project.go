package rest

import pb "makechain/gen/makechain"

type listProjectsInput struct {
	Page

	Owner addressParam `doc:"Only projects of this account." query:"owner_address"`
}

type searchProjectsInput struct {
	Page

	Query textParam    `doc:"What the name begins with."     query:"query"         required:"true"`
	Owner addressParam `doc:"Only projects of this account." query:"owner_address"`
}

type projectByNameInput struct {
	OfAccount

	Name textParam `doc:"The name of the project." path:"name"`
}

type projectInput struct{ OfProject }

type projectActivityInput struct {
	OfProject
	Limited
	OfTypes
}

type projectListInput struct {
	OfProject
	Page
}

func (g *Gateway) registerProjects() {
	get(g, endpoint{
		id: "list-projects", path: "/v1/projects", rpcs: []string{"ListProjects"}, tag: tagProjects,
		summary: "All projects, or those of an account",
	}, g.upstream.ListProjects, func(in *listProjectsInput) *pb.ListProjectsRequest {
		return &pb.ListProjectsRequest{Limit: in.Limit, Cursor: in.Cursor.bytes, OwnerAddress: in.Owner.bytes}
	})

	get(g, endpoint{
		id: "search-projects", path: "/v1/projects/search", rpcs: []string{"SearchProjects"}, tag: tagProjects,
		summary: "Projects by the beginning of their names",
	}, g.upstream.SearchProjects, func(in *searchProjectsInput) *pb.SearchProjectsRequest {
		return &pb.SearchProjectsRequest{Query: in.Query.text, Limit: in.Limit, Cursor: in.Cursor.bytes, OwnerAddress: in.Owner.bytes}
	})

	get(g, endpoint{
		id: "get-project-by-name", path: "/v1/projects/by-name/{ownerAddress}/{name}", rpcs: []string{"GetProjectByName"}, tag: tagProjects,
		summary: "A project by its owner and name", errors: mayBeAbsent(),
	}, g.upstream.GetProjectByName, func(in *projectByNameInput) *pb.GetProjectByNameRequest {
		return &pb.GetProjectByNameRequest{OwnerAddress: in.Owner.bytes, Name: in.Name.text}
	})

	get(g, endpoint{
		id: "get-project", path: "/v1/projects/{projectId}", rpcs: []string{"GetProject"}, tag: tagProjects,
		summary: "A project by its id", about: "A removed project is answered too; its status says so.", errors: mayBeAbsent(),
	}, g.upstream.GetProject, func(in *projectInput) *pb.GetProjectRequest {
		return &pb.GetProjectRequest{ProjectId: in.Project.bytes}
	})

	get(g, endpoint{
		id: "get-project-activity", path: "/v1/projects/{projectId}/activity", rpcs: []string{"GetProjectActivity"}, tag: tagProjects,
		summary: "The latest messages about a project, newest first", errors: mayBeAbsent(),
	}, g.upstream.GetProjectActivity, func(in *projectActivityInput) *pb.GetProjectActivityRequest {
		return &pb.GetProjectActivityRequest{ProjectId: in.Project.bytes, Limit: in.Limit, Types: messageTypes(in.Types)}
	})

	get(g, endpoint{
		id: "list-collaborators", path: "/v1/projects/{projectId}/collaborators", rpcs: []string{"ListCollaborators"}, tag: tagProjects,
		summary: "Who else may do what in a project", errors: mayBeAbsent(),
	}, g.upstream.ListCollaborators, func(in *projectListInput) *pb.ListCollaboratorsRequest {
		return &pb.ListCollaboratorsRequest{ProjectId: in.Project.bytes, Limit: in.Limit, Cursor: in.Cursor.bytes}
	})

	get(g, endpoint{
		id: "list-stars", path: "/v1/projects/{projectId}/stars", rpcs: []string{listLinksByTarget}, tag: tagProjects,
		summary: "Who has starred a project", errors: mayBeAbsent(),
	}, g.upstream.ListLinksByTarget, func(in *projectListInput) *pb.ListLinksByTargetRequest {
		return &pb.ListLinksByTargetRequest{
			LinkType: pb.LinkType_LINK_TYPE_STAR, Limit: in.Limit, Cursor: in.Cursor.bytes,
			Target: &pb.ListLinksByTargetRequest_TargetProjectId{TargetProjectId: in.Project.bytes},
		}
	})
}
