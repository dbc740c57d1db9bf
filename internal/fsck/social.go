package fsck

import (
	"bytes"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

func (c *checker) verification(r row, v *pb.VerificationRow) {
	c.nonZeroTime(r, "timestamp", v.GetTimestamp())
	c.nonZeroEnum(r, "verification_type", int32(v.GetVerificationType()), pb.VerificationType_name)
	c.requireCounter(&r.Key, nil)
	c.requireAge(r.key, v.GetTimestamp())
}

func (c *checker) link(r row, l *pb.LinkRow) {
	c.nonZeroTime(r, "timestamp", l.GetTimestamp())
	c.requireCounter(&r.Key, nil)
	c.requireAge(r.key, l.GetTimestamp())
	c.compareReverse(r, schema.LinkByTargetKey(r.Tag, r.LinkTarget(), r.Owner))
	if pb.LinkType(r.Tag) == pb.LinkType_LINK_TYPE_STAR {
		c.requireProject(r.Project)
	} else if r.Target == r.Owner {
		c.finding(BadKey, r.key, "account %s follows itself", r.Owner)
	}
}

func (c *checker) linkByTarget(r row, _ *pb.LinkRow) {
	c.compareReverse(r, schema.LinkKey(r.Owner, r.Tag, r.LinkTarget()))
}

func (c *checker) reaction(r row, l *pb.ReactionRow) {
	c.nonZeroTime(r, "timestamp", l.GetTimestamp())
	c.nonZeroEnum(r, "reaction_type", int32(r.Tag), pb.ReactionType_name)
	c.requireCounter(&r.Key, nil)
	c.requireAge(r.key, l.GetTimestamp())
	c.compareReverse(r, schema.ReactionByTargetKey(r.Tag, r.Project, r.ID, r.Owner))
	c.requireProject(r.Project)
}

func (c *checker) reactionByTarget(r row, _ *pb.ReactionRow) {
	c.compareReverse(r, schema.ReactionKey(r.Owner, r.Tag, r.Project, r.ID))
}

// compareReverse checks that the reverse row exists and has the same value.
func (c *checker) compareReverse(r row, other []byte) {
	switch value := c.get(other); {
	case value == nil:
		c.finding(BadReverseRow, r.key, "its reverse row %x is missing", other)
	case !bytes.Equal(value, r.value):
		c.finding(BadReverseRow, r.key, "the value is %x, but its reverse row %x has %x", r.value, other, value)
	}
}

func (c *checker) collaborator(r row, l *pb.CollaboratorRow) {
	c.nonZeroTime(r, "timestamp", l.GetTimestamp())
	c.enum(r, "permission", int32(l.GetPermission()), pb.Permission_name)
	c.requireCounter(&r.Key, nil)
	if l.GetPermission() != pb.Permission_PERMISSION_OWNER { // which is never pruned
		c.requireAge(r.key, l.GetTimestamp())
	}
	project := read[pb.ProjectRow](c, schema.ProjectKey(r.Project))
	if bytes.Equal(project.GetOwnerAddress(), r.Owner[:]) {
		c.finding(BadValue, r.key, "account %s is both the owner of the project and a collaborator", r.Owner)
	}
}

// requireProject checks that a project exists. Project rows are never deleted.
func (c *checker) requireProject(id ident.Hash) {
	if key := schema.ProjectKey(id); c.get(key) == nil {
		c.finding(Orphan, key, "rows refer to project %s, which does not exist", id)
	}
}
