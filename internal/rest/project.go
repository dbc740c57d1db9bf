package rest

import pb "makechain/gen/makechain"

type listProjectsInput struct {
	PageQuery

	Owner addressParam `doc:"Only projects of this account." query:"owner_address"`
}

type searchProjectsInput struct {
	PageQuery

	Query textParam    `doc:"The prefix of the name."        query:"query"         required:"true"`
	Owner addressParam `doc:"Only projects of this account." query:"owner_address"`
}

type projectByNameInput struct {
	AccountPath

	Name textParam `doc:"The name of the project." path:"name"`
}

type projectInput struct{ ProjectPath }

type projectActivityInput struct {
	ProjectPath
	PageQuery
	TypesQuery
}

type projectListInput struct {
	ProjectPath
	PageQuery
}

func (g *Gateway) registerProjects() {
	get(g, endpoint{
		id: "list-projects", path: "/v1/projects", rpcs: []string{"ListProjects"}, tag: tagProjects,
		summary: "List all projects, or those of an account",
	}, g.service.ListProjects, func(in *listProjectsInput) *pb.ListProjectsRequest {
		return &pb.ListProjectsRequest{Limit: in.Limit, Cursor: in.Cursor.bytes, OwnerAddress: in.Owner.bytes}
	})

	get(g, endpoint{
		id: "search-projects", path: "/v1/projects/search", rpcs: []string{"SearchProjects"}, tag: tagProjects,
		summary: "Search projects by the prefix of their name",
	}, g.service.SearchProjects, func(in *searchProjectsInput) *pb.SearchProjectsRequest {
		return &pb.SearchProjectsRequest{Query: in.Query.text, Limit: in.Limit, Cursor: in.Cursor.bytes, OwnerAddress: in.Owner.bytes}
	})

	get(g, endpoint{
		id: "get-project-by-name", path: "/v1/projects/by-name/{ownerAddress}/{name}", rpcs: []string{"GetProjectByName"}, tag: tagProjects,
		summary: "Get a project by its owner and name", errors: notFound(),
	}, g.service.GetProjectByName, func(in *projectByNameInput) *pb.GetProjectByNameRequest {
		return &pb.GetProjectByNameRequest{OwnerAddress: in.Owner.bytes, Name: in.Name.text}
	})

	get(g, endpoint{
		id: "get-project", path: "/v1/projects/{projectId}", rpcs: []string{"GetProject"}, tag: tagProjects,
		summary: "Get a project by its id", description: "A removed project is returned too, with the status removed.", errors: notFound(),
	}, g.service.GetProject, func(in *projectInput) *pb.GetProjectRequest {
		return &pb.GetProjectRequest{ProjectId: in.Project.bytes}
	})

	get(g, endpoint{
		id: "get-project-activity", path: "/v1/projects/{projectId}/activity", rpcs: []string{"GetProjectActivity"}, tag: tagProjects,
		summary: "List the latest messages about a project, newest first", errors: notFound(),
	}, g.service.GetProjectActivity, func(in *projectActivityInput) *pb.GetProjectActivityRequest {
		return &pb.GetProjectActivityRequest{ProjectId: in.Project.bytes, Limit: in.Limit, Cursor: in.Cursor.bytes, Types: messageTypes(in.Types)}
	})

	get(g, endpoint{
		id: "list-collaborators", path: "/v1/projects/{projectId}/collaborators", rpcs: []string{"ListCollaborators"}, tag: tagProjects,
		summary: "List the collaborators of a project and their permissions", errors: notFound(),
	}, g.service.ListCollaborators, func(in *projectListInput) *pb.ListCollaboratorsRequest {
		return &pb.ListCollaboratorsRequest{ProjectId: in.Project.bytes, Limit: in.Limit, Cursor: in.Cursor.bytes}
	})

	get(g, endpoint{
		id: "list-forks", path: "/v1/projects/{projectId}/forks", rpcs: []string{"ListForks"}, tag: tagProjects,
		summary: "List the forks of a project", description: "Removed forks are not listed. The order is that of their ids.", errors: notFound(),
	}, g.service.ListForks, func(in *projectListInput) *pb.ListForksRequest {
		return &pb.ListForksRequest{ProjectId: in.Project.bytes, Limit: in.Limit, Cursor: in.Cursor.bytes}
	})

	get(g, endpoint{
		id: "list-stars", path: "/v1/projects/{projectId}/stars", rpcs: []string{listLinksByTarget}, tag: tagProjects,
		summary: "List the stars of a project", errors: notFound(),
	}, g.service.ListLinksByTarget, func(in *projectListInput) *pb.ListLinksByTargetRequest {
		return &pb.ListLinksByTargetRequest{
			LinkType: pb.LinkType_LINK_TYPE_STAR, Limit: in.Limit, Cursor: in.Cursor.bytes,
			Target: &pb.ListLinksByTargetRequest_TargetProjectId{TargetProjectId: in.Project.bytes},
		}
	})
}
