package fsck

import (
	"bytes"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

// maxRefs is how many refs a project may have (P8.6).
const maxRefs = 200

func (c *checker) project(r row, p *pb.ProjectRow) {
	c.size(r, "owner_address", p.GetOwnerAddress(), ident.AddressSize)
	c.set(r, "status", int32(p.GetStatus()), pb.ProjectStatus_name)
	c.since(r, "created_at", p.GetCreatedAt())
	c.optionalHash(r, "fork_source", p.GetForkSource())
	c.projectCounts(r, p)
	if p.GetRefCount() > maxRefs {
		c.find(OverLimit, r.key, "the project has %d refs, at most %d are allowed", p.GetRefCount(), maxRefs)
	}
	for _, field := range []pb.ProjectMetadataType{
		pb.ProjectMetadataType_PROJECT_METADATA_NAME, pb.ProjectMetadataType_PROJECT_METADATA_VISIBILITY,
	} {
		if key := schema.ProjectMetadataKey(r.Project, byte(field)); c.get(key) == nil {
			c.find(Orphan, key, "the project has no %s", field)
		}
	}
	c.ownName(r, p)
	parent := read[pb.ForkParentRow](c, schema.ForkParentKey(r.Project))
	if !bytes.Equal(parent.GetSourceProjectId(), p.GetForkSource()) {
		c.find(BadLineage, r.key, "fork_source is %x, the fork-parent row says %x", p.GetForkSource(), parent.GetSourceProjectId())
	}
}

func (c *checker) projectCounts(r row, p *pb.ProjectRow) {
	for _, counted := range []struct {
		what   string
		stored uint32
		prefix []byte
	}{
		{"ref_count", p.GetRefCount(), projectPrefix(schema.PrefixRef, r.Project)},
		{"ref_tombstone_count", p.GetRefTombstoneCount(), buriedPrefix(schema.PrefixRef, r.Project)},
		{"commit_count", p.GetCommitCount(), projectPrefix(schema.PrefixCommit, r.Project)},
		{"collaborator_count", p.GetCollaboratorCount(), projectPrefix(schema.PrefixCollaborator, r.Project)},
		{"collaborator_tombstone_count", p.GetCollaboratorTombstoneCount(), buriedPrefix(schema.PrefixCollaborator, r.Project)},
		{"merge_request_count", p.GetMergeRequestCount(), projectPrefix(schema.PrefixMergeRequest, r.Project)},
		{"merge_request_tombstone_count", p.GetMergeRequestTombstoneCount(), buriedPrefix(schema.PrefixMergeRequest, r.Project)},
	} {
		c.equal(r.key, counted.what, counted.stored, c.count(counted.prefix))
	}
}

func buriedPrefix(p schema.Prefix, project ident.Hash) []byte {
	return schema.TombstoneKey(projectPrefix(p, project))
}

// ownName needs the name row of a project that is not removed.
func (c *checker) ownName(r row, p *pb.ProjectRow) {
	if p.GetStatus() == pb.ProjectStatus_PROJECT_STATUS_REMOVED {
		return
	}
	name := c.nameOf(r.Project)
	holder := read[pb.ProjectNameRow](c, schema.ProjectNameKey(address(p.GetOwnerAddress()), name))
	if !bytes.Equal(holder.GetProjectId(), r.Project[:]) {
		c.find(BadName, r.key, "the owner's name row of %q does not lead to this project", name)
	}
}

func (c *checker) nameOf(project ident.Hash) string {
	key := schema.ProjectMetadataKey(project, byte(pb.ProjectMetadataType_PROJECT_METADATA_NAME))
	return read[pb.ProjectMetadataRow](c, key).GetValue()
}

// projectName checks a name row. The project's own check finds that it has one; here none may be stray.
func (c *checker) projectName(r row, n *pb.ProjectNameRow) {
	c.size(r, "project_id", n.GetProjectId(), ident.HashSize)
	c.needAccount(r.Owner)
	id := hash(n.GetProjectId())
	project := read[pb.ProjectRow](c, schema.ProjectKey(id))
	switch {
	case project == nil:
		c.needProject(id)
	case !bytes.Equal(project.GetOwnerAddress(), r.Owner[:]):
		c.find(BadName, r.key, "the name leads to project %s of account %s", id, address(project.GetOwnerAddress()))
	case project.GetStatus() == pb.ProjectStatus_PROJECT_STATUS_REMOVED:
		c.find(BadName, r.key, "the name leads to project %s, which is removed", id)
	case c.nameOf(id) != string(r.Name):
		c.find(BadName, r.key, "the name leads to project %s, whose name is %q", id, c.nameOf(id))
	}
}

func (c *checker) projectMetadata(r row, m *pb.ProjectMetadataRow) {
	c.set(r, "field", int32(r.Tag), pb.ProjectMetadataType_name)
	c.since(r, "timestamp", m.GetTimestamp())
	c.needProject(r.Project)
	visibility := pb.ProjectMetadataType(r.Tag) == pb.ProjectMetadataType_PROJECT_METADATA_VISIBILITY
	if visibility && m.GetValue() != message.VisibilityPublic && m.GetValue() != message.VisibilityPrivate {
		c.find(BadValue, r.key, "visibility is %q", m.GetValue())
	}
}

func (c *checker) forkParent(r row, f *pb.ForkParentRow) {
	c.size(r, "source_project_id", f.GetSourceProjectId(), ident.HashSize)
	c.size(r, "source_commit_hash", f.GetSourceCommitHash(), ident.HashSize)
	c.needProject(r.Project)
	c.needProject(hash(f.GetSourceProjectId()))
}
