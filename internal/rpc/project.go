package rpc

import (
	"context"
	"errors"
	"fmt"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/index"
	"makechain/internal/ledger"
	"makechain/internal/schema"
	"makechain/message"
)

// GetProject returns a project by its id. It may be removed.
func (s *Service) GetProject(ctx context.Context, req *connect.Request[pb.GetProjectRequest]) (*connect.Response[pb.GetProjectResponse], error) {
	id, err := hashField("project_id", req.Msg.GetProjectId())
	if err != nil {
		return nil, err
	}
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.GetProjectResponse], error) {
		return s.respondProject(snapshot, id)
	})
}

// GetProjectByName returns the active or archived project with a name of an owner.
func (s *Service) GetProjectByName(ctx context.Context, req *connect.Request[pb.GetProjectByNameRequest]) (*connect.Response[pb.GetProjectResponse], error) {
	owner, err := addressField("owner_address", req.Msg.GetOwnerAddress())
	if err != nil {
		return nil, err
	}
	if req.Msg.GetName() == "" {
		return nil, invalid("name", "is empty")
	}
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.GetProjectResponse], error) {
		row, err := load[pb.ProjectNameRow](snapshot, schema.ProjectNameKey(owner, req.Msg.GetName()))
		if err != nil {
			return nil, err
		}
		if row == nil {
			return nil, notFound("account %s has no project named %q", owner, req.Msg.GetName())
		}
		id, err := hashIn(row.GetProjectId())
		if err != nil {
			return nil, err
		}
		return s.respondProject(snapshot, id)
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

// project reads a project, nil when there is none.
func (s *Service) project(snapshot Snapshot, id ident.Hash) (*pb.GetProjectResponse, error) {
	row, err := load[pb.ProjectRow](snapshot, schema.ProjectKey(id))
	if err != nil || row == nil {
		return nil, err
	}
	return s.projectOf(snapshot, id, row)
}

func (s *Service) projectOf(snapshot Snapshot, id ident.Hash, row *pb.ProjectRow) (*pb.GetProjectResponse, error) {
	address, err := addressIn(row.GetOwnerAddress())
	if err != nil {
		return nil, fmt.Errorf("project %s: %w", id, err)
	}
	owner, err := s.account(snapshot, address)
	if err != nil {
		return nil, err
	}
	response := &pb.GetProjectResponse{
		ProjectId:         id[:],
		Status:            statusText(row.GetStatus()),
		ForkSource:        row.GetForkSource(),
		OwnerAddress:      row.GetOwnerAddress(),
		RefCount:          row.GetRefCount(),
		CommitCount:       row.GetCommitCount(),
		CollaboratorCount: row.GetCollaboratorCount(),
		MergeRequestCount: row.GetMergeRequestCount(),

		ClosedMergeRequestCount: row.GetClosedMergeRequestCount(),
		MaxRefs:                 ledger.MaxRefs,
		MaxCommits:              ledger.MaxCommits,
		MaxCollaborators:        allowed(owner, schema.CollaboratorsPerUnit),
	}
	return response, readMetadata(snapshot, id, response)
}

// namedProject reads a project that a name row refers to. It exists as long as the name does.
func (s *Service) namedProject(snapshot Snapshot, id ident.Hash) (*pb.GetProjectResponse, error) {
	project, err := s.project(snapshot, id)
	if err == nil && project == nil {
		err = fmt.Errorf("project %s has a name and no row", id)
	}
	return project, err
}

func readMetadata(snapshot Snapshot, id ident.Hash, response *pb.GetProjectResponse) error {
	visibility, content := "", ""
	for _, field := range []struct {
		kind  pb.ProjectMetadataType
		value *string
	}{
		{pb.ProjectMetadataType_PROJECT_METADATA_NAME, &response.Name},
		{pb.ProjectMetadataType_PROJECT_METADATA_DESCRIPTION, &response.Description},
		{pb.ProjectMetadataType_PROJECT_METADATA_LICENSE, &response.License},
		{pb.ProjectMetadataType_PROJECT_METADATA_VISIBILITY, &visibility},
		{pb.ProjectMetadataType_PROJECT_METADATA_CONTENT, &content},
		{pb.ProjectMetadataType_PROJECT_METADATA_DEFAULT_BRANCH, &response.DefaultBranch},
	} {
		row, err := load[pb.ProjectMetadataRow](snapshot, schema.ProjectMetadataKey(id, byte(field.kind)))
		if err != nil {
			return err
		}
		*field.value = row.GetValue()
	}
	response.ContentUrls = message.ContentURLs(content)
	if visibility == message.VisibilityPrivate {
		response.Visibility = pb.Visibility_VISIBILITY_PRIVATE
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

// ListProjects lists projects that are not removed: those of one owner by name, or all by id.
func (s *Service) ListProjects(ctx context.Context, req *connect.Request[pb.ListProjectsRequest]) (*connect.Response[pb.ListProjectsResponse], error) {
	if len(req.Msg.GetOwnerAddress()) > 0 {
		return s.listProjectsOf(ctx, "ListProjects", req.Msg.GetOwnerAddress(), "", req.Msg)
	}
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.ListProjectsResponse], error) {
		projects, next, err := readPage(snapshot, newListID("ListProjects"), []byte{byte(schema.PrefixProject)}, req.Msg,
			func(key *schema.Key, row *pb.ProjectRow) (*pb.GetProjectResponse, error) {
				if row.GetStatus() == pb.ProjectStatus_PROJECT_STATUS_REMOVED {
					return nil, nil
				}
				return s.projectOf(snapshot, key.Project, row)
			})
		return connect.NewResponse(&pb.ListProjectsResponse{Projects: projects, NextCursor: next}), err
	})
}

