package fsck

import (
	"bytes"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

func (c *checker) commit(r row, m *pb.CommitRow) {
	c.size(r, "tree_root", m.GetTreeRoot(), ident.HashSize)
	c.size(r, "message_hash", m.GetMessageHash(), ident.HashSize)
	c.size(r, "author_address", m.GetAuthorAddress(), ident.AddressSize)
	c.optionalHash(r, "content_digest", m.GetContentDigest())
	c.since(r, "bundle_timestamp", m.GetBundleTimestamp())
	for _, parent := range m.GetParents() {
		c.size(r, "parents", parent, ident.HashSize)
	}
	c.needProject(r.Project)
	if age := schema.CommitAgeKey(r.Project, m.GetBlockNumber(), r.ID); c.get(age) == nil {
		c.find(BadDerived, age, "the age row of commit %s is missing", r.ID)
	}
	c.lineage(r, m)
}

func (c *checker) commitAge(key []byte) {
	id, err := schema.ParseCommitAgeKey(key)
	if err != nil {
		c.find(BadKey, key, "%v", err)
		return
	}
	project := hash(key[2 : 2+ident.HashSize])
	m := read[pb.CommitRow](c, schema.CommitKey(project, id))
	if m == nil || !bytes.Equal(schema.CommitAgeKey(project, m.GetBlockNumber(), id), key) {
		c.find(BadDerived, key, "the age row places commit %s in a block that did not bring it", id)
	}
}

// A commit's place is computed from its parents when it arrives, and copied as it is into a fork, without
// them. A commit that was pruned can be declared anew with other parents, so that its children no longer fit
// it. What a commit says about its place is therefore held against those alone that were there before it
// and are there still.

// family is a commit with what there is to know about its surroundings.
type family struct {
	row
	commit *pb.CommitRow
	fork   bool // the project is one
	copied bool // into the fork, without its parents
	pruned bool // the project has lost commits
}

func (c *checker) lineage(r row, m *pb.CommitRow) {
	fork := read[pb.ForkParentRow](c, schema.ForkParentKey(r.Project))
	project := read[pb.ProjectRow](c, schema.ProjectKey(r.Project))
	f := family{
		row:    r,
		commit: m,
		fork:   fork != nil,
		copied: bytes.Equal(fork.GetSourceCommitHash(), r.ID[:]),
		pruned: project.GetPrunedBundleTimestamp() != 0,
	}
	if len(m.GetParents()) == 0 {
		if m.GetGeneration() != 1 || m.GetDepth() != 0 || len(m.GetJump()) > 0 || m.GetJumpDepth() != 0 {
			c.find(BadCommit, r.key, "a commit without parents has generation %d, depth %d, jump %x and jump depth %d",
				m.GetGeneration(), m.GetDepth(), m.GetJump(), m.GetJumpDepth())
		}
		return
	}
	if len(m.GetJump()) != ident.HashSize || m.GetJumpDepth() >= m.GetDepth() || m.GetGeneration() <= m.GetDepth() {
		c.find(BadCommit, r.key, "generation %d, depth %d, jump %x and jump depth %d do not go together",
			m.GetGeneration(), m.GetDepth(), m.GetJump(), m.GetJumpDepth())
		return
	}
	c.generation(f)
	c.jump(f)
}

// earlier reads a commit that a commit's place was computed from: nil when it is gone, or not the one that
// was there then.
func (c *checker) earlier(f family, commit []byte) *pb.CommitRow {
	m := read[pb.CommitRow](c, schema.CommitKey(f.Project, hash(commit)))
	switch then, now := m.GetBlockNumber(), f.commit.GetBlockNumber(); {
	case m == nil || then > now:
		return nil
	case then == now && (f.copied || f.pruned):
		return nil
	default:
		return m
	}
}

// generation checks that a commit is one generation beyond its parents, and that they are there.
func (c *checker) generation(f family) {
	atLeast, all := uint32(1), true
	for _, parent := range f.commit.GetParents() {
		if !f.copied && !f.pruned && c.get(schema.CommitKey(f.Project, hash(parent))) == nil {
			c.find(BadCommit, f.key, "parent %x is missing, and the project never lost a commit", parent)
		}
		m := c.earlier(f, parent)
		if all = all && m != nil; m != nil {
			atLeast = max(atLeast, m.GetGeneration()+1)
		}
	}
	if got := f.commit.GetGeneration(); got < atLeast || all && got != atLeast {
		c.find(BadCommit, f.key, "the generation is %d, after its parents it is %d", got, atLeast)
	}
}

// jump checks a commit's place on its first-parent chain.
func (c *checker) jump(f family) {
	m, first := f.commit, f.commit.GetParents()[0]
	parent := c.earlier(f, first)
	if parent == nil {
		return
	}
	if m.GetDepth() != parent.GetDepth()+1 {
		c.find(BadCommit, f.key, "the depth is %d, that of its first parent %d", m.GetDepth(), parent.GetDepth())
	}
	want, wantDepth := first, parent.GetDepth()
	if len(parent.GetJump()) > 0 {
		// Two jumps of one length before it are joined into one.
		beyond := c.earlier(f, parent.GetJump())
		// In a fork it may have come after this commit, though in the same block.
		if beyond == nil || f.fork && beyond.GetBlockNumber() == m.GetBlockNumber() {
			return
		}
		if len(beyond.GetJump()) > 0 && parent.GetDepth()-parent.GetJumpDepth() == beyond.GetDepth()-beyond.GetJumpDepth() {
			want, wantDepth = beyond.GetJump(), beyond.GetJumpDepth()
		}
	}
	if !bytes.Equal(m.GetJump(), want) || m.GetJumpDepth() != wantDepth {
		c.find(BadCommit, f.key, "it jumps to %x at depth %d, its first parent leads to %x at depth %d", m.GetJump(), m.GetJumpDepth(), want, wantDepth)
	}
}
