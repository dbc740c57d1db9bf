package ledger

import (
	"bytes"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

// MaxForkDepth is how far a merge request's source may descend from its target (P9.8).
const MaxForkDepth = 256

func (s *step) mergeRequestAdd(b *pb.MergeRequestAddBody) *message.Refusal {
	id, sourceID := hash(b.GetProjectId()), hash(b.GetSourceProjectId())
	project, refusal := s.activeProject(id)
	if refusal != nil {
		return refusal
	}
	if refusal := s.needRead(id, project); refusal != nil {
		return refusal
	}
	if refusal := s.checkSource(id, sourceID, b); refusal != nil {
		return refusal
	}
	set, refusal := s.mergeRequests(project)
	if refusal != nil {
		return refusal
	}
	if refusal := s.needRequestQuota(id, project); refusal != nil {
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
	s.touchProject(sourceID)
	return nil
}

// checkSource checks what a merge request offers: a readable descendant whose ref is at the commit named.
func (s *step) checkSource(target, sourceID ident.Hash, b *pb.MergeRequestAddBody) *message.Refusal {
	source, refusal := s.knownProject(sourceID)
	if refusal != nil {
		return refusal
	}
	if refusal := s.needRead(sourceID, source); refusal != nil {
		return refusal
	}
	if !s.descends(sourceID, target) {
		return refuse(message.CodeNotAFork, "project %s does not descend from %s within %d forks", sourceID, target, MaxForkDepth)
	}
	ref := load[pb.RefRow](s.rows, schema.RefKey(sourceID, b.GetSourceRef()))
	if ref == nil {
		return refuse(message.CodeNotFound, "source_ref does not exist in project %s", sourceID)
	}
	if !bytes.Equal(ref.GetHash(), b.GetSourceCommitHash()) {
		return refuse(message.CodeRefHashMismatch, "source_ref is at %x, not at %x", ref.GetHash(), b.GetSourceCommitHash())
	}
	return s.needCommit(sourceID, hash(b.GetSourceCommitHash()))
}

func (s *step) descends(project, ancestor ident.Hash) bool {
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

// needRequestQuota checks what one requester may have open, over all projects and against this one.
func (s *step) needRequestQuota(id ident.Hash, project *pb.ProjectRow) *message.Refusal {
	units, refusal := s.needUnits(s.Owner)
	if refusal != nil {
		return refusal
	}
	open, limit := uint64(s.account(s.Owner).GetMergeRequestCount()), schema.MergeRequestsPerRequesterUnit*units
	if open >= limit {
		return refuse(message.CodeQuotaExceeded, "the account has %s open, its storage allows %d", plural(open, "merge request"), limit)
	}
	ownerUnits, refusal := s.needUnits(address(project.GetOwnerAddress()))
	if refusal != nil {
		return refusal
	}
	pair := load[pb.CounterRow](s.rows, schema.MergeRequestPairKey(s.Owner, id))
	open, limit = uint64(pair.GetCount()), schema.MergeRequestsOfOnePerOwnerUnit*ownerUnits
	if open >= limit {
		return refuse(message.CodeQuotaExceeded, "the account has %s open against project %s, its owner's storage allows %d",
			plural(open, "merge request"), id, limit)
	}
	return nil
}

func (s *step) mergeRequestRemove(b *pb.MergeRequestRemoveBody) *message.Refusal {
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
		// Withdrawing takes nothing from anyone's quota, so it needs none.
		set = s.requestSet(project, 0)
	} else {
		refusal := s.mayClose(id, project)
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
	s.touchAccount(address(row.GetRequesterOwnerAddress()))
	return nil
}

// mayClose checks whether the author may close the merge requests of others against a project.
func (s *step) mayClose(id ident.Hash, project *pb.ProjectRow) *message.Refusal {
	if project.GetStatus() == pb.ProjectStatus_PROJECT_STATUS_REMOVED {
		return deny(message.CodeProjectRemoved, "project %s is removed", id)
	}
	return s.needPermission(id, project, pb.Permission_PERMISSION_WRITE)
}

// mergeRequests opens the merge requests of a project under its owner's quota.
func (s *step) mergeRequests(project *pb.ProjectRow) (*memberSet, *message.Refusal) {
	units, refusal := s.needUnits(address(project.GetOwnerAddress()))
	if refusal != nil {
		return nil, refusal
	}
	return s.requestSet(project, schema.MergeRequestsPerOwnerUnit*units), nil
}

func (s *step) requestSet(project *pb.ProjectRow, limit uint64) *memberSet {
	return &memberSet{
		entries:    project.GetMergeRequestCount(),
		tombstones: project.GetMergeRequestTombstoneCount(),
		limit:      limit,
		forget:     s.forgetRequest,
	}
}

func (s *step) saveMergeRequests(id ident.Hash, project *pb.ProjectRow, set *memberSet) {
	project.MergeRequestCount, project.MergeRequestTombstoneCount = set.entries, set.tombstones
	s.saveProject(id, project)
	s.touchProject(id)
}

func (s *step) forgetRequest(key, value []byte) {
	parsed, err := schema.ParseKey(key)
	s.rows.fail(err)
	var row pb.MergeRequestRow
	s.rows.fail(schema.Decode(value, &row))
	requester := address(row.GetRequesterOwnerAddress())
	s.rows.delete(schema.MergeRequestByRequesterKey(requester, parsed.Project, parsed.ID))
	s.countRequest(requester, parsed.Project, -1)
}

// countRequest keeps the two counts of a requester's open merge requests.
func (s *step) countRequest(requester ident.Address, project ident.Hash, by int) {
	account := s.account(requester)
	account.MergeRequestCount = uint32(int(account.GetMergeRequestCount()) + by)
	s.saveAccount(requester, account)
	key := schema.MergeRequestPairKey(requester, project)
	count := int(load[pb.CounterRow](s.rows, key).GetCount()) + by
	s.rows.put(key, &pb.CounterRow{Count: uint32(count)})
}
