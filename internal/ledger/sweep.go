package ledger

import (
	"bytes"
	"fmt"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// MaxSweptRows is the maximum number of rows of removed projects that a block deletes (P9.6). The reverse row of a merge
// request and derived rows are deleted with their rows and not counted.
const MaxSweptRows = 1_000

// Sweep deletes rows of removed projects, by project id and then by key. It must be called once after the last message of a
// block with messages; it does nothing in a block without them, whose root must not change (P6.6). An error means that the
// view could not be read or contains rows that this ledger never writes.
func (s *Session) Sweep() error {
	s.rows.commit()
	t := &transition{Session: s}
	for left := MaxSweptRows; left > 0; {
		id, found := t.nextRemoved()
		if !found {
			break
		}
		left -= t.sweepProject(id, left)
	}
	return s.rows.err
}

// nextRemoved returns the first removed project that has rows.
func (s *transition) nextRemoved() (id ident.Hash, found bool) {
	s.rows.scan(schema.RemovedProjectPrefix(), func(key, _ []byte) bool {
		var err error
		id, err = schema.ParseRemovedProjectKey(key)
		s.rows.fail(err)
		found = err == nil
		return false
	})
	return id, found
}

// sweptPrefixes returns the prefixes of the rows of a project that are deleted after its removal, in order. References are
// deleted before what they refer to: refs before commits.
func sweptPrefixes(id ident.Hash) [][]byte {
	refs, collaborators, requests := schema.RefKey(id, nil), schema.CollaboratorPrefix(id), schema.MergeRequestPrefix(id)
	return [][]byte{
		schema.TombstoneKey(refs), schema.TombstoneKey(collaborators), schema.TombstoneKey(requests),
		schema.ProjectMetadataPrefix(id), refs, schema.CommitPrefix(id), collaborators,
		schema.PruneMarkerKey(collaborators), requests, schema.ClosedMergeRequestPrefix(id), schema.ContentPrefix(id),
	}
}

// sweepProject deletes at most limit rows of a project and returns their number. The project is swept when all are deleted.
func (s *transition) sweepProject(id ident.Hash, limit int) (deleted int) {
	project := load[pb.ProjectRow](s.rows, schema.ProjectKey(id))
	if project == nil {
		s.rows.fail(fmt.Errorf("project %s is removed but does not exist", id))
		return limit
	}
	for _, prefix := range sweptPrefixes(id) {
		deleted += s.sweepRows(project, prefix, limit-deleted)
		if deleted == limit {
			s.saveProject(id, project)
			return deleted
		}
	}
	project.Swept = true
	s.saveProject(id, project)
	s.rows.delete(schema.RemovedProjectKey(id))
	return deleted
}

// sweepRows deletes at most limit rows under a prefix, with the rows that depend on them, and updates the counts of the
// project.
func (s *transition) sweepRows(project *pb.ProjectRow, prefix []byte, limit int) int {
	var rows []schema.Change
	s.rows.scan(prefix, func(key, value []byte) bool {
		rows = append(rows, schema.Change{Key: bytes.Clone(key), Value: bytes.Clone(value)})
		return len(rows) < limit
	})
	for _, row := range rows {
		parsed, err := schema.ParseKey(row.Key)
		if err != nil {
			s.rows.fail(err)
			break
		}
		if parsed.Prefix == schema.PrefixClosedMergeRequest {
			s.deleteClosed(row.Key)
		} else {
			s.releaseRequest(&parsed, row.Value)
			s.deleteAged(row.Key)
		}
		if count := countOf(project, &parsed); count != nil {
			*count--
		}
	}
	return len(rows)
}

// releaseRequest deletes the reverse row of a merge request and subtracts it, or its tombstone, from the counts of its
// requester. It does nothing for other rows.
func (s *transition) releaseRequest(key *schema.Key, value []byte) {
	switch {
	case key.Prefix == schema.PrefixMergeRequest:
		var row pb.MergeRequestRow
		s.rows.fail(schema.Decode(value, &row))
		requester := address(row.GetRequesterOwnerAddress())
		s.rows.delete(schema.MergeRequestByRequesterKey(requester, key.Project, key.ID))
		s.countRequest(requester, key.Project, -1)
	case key.Prefix == schema.PrefixTombstone && key.Removed.Prefix == schema.PrefixMergeRequest:
		var row pb.TombstoneRow
		s.rows.fail(schema.Decode(value, &row))
		requester := address(row.GetRequesterOwnerAddress())
		account := s.account(requester)
		account.MergeRequestTombstoneCount--
		s.saveAccount(requester, account)
	}
}

// countOf returns the count of a project that includes a row, nil if there is none.
func countOf(project *pb.ProjectRow, key *schema.Key) *uint32 {
	switch key.Prefix {
	case schema.PrefixRef:
		return &project.RefCount
	case schema.PrefixCommit:
		return &project.CommitCount
	case schema.PrefixCollaborator:
		return &project.CollaboratorCount
	case schema.PrefixMergeRequest:
		return &project.MergeRequestCount
	case schema.PrefixClosedMergeRequest:
		return &project.ClosedMergeRequestCount
	case schema.PrefixContent:
		return &project.ContentCount
	case schema.PrefixPruneMarker:
		return &project.CollaboratorMarkerCount
	case schema.PrefixTombstone:
		switch key.Removed.Prefix {
		case schema.PrefixRef:
			return &project.RefTombstoneCount
		case schema.PrefixCollaborator:
			return &project.CollaboratorTombstoneCount
		case schema.PrefixMergeRequest:
			return &project.MergeRequestTombstoneCount
		}
	}
	return nil
}
