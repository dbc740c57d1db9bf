package ledger

import (
	"bytes"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

// MaxForkDepth is the maximum number of forks between the target and the source of a merge request (P9.8).
const MaxForkDepth = 256

func (s *transition) mergeRequestAdd(b *pb.MergeRequestAddBody) *message.Refusal {
	id, sourceID := hash(b.GetProjectId()), hash(b.GetSourceProjectId())
	project, refusal := s.activeProject(id)
	if refusal != nil {
		return refusal
	}
	if refusal := s.requireRead(id, project); refusal != nil {
		return refusal
	}
	if refusal := s.checkSource(id, sourceID, b); refusal != nil {
		return refusal
	}
	set, refusal := s.mergeRequests(project)
	if refusal != nil {
		return refusal
	}
	if refusal := s.checkRequestQuota(id, project); refusal != nil {
		return refusal
	}
	row := &pb.MergeRequestRow{
		Timestamp: s.timestamp(), RequesterOwnerAddress: s.Owner[:], SourceProjectId: b.GetSourceProjectId(),
		SourceRef: b.GetSourceRef(), SourceCommitHash: b.GetSourceCommitHash(), TargetRef: b.GetTargetRef(), Title: b.GetTitle(),
	}
	if refusal := s.add(set, schema.MergeRequestKey(id, s.Hash), row); refusal != nil {
		return refusal
	}
	s.rows.put(schema.MergeRequestByRequesterKey(s.Owner, id, s.Hash), &pb.MergeRequestByRequesterRow{Timestamp: s.timestamp()})
	s.countRequest(s.Owner, id, +1)
	s.saveMergeRequests(id, project, set)
	s.affectProject(sourceID)
	return nil
}

// checkSource checks the source of a merge request: a readable fork of the target whose ref is at the given commit.
func (s *transition) checkSource(target, sourceID ident.Hash, b *pb.MergeRequestAddBody) *message.Refusal {
	source, refusal := s.existingProject(sourceID)
	if refusal != nil {
		return refusal
	}
	if refusal := s.requireRead(sourceID, source); refusal != nil {
		return refusal
	}
	if !s.descends(sourceID, target) {
		return refuse(message.CodeNotAFork, "project %s is not a fork of %s within %d levels", sourceID, target, MaxForkDepth)
	}
	ref := load[pb.RefRow](s.rows, schema.RefKey(sourceID, b.GetSourceRef()))
	if ref == nil {
		return refuse(message.CodeNotFound, "source_ref does not exist in project %s", sourceID)
	}
	if !bytes.Equal(ref.GetHash(), b.GetSourceCommitHash()) {
		return refuse(message.CodeRefHashMismatch, "source_ref is at %x, not at %x", ref.GetHash(), b.GetSourceCommitHash())
	}
	return s.requireCommit(sourceID, hash(b.GetSourceCommitHash()))
}

// descends reports whether project is a direct or indirect fork of ancestor.
func (s *transition) descends(project, ancestor ident.Hash) bool {
	for range MaxForkDepth {
		parent := load[pb.ForkParentRow](s.rows, schema.ForkParentKey(project))
		if parent == nil {
			return false
		}
		if project = hash(parent.GetSourceProjectId()); project == ancestor {
			return true
		}
	}
	return false
}

// checkRequestQuota checks the open merge requests of the author against the quota over all projects and against the
// quota of this project.
func (s *transition) checkRequestQuota(id ident.Hash, project *pb.ProjectRow) *message.Refusal {
	units, refusal := s.requireUnits(s.Owner)
	if refusal != nil {
		return refusal
	}
	open, limit := uint64(s.account(s.Owner).GetMergeRequestCount()), schema.MergeRequestsPerRequesterUnit*units
	if open >= limit {
		return refuse(message.CodeQuotaExceeded, "the account has %s open, the limit of its storage is %d", plural(open, "merge request"), limit)
	}
	ownerUnits, refusal := s.requireUnits(address(project.GetOwnerAddress()))
	if refusal != nil {
		return refusal
	}
	pair := load[pb.CounterRow](s.rows, schema.MergeRequestPairKey(s.Owner, id))
	open, limit = uint64(pair.GetCount()), schema.MergeRequestsOfOnePerOwnerUnit*ownerUnits
	if open >= limit {
		return refuse(message.CodeQuotaExceeded, "the account has %s open against project %s, the limit of the owner's storage is %d",
			plural(open, "merge request"), id, limit)
	}
	return nil
}

func (s *transition) mergeRequestRemove(b *pb.MergeRequestRemoveBody) *message.Refusal {
	id, request := hash(b.GetProjectId()), hash(b.GetRequestId())
	project := load[pb.ProjectRow](s.rows, schema.ProjectKey(id))
	if project == nil {
		return deny(message.CodeUnknownProject, "project %s does not exist", id)
	}
	key := schema.MergeRequestKey(id, request)
	row := load[pb.MergeRequestRow](s.rows, key)
	if row == nil {
		return refuse(message.CodeNotFound, "project %s has no open merge request %s", id, request)
	}
	var set *memberSet
	if bytes.Equal(row.GetRequesterOwnerAddress(), s.Owner[:]) {
		set = s.requestSet(project, 0) // withdrawing adds nothing to a quota
	} else {
		if project.GetStatus() == pb.ProjectStatus_PROJECT_STATUS_REMOVED {
			return deny(message.CodeProjectRemoved, "project %s is removed", id)
		}
		refusal := s.requirePermission(id, project, pb.Permission_PERMISSION_WRITE)
		if refusal != nil {
			return refusal
		}
		if set, refusal = s.mergeRequests(project); refusal != nil {
			return refusal
		}
	}
	if refusal := s.remove(set, key); refusal != nil {
		return refusal
	}
	s.saveMergeRequests(id, project, set)
	s.affectAccount(address(row.GetRequesterOwnerAddress()))
	return nil
}

// mergeRequests returns the set of merge requests of a project, with the limit of its owner's storage.
func (s *transition) mergeRequests(project *pb.ProjectRow) (*memberSet, *message.Refusal) {
	units, refusal := s.requireUnits(address(project.GetOwnerAddress()))
	if refusal != nil {
		return nil, refusal
	}
	return s.requestSet(project, schema.MergeRequestsPerOwnerUnit*units), nil
}

func (s *transition) requestSet(project *pb.ProjectRow, limit uint64) *memberSet {
	return &memberSet{
		entries:       project.GetMergeRequestCount(),
		tombstones:    project.GetMergeRequestTombstoneCount(),
		limit:         limit,
		deleteReverse: s.deleteRequesterRow,
	}
}

func (s *transition) saveMergeRequests(id ident.Hash, project *pb.ProjectRow, set *memberSet) {
	project.MergeRequestCount, project.MergeRequestTombstoneCount = set.entries, set.tombstones
	s.saveProject(id, project)
	s.affectProject(id)
}

// deleteRequesterRow deletes the row of a merge request under its requester.
func (s *transition) deleteRequesterRow(key, value []byte) {
	parsed, err := schema.ParseKey(key)
	s.rows.fail(err)
	var row pb.MergeRequestRow
	s.rows.fail(schema.Decode(value, &row))
	requester := address(row.GetRequesterOwnerAddress())
	s.rows.delete(schema.MergeRequestByRequesterKey(requester, parsed.Project, parsed.ID))
	s.countRequest(requester, parsed.Project, -1)
}

// countRequest changes the two counts of a requester's open merge requests.
func (s *transition) countRequest(requester ident.Address, project ident.Hash, by int) {
	account := s.account(requester)
	account.MergeRequestCount = uint32(int(account.GetMergeRequestCount()) + by)
	s.saveAccount(requester, account)
	key := schema.MergeRequestPairKey(requester, project)
	count := int(load[pb.CounterRow](s.rows, key).GetCount()) + by
	s.rows.put(key, &pb.CounterRow{Count: uint32(count)})
}
