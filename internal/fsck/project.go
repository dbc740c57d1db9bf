package fsck

import (
	"bytes"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

// Limits on the rows of a project (P8.6). Deleting refs is always possible.
const (
	maxRefs     = 5_000
	maxRefRows  = 10_000 // refs and their tombstones
	maxContents = 2_000
)

func (c *checker) project(r row, p *pb.ProjectRow) {
	c.size(r, "owner_address", p.GetOwnerAddress(), ident.AddressSize)
	c.nonZeroEnum(r, "status", int32(p.GetStatus()), pb.ProjectStatus_name)
	c.nonZeroTime(r, "created_at", p.GetCreatedAt())
	c.optionalHash(r, "fork_source", p.GetForkSource())
	c.projectCounts(r, p)
	if p.GetRefCount() > maxRefs {
		c.finding(OverLimit, r.key, "the project has %d refs, at most %d are allowed", p.GetRefCount(), maxRefs)
	}
	if rows := p.GetRefCount() + p.GetRefTombstoneCount(); rows > maxRefRows {
		c.finding(OverLimit, r.key, "the project has %d refs and tombstones of refs, at most %d are allowed", rows, maxRefRows)
	}
	if p.GetContentCount() > maxContents {
		c.finding(OverLimit, r.key, "the project has %d content rows, at most %d are allowed", p.GetContentCount(), maxContents)
	}
	if p.GetStatus() == pb.ProjectStatus_PROJECT_STATUS_REMOVED {
		c.removed(r, p)
	} else {
		c.served(r, p)
	}
	parent := read[pb.ForkParentRow](c, schema.ForkParentKey(r.Project))
	if !bytes.Equal(parent.GetSourceProjectId(), p.GetForkSource()) {
		c.finding(BadLineage, r.key, "fork_source is %x, the fork-parent row has %x", p.GetForkSource(), parent.GetSourceProjectId())
	}
}

// served checks the name and the metadata of a project that is not removed.
func (c *checker) served(r row, p *pb.ProjectRow) {
	for _, field := range []pb.ProjectMetadataType{
		pb.ProjectMetadataType_PROJECT_METADATA_NAME, pb.ProjectMetadataType_PROJECT_METADATA_VISIBILITY,
	} {
		if key := schema.ProjectMetadataKey(r.Project, byte(field)); c.get(key) == nil {
			c.finding(Orphan, key, "the project has no %s", field)
		}
	}
	name := c.nameOf(r.Project)
	holder := read[pb.ProjectNameRow](c, schema.ProjectNameKey(address(p.GetOwnerAddress()), name))
	if !bytes.Equal(holder.GetProjectId(), r.Project[:]) {
		c.finding(BadName, r.key, "the name row of %q under the owner does not name this project", name)
	}
	if p.GetSwept() {
		c.finding(BadRemoval, r.key, "the project is swept but not removed")
	}
}

// removed checks that a removed project is either listed for the sweep or has no other rows.
func (c *checker) removed(r row, p *pb.ProjectRow) {
	listed := schema.RemovedProjectKey(r.Project)
	switch {
	case !p.GetSwept() && c.get(listed) == nil:
		c.finding(BadDerived, listed, "the row of removed project %s is missing", r.Project)
	case p.GetSwept():
		left := c.count(schema.ProjectMetadataPrefix(r.Project)) + p.GetRefCount() + p.GetRefTombstoneCount() + p.GetCommitCount() +
			p.GetCollaboratorCount() + p.GetCollaboratorTombstoneCount() + p.GetCollaboratorMarkerCount() +
			p.GetMergeRequestCount() + p.GetMergeRequestTombstoneCount() + p.GetClosedMergeRequestCount() + p.GetContentCount()
		if left > 0 {
			c.finding(BadRemoval, r.key, "the project is swept but has %d rows", left)
		}
	}
}

// removedProject checks the derived row of a removed project that has rows.
func (c *checker) removedProject(key []byte) {
	id, err := schema.ParseRemovedProjectKey(key)
	if err != nil {
		c.finding(BadKey, key, "%v", err)
		return
	}
	p := read[pb.ProjectRow](c, schema.ProjectKey(id))
	if p.GetStatus() != pb.ProjectStatus_PROJECT_STATUS_REMOVED || p.GetSwept() {
		c.finding(BadDerived, key, "project %s is not removed or is swept", id)
	}
}

func (c *checker) content(r row, m *pb.ContentRow) {
	if m.GetBlockNumber() == 0 {
		c.finding(BadValue, r.key, "block_number is 0")
	}
	c.requireProject(r.Project)
}

func (c *checker) projectCounts(r row, p *pb.ProjectRow) {
	for _, counted := range []struct {
		what   string
		stored uint32
		prefix []byte
	}{
		{"ref_count", p.GetRefCount(), projectPrefix(schema.PrefixRef, r.Project)},
		{"ref_tombstone_count", p.GetRefTombstoneCount(), tombstonePrefix(schema.PrefixRef, r.Project)},
		{"commit_count", p.GetCommitCount(), projectPrefix(schema.PrefixCommit, r.Project)},
		{"collaborator_count", p.GetCollaboratorCount(), projectPrefix(schema.PrefixCollaborator, r.Project)},
		{"collaborator_tombstone_count", p.GetCollaboratorTombstoneCount(), tombstonePrefix(schema.PrefixCollaborator, r.Project)},
		{"collaborator_marker_count", p.GetCollaboratorMarkerCount(), schema.PruneMarkerKey(projectPrefix(schema.PrefixCollaborator, r.Project))},
		{"merge_request_count", p.GetMergeRequestCount(), projectPrefix(schema.PrefixMergeRequest, r.Project)},
		{"closed_merge_request_count", p.GetClosedMergeRequestCount(), projectPrefix(schema.PrefixClosedMergeRequest, r.Project)},
		{"content_count", p.GetContentCount(), projectPrefix(schema.PrefixContent, r.Project)},
		{"merge_request_tombstone_count", p.GetMergeRequestTombstoneCount(), tombstonePrefix(schema.PrefixMergeRequest, r.Project)},
	} {
		c.compareCount(r.key, counted.what, counted.stored, c.count(counted.prefix))
	}
}

func tombstonePrefix(p schema.Prefix, project ident.Hash) []byte {
	return schema.TombstoneKey(projectPrefix(p, project))
}

func (c *checker) nameOf(project ident.Hash) string {
	key := schema.ProjectMetadataKey(project, byte(pb.ProjectMetadataType_PROJECT_METADATA_NAME))
	return read[pb.ProjectMetadataRow](c, key).GetValue()
}

// projectName checks that a name row belongs to a project. That each project has one is checked with the project.
func (c *checker) projectName(r row, n *pb.ProjectNameRow) {
	c.size(r, "project_id", n.GetProjectId(), ident.HashSize)
	c.requireAccount(r.Owner)
	id := hash(n.GetProjectId())
	project := read[pb.ProjectRow](c, schema.ProjectKey(id))
	switch {
	case project == nil:
		c.requireProject(id)
	case !bytes.Equal(project.GetOwnerAddress(), r.Owner[:]):
		c.finding(BadName, r.key, "the name row names project %s of account %s", id, address(project.GetOwnerAddress()))
	case project.GetStatus() == pb.ProjectStatus_PROJECT_STATUS_REMOVED:
		c.finding(BadName, r.key, "the name row names project %s, which is removed", id)
	case c.nameOf(id) != string(r.Name):
		c.finding(BadName, r.key, "the name row names project %s, whose name is %q", id, c.nameOf(id))
	}
}

func (c *checker) projectMetadata(r row, m *pb.ProjectMetadataRow) {
	c.nonZeroEnum(r, "field", int32(r.Tag), pb.ProjectMetadataType_name)
	c.nonZeroTime(r, "timestamp", m.GetTimestamp())
	c.requireProject(r.Project)
	switch pb.ProjectMetadataType(r.Tag) {
	case pb.ProjectMetadataType_PROJECT_METADATA_VISIBILITY:
		if m.GetValue() != message.VisibilityPublic && m.GetValue() != message.VisibilityPrivate {
			c.finding(BadValue, r.key, "visibility is %q, want public or private", m.GetValue())
		}
	case pb.ProjectMetadataType_PROJECT_METADATA_CONTENT:
		if urls := len(message.ContentURLs(m.GetValue())); urls > message.MaxContentURLs {
			c.finding(BadValue, r.key, "the project has %d content URLs, at most %d are allowed", urls, message.MaxContentURLs)
		}
	}
}

func (c *checker) forkParent(r row, f *pb.ForkParentRow) {
	c.size(r, "source_project_id", f.GetSourceProjectId(), ident.HashSize)
	c.size(r, "source_commit_hash", f.GetSourceCommitHash(), ident.HashSize)
	c.requireProject(r.Project)
	c.requireProject(hash(f.GetSourceProjectId()))
}

func (c *checker) ref(r row, f *pb.RefRow) {
	c.enum(r, "ref_type", int32(f.GetRefType()), pb.RefType_name)
	c.size(r, "hash", f.GetHash(), ident.HashSize)
	c.optionalHash(r, "tag_object", f.GetTagObject())
	if len(f.GetTagObject()) > 0 && f.GetRefType() != pb.RefType_REF_TYPE_TAG {
		c.finding(BadRef, r.key, "the ref has a tag object but is not a tag")
	}
	c.nonZeroTime(r, "timestamp", f.GetTimestamp())
	c.requireProject(r.Project)
	if f.GetNonce() == 0 {
		c.finding(BadRef, r.key, "the nonce is 0, but nonces start at 1")
	}
	c.nonZeroTime(r, "floor", f.GetFloor())
	if f.GetTimestamp() < f.GetFloor() {
		c.finding(BadRef, r.key, "the timestamp %d is earlier than %d, when the ref was created", f.GetTimestamp(), f.GetFloor())
	}
	if commit := hash(f.GetHash()); c.get(schema.CommitKey(r.Project, commit)) == nil {
		c.finding(BadRef, r.key, "the ref is at commit %s, which does not exist in the project", commit)
	}
}
