package ledger

import (
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

func (s *transition) collaboratorAdd(b *pb.CollaboratorAddBody) *message.Refusal {
	id, target := hash(b.GetProjectId()), address(b.GetTargetOwnerAddress())
	project, set, refusal := s.collaborators(id, target, b.GetPermission())
	if refusal != nil {
		return refusal
	}
	row := &pb.CollaboratorRow{Timestamp: s.timestamp(), Permission: b.GetPermission()}
	if refusal := s.add(set, schema.CollaboratorKey(id, target), row); refusal != nil {
		return refusal
	}
	s.saveCollaborators(id, project, set)
	return nil
}

func (s *transition) collaboratorRemove(b *pb.CollaboratorRemoveBody) *message.Refusal {
	id, target := hash(b.GetProjectId()), address(b.GetTargetOwnerAddress())
	project, set, refusal := s.collaborators(id, target, pb.Permission_PERMISSION_READ)
	if refusal != nil {
		return refusal
	}
	if refusal := s.remove(set, schema.CollaboratorKey(id, target)); refusal != nil {
		return refusal
	}
	s.saveCollaborators(id, project, set)
	return nil
}

// collaborators returns the project and its set of collaborators if the author may change the entry of target to the
// given permission (P9.7).
func (s *transition) collaborators(id ident.Hash, target ident.Address, permission pb.Permission) (*pb.ProjectRow, *memberSet, *message.Refusal) {
	project, refusal := s.writableProject(id, pb.Permission_PERMISSION_ADMIN)
	if refusal != nil {
		return nil, nil, refusal
	}
	owner := address(project.GetOwnerAddress())
	if target == owner {
		return nil, nil, refuse(message.CodeOwnerTarget, "account %s owns the project and cannot be its collaborator", target)
	}
	held := load[pb.CollaboratorRow](s.rows, schema.CollaboratorKey(id, target)).GetPermission()
	if max(held, permission) == pb.Permission_PERMISSION_OWNER && !s.isCanonicalOwner(project) {
		return nil, nil, deny(message.CodeInsufficientPermission, "only the owner of project %s may grant or change %s", id, pb.Permission_PERMISSION_OWNER)
	}
	units, refusal := s.requireUnits(owner)
	if refusal != nil {
		return nil, nil, refusal
	}
	s.affectAccount(target)
	return project, &memberSet{
		entries:    project.GetCollaboratorCount(),
		tombstones: project.GetCollaboratorTombstoneCount(),
		markers:    project.GetCollaboratorMarkerCount(),
		limit:      schema.CollaboratorsPerUnit * units,
	}, nil
}

func (s *transition) saveCollaborators(id ident.Hash, project *pb.ProjectRow, set *memberSet) {
	project.CollaboratorCount, project.CollaboratorTombstoneCount = set.entries, set.tombstones
	project.CollaboratorMarkerCount = set.markers
	s.saveProject(id, project)
}