// listProjectsOf lists the projects of an owner whose names start with a prefix.
func (s *Service) listProjectsOf(
	ctx context.Context, method string, ownerAddress []byte, query string, req pageRequest,
) (*connect.Response[pb.ListProjectsResponse], error) {
	owner, err := addressField("owner_address", ownerAddress)
	if err != nil {
		return nil, err
	}
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.ListProjectsResponse], error) {
		projects, next, err := readPage(snapshot, newListID(method, owner[:], []byte(query)), schema.ProjectNameKey(owner, query), req,
			func(_ *schema.Key, row *pb.ProjectNameRow) (*pb.GetProjectResponse, error) {
				id, err := hashIn(row.GetProjectId())
				if err != nil {
					return nil, err
				}
				return s.namedProject(snapshot, id)
			})
		return connect.NewResponse(&pb.ListProjectsResponse{Projects: projects, NextCursor: next}), err
	})
}

// SearchProjects lists the projects whose names start with a prefix, by name: all, or those of one owner.
func (s *Service) SearchProjects(ctx context.Context, req *connect.Request[pb.SearchProjectsRequest]) (*connect.Response[pb.ListProjectsResponse], error) {
	query := req.Msg.GetQuery()
	if query == "" {
		return nil, invalid("query", "is empty")
	}
	if len(req.Msg.GetOwnerAddress()) > 0 {
		return s.listProjectsOf(ctx, "SearchProjects", req.Msg.GetOwnerAddress(), query, req.Msg)
	}
	names := newListID("SearchProjects", []byte(query))
	after, err := names.after(req.Msg.GetCursor(), []byte(query))
	if err != nil {
		return nil, err
	}
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.ListProjectsResponse], error) {
		maxItems := limitOf(req.Msg.GetLimit())
		found, err := index.NewReader(snapshot).SearchProjects(query, nil, maxItems+1, after) // one more to know whether there is a next page
		if errors.Is(err, index.ErrCursor) {
			return nil, invalid("cursor", "not a cursor of this list")
		}
		if err != nil {
			return nil, err
		}
		response := &pb.ListProjectsResponse{}
		if len(found) > maxItems {
			found = found[:maxItems]
			response.NextCursor = names.cursor(found[maxItems-1].Cursor())
		}
		for _, name := range found {
			project, err := s.namedProject(snapshot, name.Project)
			if err != nil {
				return nil, err
			}
			response.Projects = append(response.Projects, project)
		}
		return connect.NewResponse(response), nil
	})
}

// ListForks lists the forks of a project that are not removed, by id.
func (s *Service) ListForks(ctx context.Context, req *connect.Request[pb.ListForksRequest]) (*connect.Response[pb.ListProjectsResponse], error) {
	return read(ctx, s, func(snapshot Snapshot) (*connect.Response[pb.ListProjectsResponse], error) {
		parent, _, err := existingProject(snapshot, "project_id", req.Msg.GetProjectId())
		if err != nil {
			return nil, err
		}
		if indexed, err := index.NewReader(snapshot).HasForks(); err != nil || !indexed {
			return nil, errors.Join(err, connect.NewError(connect.CodeUnavailable, errors.New("forks are indexed with the next block, try again later")))
		}
		projects, next, err := readKeys(snapshot, newListID("ListForks", parent[:]), index.ForksPrefix(parent), req.Msg,
			func(key, _ []byte) (*pb.GetProjectResponse, error) {
				fork, err := index.ParseFork(key)
				if err != nil {
					return nil, err
				}
				row, err := load[pb.ProjectRow](snapshot, schema.ProjectKey(fork))
				if err != nil || row == nil || row.GetStatus() == pb.ProjectStatus_PROJECT_STATUS_REMOVED {
					return nil, err
				}
				return s.projectOf(snapshot, fork, row)
			})
		return connect.NewResponse(&pb.ListProjectsResponse{Projects: projects, NextCursor: next}), err
	})
}

// existingProject reads the project that a field of a request names. It may be removed.
func existingProject(snapshot Snapshot, field string, value []byte) (ident.Hash, *pb.ProjectRow, error) {
	id, err := hashField(field, value)
	if err != nil {
		return id, nil, err
	}
	row, err := load[pb.ProjectRow](snapshot, schema.ProjectKey(id))
	if err == nil && row == nil {
		err = notFound("project %s does not exist", id)
	}
	return id, row, err
}

// servedProject checks that project_id names a project that is not removed. Refs, commits and collaborators of a removed
// project are not served (P9.6).
func servedProject(snapshot Snapshot, projectID []byte) (ident.Hash, error) {
	id, row, err := existingProject(snapshot, "project_id", projectID)
	if err == nil && row.GetStatus() == pb.ProjectStatus_PROJECT_STATUS_REMOVED {
		err = notFound("project %s is removed", id)
	}
	return id, err
}
