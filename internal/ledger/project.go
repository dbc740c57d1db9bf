package ledger

import (
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

// ProjectsPerGrantedUnit is the maximum number of projects that an account creates, forks included, per unit of storage that
// was ever granted to it (P8.6). The row of a project is never deleted.
const ProjectsPerGrantedUnit = 1_000

// field is a metadata field of a project and its value.
type field struct {
	field pb.ProjectMetadataType
	value string
}

func visibilityText(v pb.Visibility) string {
	if v == pb.Visibility_VISIBILITY_PRIVATE {
		return message.VisibilityPrivate
	}
	return message.VisibilityPublic
}

func (s *transition) projectCreate(b *pb.ProjectCreateBody) *message.Refusal {
	return s.newProject(&pb.ProjectRow{}, []field{
		{pb.ProjectMetadataType_PROJECT_METADATA_NAME, b.GetName()},
		{pb.ProjectMetadataType_PROJECT_METADATA_DESCRIPTION, b.GetDescription()},
		{pb.ProjectMetadataType_PROJECT_METADATA_LICENSE, b.GetLicense()},
		{pb.ProjectMetadataType_PROJECT_METADATA_VISIBILITY, visibilityText(b.GetVisibility())},
	})
}

func (s *transition) fork(b *pb.ForkBody) *message.Refusal {
	sourceID, commit := hash(b.GetSourceProjectId()), hash(b.GetSourceCommitHash())
	source, refusal := s.existingProject(sourceID)
	if refusal != nil {
		return refusal
	}
	if refusal := s.requireRead(sourceID, source); refusal != nil {
		return refusal
	}
	row := load[pb.CommitRow](s.rows, schema.CommitKey(sourceID, commit))
	if row == nil {
		return refuse(message.CodeUnknownCommit, "commit %s does not exist in project %s", commit, sourceID)
	}
	project := &pb.ProjectRow{ForkSource: b.GetSourceProjectId(), CommitCount: 1}
	if content := s.content(sourceID, row.GetContentDigest()); content != nil {
		s.putContent(s.Hash, project, row.GetContentDigest(), content.GetUrl())
	}
	refusal = s.newProject(project, []field{
		{pb.ProjectMetadataType_PROJECT_METADATA_NAME, b.GetName()},
		{pb.ProjectMetadataType_PROJECT_METADATA_VISIBILITY, visibilityText(b.GetVisibility())},
	})
	if refusal != nil {
		return refusal
	}
	s.rows.put(schema.ForkParentKey(s.Hash), &pb.ForkParentRow{
		SourceProjectId: b.GetSourceProjectId(), SourceCommitHash: b.GetSourceCommitHash(),
	})
	s.putCommit(schema.CommitKey(s.Hash, commit), s.Hash, commit, row)
	s.affectProject(sourceID)
	return nil
}

// newProject creates a project of the author whose id is the hash of the message. The first field is the name; empty
// fields have no row.
func (s *transition) newProject(row *pb.ProjectRow, fields []field) *message.Refusal {
	if s.rows.has(schema.ProjectKey(s.Hash)) {
		return refuse(message.CodeDuplicate, "project %s already exists", s.Hash)
	}
	units, refusal := s.requireUnits(s.Owner)
	if refusal != nil {
		return refusal
	}
	account := s.account(s.Owner)
	if limit := schema.ProjectsPerUnit * units; uint64(account.GetProjectCount()) >= limit {
		return refuse(message.CodeQuotaExceeded, "the account has %s, the limit of its storage is %d",
			plural(uint64(account.GetProjectCount()), "project"), limit)
	}
	if limit := ProjectsPerGrantedUnit * uint64(account.GetUnitsGranted()); account.GetProjectsCreated() >= limit {
		return refuse(message.CodeQuotaExceeded, "the account has created %s, the limit of the storage that was ever granted to it is %d",
			plural(account.GetProjectsCreated(), "project"), limit)
	}
	if refusal := s.reserveName(s.Owner, fields[0].value, s.Hash); refusal != nil {
		return refusal
	}
	account.ProjectCount++
	account.ProjectsCreated++
	s.saveAccount(s.Owner, account)
	row.OwnerAddress, row.Status, row.CreatedAt = s.Owner[:], pb.ProjectStatus_PROJECT_STATUS_ACTIVE, s.timestamp()
	s.saveProject(s.Hash, row)
	for _, f := range fields {
		if f.value != "" {
			s.putMetadata(s.Hash, f.field, f.value)
		}
	}
	s.affectProject(s.Hash)
	return nil
}

// reserveName writes the name row of a project unless another project of the owner has the name (P7.1).
func (s *transition) reserveName(owner ident.Address, name string, project ident.Hash) *message.Refusal {
	key := schema.ProjectNameKey(owner, name)
	if holder := load[pb.ProjectNameRow](s.rows, key); holder != nil && hash(holder.GetProjectId()) != project {
		return refuse(message.CodeNameTaken, "the owner already has a project named %q", name)
	}
	s.rows.put(key, &pb.ProjectNameRow{ProjectId: project[:]})
	return nil
}

func (s *transition) saveProject(id ident.Hash, row *pb.ProjectRow) {
	key := s.project.key
	if key == nil || s.project.id != id {
		key = schema.ProjectKey(id)
	}
	s.rows.put(key, row)
}

func (s *transition) metadata(id ident.Hash, f pb.ProjectMetadataType) *pb.ProjectMetadataRow {
	return load[pb.ProjectMetadataRow](s.rows, schema.ProjectMetadataKey(id, byte(f)))
}

func (s *transition) putMetadata(id ident.Hash, f pb.ProjectMetadataType, value string) {
	s.rows.put(schema.ProjectMetadataKey(id, byte(f)), &pb.ProjectMetadataRow{Timestamp: s.timestamp(), Value: value})
}

func (s *transition) projectMetadata(b *pb.ProjectMetadataBody) *message.Refusal {
	permission := pb.Permission_PERMISSION_WRITE
	switch b.GetField() {
	case pb.ProjectMetadataType_PROJECT_METADATA_NAME, pb.ProjectMetadataType_PROJECT_METADATA_VISIBILITY,
		pb.ProjectMetadataType_PROJECT_METADATA_CONTENT:
		permission = pb.Permission_PERMISSION_ADMIN
	}
	id := hash(b.GetProjectId())
	row, refusal := s.writableProject(id, permission)
	if refusal != nil {
		return refusal
	}
	stored := s.metadata(id, b.GetField())
	if last := max(stored.GetTimestamp(), row.GetCreatedAt()); s.timestamp() <= last {
		return s.staleWrite("the stored value", last)
	}
	if b.GetField() == pb.ProjectMetadataType_PROJECT_METADATA_NAME {
		owner := address(row.GetOwnerAddress())
		if refusal := s.reserveName(owner, b.GetValue(), id); refusal != nil {
			return refusal
		}
		if stored.GetValue() != b.GetValue() {
			s.rows.delete(schema.ProjectNameKey(owner, stored.GetValue()))
		}
	}
	s.putMetadata(id, b.GetField(), b.GetValue())
	return nil
}

func (s *transition) projectArchive(b *pb.ProjectArchiveBody) *message.Refusal {
	id := hash(b.GetProjectId())
	row, refusal := s.activeProject(id)
	if refusal != nil {
		return refusal
	}
	if refusal := s.requireCanonicalOwner(id, row); refusal != nil {
		return refusal
	}
	row.Status = pb.ProjectStatus_PROJECT_STATUS_ARCHIVED
	s.saveProject(id, row)
	s.affectProject(id)
	return nil
}

func (s *transition) projectRemove(b *pb.ProjectRemoveBody) *message.Refusal {
	id := hash(b.GetProjectId())
	row, refusal := s.existingProject(id)
	if refusal != nil {
		return refusal
	}
	if refusal := s.requireCanonicalOwner(id, row); refusal != nil {
		return refusal
	}
	name := s.metadata(id, pb.ProjectMetadataType_PROJECT_METADATA_NAME).GetValue()
	s.rows.delete(schema.ProjectNameKey(s.Owner, name))
	account := s.account(s.Owner)
	account.ProjectCount--
	s.saveAccount(s.Owner, account)
	row.Status = pb.ProjectStatus_PROJECT_STATUS_REMOVED
	s.saveProject(id, row)
	s.rows.insert(schema.RemovedProjectKey(id), schema.Present)
	s.affectProject(id)
	return nil
}
