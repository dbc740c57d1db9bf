package ledger

import (
	"bytes"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

// authorizeSigner checks that the signer is a delegated key of the author with the scope and the allowed projects that
// the message needs (P3).
func (s *transition) authorizeSigner() *message.Refusal {
	required, needed := s.RequiredScope()
	if !needed {
		return nil
	}
	row := load[pb.DelegatedKeyRow](s.rows, schema.DelegatedKeyKey(s.Owner, s.Signer))
	if row == nil {
		return deny(message.CodeUnknownSigner, "key %s is not registered to account %s", s.Signer, s.Owner)
	}
	if row.GetScope() > required {
		return deny(message.CodeInsufficientScope, "key %s has scope %s, %s is required", s.Signer, row.GetScope(), required)
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

// CheckSigner checks only that the signer may act for the author according to a view (P3), which is one read.
func (l *Ledger) CheckSigner(view View, m *message.Envelope) (*message.Refusal, error) {
	t := &transition{Session: l.begin(view, Block{}, 1), Envelope: m}
	refusal := t.authorizeSigner()
	return refusal, t.rows.err
}

// loadedProject has the key and the owner of the project that a message read last.
type loadedProject struct {
	id    ident.Hash
	key   []byte // nil if no project was read
	owner ident.Address
}

// existingProject returns a project that is not removed.
func (s *transition) existingProject(id ident.Hash) (*pb.ProjectRow, *message.Refusal) {
	key := schema.ProjectKey(id)
	row := load[pb.ProjectRow](s.rows, key)
	if row == nil {
		return nil, deny(message.CodeUnknownProject, "project %s does not exist", id)
	}
	s.project = loadedProject{id: id, key: key, owner: address(row.GetOwnerAddress())}
	if row.GetStatus() == pb.ProjectStatus_PROJECT_STATUS_REMOVED {
		return nil, deny(message.CodeProjectRemoved, "project %s is removed", id)
	}
	return row, nil
}

// activeProject returns a project that is neither removed nor archived.
func (s *transition) activeProject(id ident.Hash) (*pb.ProjectRow, *message.Refusal) {
	row, refusal := s.existingProject(id)
	if refusal != nil {
		return nil, refusal
	}
	if row.GetStatus() == pb.ProjectStatus_PROJECT_STATUS_ARCHIVED {
		return nil, deny(message.CodeProjectArchived, "project %s is archived", id)
	}
	return row, nil
}

// writableProject returns an active project in which the author has at least the given permission.
func (s *transition) writableProject(id ident.Hash, required pb.Permission) (*pb.ProjectRow, *message.Refusal) {
	row, refusal := s.activeProject(id)
	if refusal != nil {
		return nil, refusal
	}
	if refusal := s.requirePermission(id, row, required); refusal != nil {
		return nil, refusal
	}
	s.affectProject(id)
	return row, nil
}

func (s *transition) requirePermission(id ident.Hash, row *pb.ProjectRow, required pb.Permission) *message.Refusal {
	if s.isCanonicalOwner(row) {
		return nil
	}
	entry := load[pb.CollaboratorRow](s.rows, schema.CollaboratorKey(id, s.Owner))
	if entry == nil {
		return deny(message.CodeInsufficientPermission, "account %s is not a collaborator of project %s, %s is required", s.Owner, id, required)
	}
	if entry.GetPermission() < required {
		return deny(message.CodeInsufficientPermission, "account %s has %s in project %s, %s is required", s.Owner, entry.GetPermission(), id, required)
	}
	return nil
}

// requireRead requires READ permission if a project is private.
func (s *transition) requireRead(id ident.Hash, row *pb.ProjectRow) *message.Refusal {
	if s.metadata(id, pb.ProjectMetadataType_PROJECT_METADATA_VISIBILITY).GetValue() != message.VisibilityPrivate {
		return nil
	}
	return s.requirePermission(id, row, pb.Permission_PERMISSION_READ)
}

func (s *transition) isCanonicalOwner(row *pb.ProjectRow) bool {
	return bytes.Equal(row.GetOwnerAddress(), s.Owner[:])
}

func (s *transition) requireCanonicalOwner(id ident.Hash, row *pb.ProjectRow) *message.Refusal {
	if s.isCanonicalOwner(row) {
		return nil
	}
	return deny(message.CodeInsufficientPermission, "only the owner of project %s may do this, not account %s", id, s.Owner)
}
