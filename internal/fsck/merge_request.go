package fsck

import (
	"bytes"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// maxForkDepth is the maximum number of forks between the target and the source of a merge request (P9.8).
const maxForkDepth = 256

func (c *checker) mergeRequest(r row, m *pb.MergeRequestRow) {
	c.nonZeroTime(r, "timestamp", m.GetTimestamp())
	c.size(r, "requester_owner_address", m.GetRequesterOwnerAddress(), ident.AddressSize)
	c.size(r, "source_project_id", m.GetSourceProjectId(), ident.HashSize)
	c.size(r, "source_commit_hash", m.GetSourceCommitHash(), ident.HashSize)
	c.requireCounter(&r.Key, nil)
	requester := address(m.GetRequesterOwnerAddress())
	reverse := schema.MergeRequestByRequesterKey(requester, r.Project, r.ID)
	if other := read[pb.MergeRequestByRequesterRow](c, reverse); other.GetTimestamp() != m.GetTimestamp() {
		c.finding(BadReverseRow, r.key, "the timestamp is %d, but in the row under requester %s it is %d",
			m.GetTimestamp(), requester, other.GetTimestamp())
	}
	if source := hash(m.GetSourceProjectId()); !c.descends(source, r.Project) {
		c.finding(BadLineage, r.key, "source %s is not a fork of target %s within %d levels", source, r.Project, maxForkDepth)
	}
}

func (c *checker) descends(project, ancestor ident.Hash) bool {
	for range maxForkDepth {
		parent := read[pb.ForkParentRow](c, schema.ForkParentKey(project))
		if parent == nil {
			return false
		}
		if project = hash(parent.GetSourceProjectId()); project == ancestor {
			return true
		}
	}
	return false
}

func (c *checker) mergeRequestByRequester(r row, _ *pb.MergeRequestByRequesterRow) {
	c.requireAccount(r.Owner)
	request := read[pb.MergeRequestRow](c, schema.MergeRequestKey(r.Project, r.ID))
	if !bytes.Equal(request.GetRequesterOwnerAddress(), r.Owner[:]) {
		c.finding(BadReverseRow, r.key, "project %s has no merge request %s of account %s", r.Project, r.ID, r.Owner)
	}
	if pair := schema.MergeRequestPairKey(r.Owner, r.Project); c.get(pair) == nil {
		c.finding(BadDerived, pair, "the count of merge requests of account %s against project %s is missing", r.Owner, r.Project)
	}
}

// pair checks the derived count of the open merge requests of one account against one project.
func (c *checker) pair(key, value []byte) {
	const size = 1 + ident.AddressSize + ident.HashSize
	if len(key) != size {
		c.finding(BadKey, key, "the key has %d bytes, want %d", len(key), size)
		return
	}
	decode(c, row{key: key, value: value}, func(_ row, n *pb.CounterRow) {
		open := append([]byte{byte(schema.PrefixMergeRequestByRequester)}, key[1:]...)
		if counted := c.count(open); n.GetCount() != counted {
			c.finding(BadDerived, key, "the count is %d, but there are %d such merge requests", n.GetCount(), counted)
		}
	})
}
