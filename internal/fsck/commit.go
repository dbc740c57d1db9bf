package fsck

import (
	"bytes"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

func (c *checker) commit(r row, m *pb.CommitRow) {
	c.size(r, "tree_root", m.GetTreeRoot(), ident.HashSize)
	c.size(r, "message_hash", m.GetMessageHash(), ident.HashSize)
	c.size(r, "author_address", m.GetAuthorAddress(), ident.AddressSize)
	c.optionalHash(r, "content_digest", m.GetContentDigest())
	if size := len(m.GetAuthorName()); size > message.MaxAuthorName {
		c.finding(BadValue, r.key, "author_name has %d bytes, at most %d are allowed", size, message.MaxAuthorName)
	}
	c.nonZeroTime(r, "bundle_timestamp", m.GetBundleTimestamp())
	for _, parent := range m.GetParents() {
		c.size(r, "parents", parent, ident.HashSize)
	}
	c.requireProject(r.Project)
	if age := schema.CommitAgeKey(r.Project, m.GetBlockNumber(), r.ID); c.get(age) == nil {
		c.finding(BadDerived, age, "the age row of commit %s is missing", r.ID)
	}
	c.lineage(r, m)
}

func (c *checker) commitAge(key []byte) {
	id, err := schema.ParseCommitAgeKey(key)
	if err != nil {
		c.finding(BadKey, key, "%v", err)
		return
	}
	project := hash(key[2 : 2+ident.HashSize])
	m := read[pb.CommitRow](c, schema.CommitKey(project, id))
	if m == nil || !bytes.Equal(schema.CommitAgeKey(project, m.GetBlockNumber(), id), key) {
		c.finding(BadDerived, key, "the age row has a block for commit %s that is not its own", id)
	}
}

// The generation, depth and jump pointer of a commit are computed from its parents when it is added, and copied to a fork
// without the parents. A commit that was pruned can be added again with other parents and then no longer matches its
// children. These fields are therefore compared only with commits that existed before the commit and still exist.

// commitContext is a commit with the properties of its project that determine what can be compared.
type commitContext struct {
	row
	commit *pb.CommitRow
	fork   bool // the project is a fork
	copied bool // the commit was copied to the fork, without its parents
	pruned bool // commits of the project were pruned, or are deleted because it is removed
}

func (c *checker) lineage(r row, m *pb.CommitRow) {
	fork := read[pb.ForkParentRow](c, schema.ForkParentKey(r.Project))
	project := read[pb.ProjectRow](c, schema.ProjectKey(r.Project))
	f := commitContext{
		row:    r,
		commit: m,
		fork:   fork != nil,
		copied: bytes.Equal(fork.GetSourceCommitHash(), r.ID[:]),
		pruned: project.GetPrunedBundleTimestamp() != 0 || project.GetStatus() == pb.ProjectStatus_PROJECT_STATUS_REMOVED,
	}
	if len(m.GetParents()) == 0 {
		if m.GetGeneration() != 1 || m.GetDepth() != 0 || len(m.GetJump()) > 0 || m.GetJumpDepth() != 0 {
			c.finding(BadCommit, r.key, "a commit without parents has generation %d, depth %d, jump %x and jump depth %d",
				m.GetGeneration(), m.GetDepth(), m.GetJump(), m.GetJumpDepth())
		}
		return
	}
	if len(m.GetJump()) != ident.HashSize || m.GetJumpDepth() >= m.GetDepth() || m.GetGeneration() <= m.GetDepth() {
		c.finding(BadCommit, r.key, "generation %d, depth %d, jump %x and jump depth %d are inconsistent",
			m.GetGeneration(), m.GetDepth(), m.GetJump(), m.GetJumpDepth())
		return
	}
	c.generation(f)
	c.jump(f)
}

// earlier returns a commit that existed when the commit of f was added. It returns nil if that commit was deleted or may
// have been added again since.
func (c *checker) earlier(f commitContext, commit []byte) *pb.CommitRow {
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

// generation checks that the parents of a commit exist, and that its generation is one more than the largest of theirs.
func (c *checker) generation(f commitContext) {
	atLeast, all := uint32(1), true
	for _, parent := range f.commit.GetParents() {
		if !f.copied && !f.pruned && c.get(schema.CommitKey(f.Project, hash(parent))) == nil {
			c.finding(BadCommit, f.key, "parent %x is missing, but no commit of the project was pruned", parent)
		}
		m := c.earlier(f, parent)
		if all = all && m != nil; m != nil {
			atLeast = max(atLeast, m.GetGeneration()+1)
		}
	}
	if got := f.commit.GetGeneration(); got < atLeast || all && got != atLeast {
		c.finding(BadCommit, f.key, "the generation is %d, want %d after its parents", got, atLeast)
	}
}

// jump checks the depth and the jump pointer of a commit.
func (c *checker) jump(f commitContext) {
	m, first := f.commit, f.commit.GetParents()[0]
	parent := c.earlier(f, first)
	if parent == nil {
		return
	}
	if m.GetDepth() != parent.GetDepth()+1 {
		c.finding(BadCommit, f.key, "the depth is %d, the depth of its first parent is %d", m.GetDepth(), parent.GetDepth())
	}
	want, wantDepth := first, parent.GetDepth()
	if len(parent.GetJump()) > 0 {
		// Two preceding jumps of the same length are combined into one.
		beyond := c.earlier(f, parent.GetJump())
		// In a fork it may have been added after this commit in the same block.
		if beyond == nil || f.fork && beyond.GetBlockNumber() == m.GetBlockNumber() {
			return
		}
		if len(beyond.GetJump()) > 0 && parent.GetDepth()-parent.GetJumpDepth() == beyond.GetDepth()-beyond.GetJumpDepth() {
			want, wantDepth = beyond.GetJump(), beyond.GetJumpDepth()
		}
	}
	if !bytes.Equal(m.GetJump(), want) || m.GetJumpDepth() != wantDepth {
		c.finding(BadCommit, f.key, "the jump is %x at depth %d, want %x at depth %d after its first parent",
			m.GetJump(), m.GetJumpDepth(), want, wantDepth)
	}
}
