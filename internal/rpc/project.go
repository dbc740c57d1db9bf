package rpc

import (
	"context"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/index"
	"makechain/internal/ledger"
	"makechain/internal/schema"
)

// GetProject answers a project by its id, a removed one too.
func (s *Service) GetProject(_ context.Context, req *connect.Request[pb.GetProjectRequest]) (*connect.Response[pb.GetProjectResponse], error) {
	id, err := hashField("project_id", req.Msg.GetProjectId())
	if err != nil {
		return nil, err
	}
	return read(s, func(snapshot Snapshot) (*connect.Response[pb.GetProjectResponse], error) {
		return s.respondProject(snapshot, id)
	})
}

// GetProjectByName answers the active or archived project of an owner's name.
func (s *Service) GetProjectByName(_ context.Context, req *connect.Request[pb.GetProjectByNameRequest]) (*connect.Response[pb.GetProjectResponse], error) {
	owner, err := addressField("owner_address", req.Msg.GetOwnerAddress())
	if err != nil {
		return nil, err
	}
	if req.Msg.GetName() == "" {
		return nil, invalid("name", "is empty")
	}
	return read(s, func(snapshot Snapshot) (*connect.Response[pb.GetProjectResponse], error) {
		row, err := load[pb.ProjectNameRow](snapshot, schema.ProjectNameKey(owner, req.Msg.GetName()))
		if err != nil {
			return nil, err
		}
		if row == nil {
			return nil, notFound("account %s has no project named %q", owner, req.Msg.GetName())
		}
		return s.respondProject(snapshot, ident.Hash(row.GetProjectId()))
	})
}

func (s *Service) respondProject(snapshot Snapshot, id ident.Hash) (*connect.Response[pb.GetProjectResponse], error) {
	project, err := s.project(snapshot, id)
	if err != nil {
		return nil, err
	}
	if project == nil {
		return nil, notFound("project %s does not exist", id)
	}
	return connect.NewResponse(project), nil
}

// project reads a project as it is served, nil when there is none.
func (s *Service) project(snapshot Snapshot, id ident.Hash) (*pb.GetProjectResponse, error) {
	row, err := load[pb.ProjectRow](snapshot, schema.ProjectKey(id))
	if err != nil || row == nil {
		return nil, err
	}
	owner, err := s.account(snapshot, ident.Address(row.GetOwnerAddress()))
	if err != nil {
		return nil, err
	}
	answer := &pb.GetProjectResponse{
		ProjectId:         id[:],
		Status:            statusText(row.GetStatus()),
		ForkSource:        row.GetForkSource(),
		OwnerAddress:      row.GetOwnerAddress(),
		RefCount:          row.GetRefCount(),
		CommitCount:       row.GetCommitCount(),
		CollaboratorCount: row.GetCollaboratorCount(),
		MergeRequestCount: row.GetMergeRequestCount(),
		MaxRefs:           ledger.MaxRefs,
		MaxCommits:        ledger.MaxCommits,
		MaxCollaborators:  limit(owner, ledger.CollaboratorsPerUnit),
	}
	return answer, readMetadata(snapshot, id, answer)
}

func readMetadata(snapshot Snapshot, id ident.Hash, answer *pb.GetProjectResponse) error {
	visibility := ""
	for field, target := range map[pb.ProjectMetadataType]*string{ // each has its own place
		pb.ProjectMetadataType_PROJECT_METADATA_NAME:        &answer.Name,
		pb.ProjectMetadataType_PROJECT_METADATA_DESCRIPTION: &answer.Description,
		pb.ProjectMetadataType_PROJECT_METADATA_LICENSE:     &answer.License,
		pb.ProjectMetadataType_PROJECT_METADATA_VISIBILITY:  &visibility,
	} {
		row, err := load[pb.ProjectMetadataRow](snapshot, schema.ProjectMetadataKey(id, byte(field)))
		if err != nil {
			return err
		}
		*target = row.GetValue()
	}
	if visibility == ledger.VisibilityPrivate {
		answer.Visibility = pb.Visibility_VISIBILITY_PRIVATE
	}
	return nil
}

func statusText(status pb.ProjectStatus) string {
	switch status {
	case pb.ProjectStatus_PROJECT_STATUS_ARCHIVED:
		return "archived"
	case pb.ProjectStatus_PROJECT_STATUS_REMOVED:
		return "removed"
	default:
		return "active"
	}
}

