package ledger

import (
	"bytes"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

func (s *step) authorizeSigner() *message.Refusal {
	required, needed := s.RequiredScope()
	if !needed {
		return nil
	}
	row := load[pb.DelegatedKeyRow](s.rows, schema.DelegatedKeyKey(s.Owner, s.Signer))
	if row == nil {
		return deny(message.CodeUnknownSigner, "key %s is not registered to account %s", s.Signer, s.Owner)
	}
	if row.GetScope() > required {
		return deny(message.CodeInsufficientScope, "key %s has scope %s, %s is needed", s.Signer, row.GetScope(), required)
	}
	if row.GetScope() != pb.KeyScope_KEY_SCOPE_AGENT || len(row.GetAllowedProjects()) == 0 {
		return nil
	}
	project, _ := s.Project()
	for _, allowed := range row.GetAllowedProjects() {
		if bytes.Equal(allowed, project[:]) {
			return nil
		}
	}
	return deny(message.CodeProjectNotAllowed, "key %s may not act on project %s", s.Signer, project)
}

// knownProject finds a project that is not removed.
func (s *step) knownProject(id ident.Hash) (*pb.ProjectRow, *message.Refusal) {
	row := load[pb.ProjectRow](s.rows, schema.ProjectKey(id))
	if row == nil {
		return nil, deny(message.CodeUnknownProject, "project %s does not exist", id)
	}
	if row.GetStatus() == pb.ProjectStatus_PROJECT_STATUS_REMOVED {
		return nil, deny(message.CodeProjectRemoved, "project %s is removed", id)
	}
	return row, nil
}

// activeProject finds a project that can be written to.
func (s *step) activeProject(id ident.Hash) (*pb.ProjectRow, *message.Refusal) {
	row, refusal := s.knownProject(id)
	if refusal != nil {
		return nil, refusal
	}
	if row.GetStatus() == pb.ProjectStatus_PROJECT_STATUS_ARCHIVED {
		return nil, deny(message.CodeProjectArchived, "project %s is archived", id)
	}
	return row, nil
}

// writableProject finds an active project in which the author has a permission.
func (s *step) writableProject(id ident.Hash, need pb.Permission) (*pb.ProjectRow, *message.Refusal) {
	row, refusal := s.activeProject(id)
	if refusal != nil {
		return nil, refusal
	}
	if refusal := s.needPermission(id, row, need); refusal != nil {
		return nil, refusal
	}
	s.touchProject(id)
	return row, nil
}

func (s *step) needPermission(id ident.Hash, row *pb.ProjectRow, need pb.Permission) *message.Refusal {
	if s.isCanonicalOwner(row) {
		return nil
	}
	entry := load[pb.CollaboratorRow](s.rows, schema.CollaboratorKey(id, s.Owner))
	if entry == nil {
		return deny(message.CodeInsufficientPermission, "account %s is no collaborator of project %s, %s is needed", s.Owner, id, need)
	}
	if entry.GetPermission() < need {
		return deny(message.CodeInsufficientPermission, "account %s has %s in project %s, %s is needed", s.Owner, entry.GetPermission(), id, need)
	}
	return nil
}

// needRead asks for READ where a project is private.
func (s *step) needRead(id ident.Hash, row *pb.ProjectRow) *message.Refusal {
	if s.metadata(id, pb.ProjectMetadataType_PROJECT_METADATA_VISIBILITY).GetValue() != message.VisibilityPrivate {
		return nil
	}
	return s.needPermission(id, row, pb.Permission_PERMISSION_READ)
}

func (s *step) isCanonicalOwner(row *pb.ProjectRow) bool {
	return bytes.Equal(row.GetOwnerAddress(), s.Owner[:])
}

func (s *step) needCanonicalOwner(id ident.Hash, row *pb.ProjectRow) *message.Refusal {
	if s.isCanonicalOwner(row) {
		return nil
	}
	return deny(message.CodeInsufficientPermission, "only the owner of project %s may do this, account %s is not", id, s.Owner)
}
