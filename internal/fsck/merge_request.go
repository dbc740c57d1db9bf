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
	c.optionalHash(r, "replaces", m.GetReplaces())
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

func (c *checker) closedMergeRequest(r row, m *pb.ClosedMergeRequestRow) {
	c.requireProject(r.Project)
	if m.GetBlockNumber() == 0 {
		c.finding(BadValue, r.key, "block_number is 0")
	}
	c.nonZeroTime(r, "added_at", m.GetAddedAt())
	if m.GetClosedAt() < m.GetAddedAt() {
		c.finding(BadValue, r.key, "closed_at is %d, earlier than added_at %d", m.GetClosedAt(), m.GetAddedAt())
	}
	c.size(r, "requester_owner_address", m.GetRequesterOwnerAddress(), ident.AddressSize)
	c.size(r, "closer_owner_address", m.GetCloserOwnerAddress(), ident.AddressSize)
	c.size(r, "source_project_id", m.GetSourceProjectId(), ident.HashSize)
	c.size(r, "source_commit_hash", m.GetSourceCommitHash(), ident.HashSize)
	c.optionalHash(r, "replaces", m.GetReplaces())
	c.outcome(r, m)
	if c.get(schema.MergeRequestKey(r.Project, r.ID)) != nil {
		c.finding(BadTombstone, r.key, "the merge request is closed and open")
	}
	age, byRequester, err := schema.ClosedKeys(r.Project, r.ID, m)
	if err != nil {
		return // the size of the requester is reported above
	}
	for _, derived := range [][]byte{age, byRequester} {
		if c.get(derived) == nil {
			c.finding(BadDerived, derived, "the derived row of closed merge request %s is missing", r.ID)
		}
	}
}

// outcome checks that the fields of a closed merge request are those of its outcome.
func (c *checker) outcome(r row, m *pb.ClosedMergeRequestRow) {
	c.nonZeroEnum(r, "outcome", int32(m.GetOutcome()), pb.MergeRequestOutcome_name)
	mergeCommit, replacedBy, byRequester := 0, 0, false
	switch m.GetOutcome() {
	case pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_MERGED:
		mergeCommit = ident.HashSize
	case pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_WITHDRAWN:
		byRequester = true
	case pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_SUPERSEDED:
		replacedBy, byRequester = ident.HashSize, true
	}
	c.size(r, "merge_commit", m.GetMergeCommit(), mergeCommit)
	c.size(r, "replaced_by", m.GetReplacedBy(), replacedBy)
	if byRequester && !bytes.Equal(m.GetCloserOwnerAddress(), m.GetRequesterOwnerAddress()) {
		c.finding(BadValue, r.key, "the outcome is %s, but the requester did not close it", m.GetOutcome())
	}
}

// closedDerived checks a derived row of a closed merge request, whose key the row's own key determines.
func (c *checker) closedDerived(key []byte, parse func([]byte) ([]byte, error)) {
	closed, err := parse(key)
	if err != nil {
		c.finding(BadKey, key, "%v", err)
		return
	}
	parsed, err := schema.ParseKey(closed)
	if err != nil {
		c.finding(BadKey, key, "%v", err)
		return
	}
	age, byRequester, err := schema.ClosedKeys(parsed.Project, parsed.ID, read[pb.ClosedMergeRequestRow](c, closed))
	if err != nil || !bytes.Equal(age, key) && !bytes.Equal(byRequester, key) {
		c.finding(BadDerived, key, "there is no closed merge request %s with this key", parsed.ID)
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
