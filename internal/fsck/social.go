package fsck

import (
	"bytes"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

func (c *checker) verification(r row, v *pb.VerificationRow) {
	c.since(r, "timestamp", v.GetTimestamp())
	c.set(r, "verification_type", int32(v.GetVerificationType()), pb.VerificationType_name)
	c.needCounter(&r.Key, false)
	c.member(r.key, v.GetTimestamp())
}

func (c *checker) link(r row, l *pb.LinkRow) {
	c.since(r, "timestamp", l.GetTimestamp())
	c.needCounter(&r.Key, false)
	c.member(r.key, l.GetTimestamp())
	c.mirrored(r, schema.LinkByTargetKey(r.Tag, r.LinkTarget(), r.Owner))
	if pb.LinkType(r.Tag) == pb.LinkType_LINK_TYPE_STAR {
		c.needProject(r.Project)
	} else if r.Target == r.Owner {
		c.find(BadKey, r.key, "account %s follows itself", r.Owner)
	}
}

func (c *checker) linkByTarget(r row, _ *pb.LinkRow) {
	c.mirrored(r, schema.LinkKey(r.Owner, r.Tag, r.LinkTarget()))
}

func (c *checker) reaction(r row, l *pb.ReactionRow) {
	c.since(r, "timestamp", l.GetTimestamp())
	c.set(r, "reaction_type", int32(r.Tag), pb.ReactionType_name)
	c.needCounter(&r.Key, false)
	c.member(r.key, l.GetTimestamp())
	c.mirrored(r, schema.ReactionByTargetKey(r.Tag, r.Project, r.ID, r.Owner))
	c.needProject(r.Project)
}

func (c *checker) reactionByTarget(r row, _ *pb.ReactionRow) {
	c.mirrored(r, schema.ReactionKey(r.Owner, r.Tag, r.Project, r.ID))
}

// mirrored needs the same value in the row that repeats this one under its other end.
func (c *checker) mirrored(r row, other []byte) {
	switch value := c.get(other); {
	case value == nil:
		c.find(BadReverseRow, r.key, "the row that repeats it, %x, is missing", other)
	case !bytes.Equal(value, r.value):
		c.find(BadReverseRow, r.key, "the value is %x, the row that repeats it, %x, has %x", r.value, other, value)
	}
}

func (c *checker) collaborator(r row, l *pb.CollaboratorRow) {
	c.since(r, "timestamp", l.GetTimestamp())
	c.known(r, "permission", int32(l.GetPermission()), pb.Permission_name)
	c.needCounter(&r.Key, false)
	c.member(r.key, l.GetTimestamp())
	project := read[pb.ProjectRow](c, schema.ProjectKey(r.Project))
	if bytes.Equal(project.GetOwnerAddress(), r.Owner[:]) {
		c.find(BadValue, r.key, "account %s owns the project and is its collaborator", r.Owner)
	}
}

// needProject needs the row of a project, which stays for ever.
func (c *checker) needProject(id ident.Hash) {
	if key := schema.ProjectKey(id); c.get(key) == nil {
		c.find(Orphan, key, "rows name project %s, which does not exist", id)
	}
}