// ListProjects lists projects that are not removed: one owner's by name, or all of them by id.
func (s *Service) ListProjects(_ context.Context, req *connect.Request[pb.ListProjectsRequest]) (*connect.Response[pb.ListProjectsResponse], error) {
	if len(req.Msg.GetOwnerAddress()) > 0 {
		owner, err := addressField("owner_address", req.Msg.GetOwnerAddress())
		if err != nil {
			return nil, err
		}
		return s.listOwnProjects("ListProjects", owner, "", req.Msg.GetLimit(), req.Msg.GetCursor())
	}
	return read(s, func(snapshot Snapshot) (*connect.Response[pb.ListProjectsResponse], error) {
		projects, next, err := pageOf(snapshot, listOf("ListProjects"), []byte{byte(schema.PrefixProject)}, req.Msg.GetLimit(), req.Msg.GetCursor(),
			func(key, value []byte) (*pb.GetProjectResponse, error) {
				var row pb.ProjectRow
				if err := schema.Decode(value, &row); err != nil || row.GetStatus() == pb.ProjectStatus_PROJECT_STATUS_REMOVED {
					return nil, err
				}
				return s.project(snapshot, ident.Hash(key[1:]))
			})
		return connect.NewResponse(&pb.ListProjectsResponse{Projects: projects, NextCursor: next}), err
	})
}

// listOwnProjects lists the projects of an owner whose names begin with a text.
func (s *Service) listOwnProjects(method string, owner ident.Address, query string, limit uint32, cursor []byte) (*connect.Response[pb.ListProjectsResponse], error) {
	return read(s, func(snapshot Snapshot) (*connect.Response[pb.ListProjectsResponse], error) {
		projects, next, err := pageOf(snapshot, listOf(method, owner[:], []byte(query)), schema.ProjectNameKey(owner, query), limit, cursor,
			func(_, value []byte) (*pb.GetProjectResponse, error) {
				var row pb.ProjectNameRow
				if err := schema.Decode(value, &row); err != nil {
					return nil, err
				}
				return s.project(snapshot, ident.Hash(row.GetProjectId()))
			})
		return connect.NewResponse(&pb.ListProjectsResponse{Projects: projects, NextCursor: next}), err
	})
}

// SearchProjects lists the projects whose names begin with a text, by name: all of them, or one owner's.
func (s *Service) SearchProjects(_ context.Context, req *connect.Request[pb.SearchProjectsRequest]) (*connect.Response[pb.ListProjectsResponse], error) {
	query := req.Msg.GetQuery()
	if query == "" {
		return nil, invalid("query", "is empty")
	}
	if len(req.Msg.GetOwnerAddress()) > 0 {
		owner, err := addressField("owner_address", req.Msg.GetOwnerAddress())
		if err != nil {
			return nil, err
		}
		return s.listOwnProjects("SearchProjects", owner, query, req.Msg.GetLimit(), req.Msg.GetCursor())
	}
	names := listOf("SearchProjects", []byte(query))
	after, err := names.after(req.Msg.GetCursor())
	if err != nil {
		return nil, err
	}
	return read(s, func(snapshot Snapshot) (*connect.Response[pb.ListProjectsResponse], error) {
		most := limitOf(req.Msg.GetLimit())
		found, err := index.NewReader(snapshot).SearchProjects(query, nil, most, after)
		if err != nil {
			return nil, err
		}
		answer := &pb.ListProjectsResponse{}
		for _, name := range found {
			project, err := s.project(snapshot, name.Project)
			if err != nil {
				return nil, err
			}
			answer.Projects = append(answer.Projects, project)
		}
		if len(found) == most {
			answer.NextCursor = names.cursor(found[most-1].Cursor())
		}
		return connect.NewResponse(answer), nil
	})
}

// servedProject checks that a project exists and is not removed: what belongs to it is no longer served then.
func servedProject(snapshot Snapshot, field string, value []byte) (ident.Hash, error) {
	id, err := hashField(field, value)
	if err != nil {
		return id, err
	}
	row, err := load[pb.ProjectRow](snapshot, schema.ProjectKey(id))
	if err != nil {
		return id, err
	}
	if row == nil {
		return id, notFound("project %s does not exist", id)
	}
	if row.GetStatus() == pb.ProjectStatus_PROJECT_STATUS_REMOVED {
		return id, notFound("project %s is removed", id)
	}
	return id, nil
}
