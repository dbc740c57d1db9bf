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
	s.dropRequestTombstones(s.Owner)
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
	if refusal := s.checkRequestQuota(id, project); refusal != nil {
		return refusal
	}
	key := schema.MergeRequestKey(id, s.Hash)
	if stored := max(s.rows.timestamp(key), s.rows.timestamp(schema.TombstoneKey(key))); s.timestamp() <= stored {
		return s.staleWrite("the merge request or its removal", stored)
	}
	s.rows.put(key, &pb.MergeRequestRow{
		Timestamp: s.timestamp(), RequesterOwnerAddress: s.Owner[:], SourceProjectId: b.GetSourceProjectId(),
		SourceRef: b.GetSourceRef(), SourceCommitHash: b.GetSourceCommitHash(), TargetRef: b.GetTargetRef(), Title: b.GetTitle(),
	})
	s.rows.put(schema.MergeRequestByRequesterKey(s.Owner, id, s.Hash), &pb.MergeRequestByRequesterRow{Timestamp: s.timestamp()})
	s.countRequest(s.Owner, id, +1)
	project.MergeRequestCount++
	s.saveProject(id, project)
	s.affectProject(id)
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

// checkRequestQuota checks the three limits on merge requests (P8.6). Tombstones count for their requester only: requests
// that one account opens and withdraws use no quota of the project or of other requesters.
func (s *transition) checkRequestQuota(id ident.Hash, project *pb.ProjectRow) *message.Refusal {
	ownerUnits, refusal := s.requireUnits(address(project.GetOwnerAddress()))
	if refusal != nil {
		return refusal
	}
	units, refusal := s.requireUnits(s.Owner)
	if refusal != nil {
		return refusal
	}
	account := s.account(s.Owner)
	open, closed := uint64(account.GetMergeRequestCount()), uint64(account.GetMergeRequestTombstoneCount())
	if limit := schema.MergeRequestsPerRequesterUnit * units; open+closed >= limit {
		return refuse(message.CodeQuotaExceeded, "the account has %s open and %d closed in the last %d s, the limit of its storage is %d",
			plural(open, "merge request"), closed, GuardPeriod, limit)
	}
	open = uint64(load[pb.CounterRow](s.rows, schema.MergeRequestPairKey(s.Owner, id)).GetCount())
	if limit := schema.MergeRequestsOfOnePerOwnerUnit * ownerUnits; open >= limit {
		return refuse(message.CodeQuotaExceeded, "the account has %s open against project %s, the limit of the owner's storage is %d",
			plural(open, "merge request"), id, limit)
	}
	open = uint64(project.GetMergeRequestCount())
	if limit := schema.MergeRequestsPerOwnerUnit * ownerUnits; open >= limit {
		return refuse(message.CodeQuotaExceeded, "project %s has %s open, the limit of its owner's storage is %d",
			id, plural(open, "merge request"), limit)
	}
	return nil
}

func (s *transition) mergeRequestRemove(b *pb.MergeRequestRemoveBody) *message.Refusal {
	id, request := hash(b.GetProjectId()), hash(b.GetRequestId())
	project := load[pb.ProjectRow](s.rows, schema.ProjectKey(id))
	if project == nil {
		return deny(message.CodeUnknownProject, "project %s does not exist", id)
	}
	row := load[pb.MergeRequestRow](s.rows, schema.MergeRequestKey(id, request))
	if row == nil {
		return refuse(message.CodeNotFound, "project %s has no open merge request %s", id, request)
	}
	requester := address(row.GetRequesterOwnerAddress())
	if requester != s.Owner { // withdrawing is always possible, closing is not
		if project.GetStatus() == pb.ProjectStatus_PROJECT_STATUS_REMOVED {
			return deny(message.CodeProjectRemoved, "project %s is removed", id)
		}
		if refusal := s.requirePermission(id, project, pb.Permission_PERMISSION_WRITE); refusal != nil {
			return refusal
		}
		if _, refusal := s.requireUnits(address(project.GetOwnerAddress())); refusal != nil {
			return refusal
		}
	}
	if s.timestamp() < row.GetTimestamp() {
		return refuse(message.CodeStaleWrite, "timestamp %d is earlier than %d, the timestamp of the entry", s.timestamp(), row.GetTimestamp())
	}
	s.dropRequestTombstones(requester)
	// The tombstones may have been of this project.
	if project = load[pb.ProjectRow](s.rows, schema.ProjectKey(id)); project != nil {
		s.closeRequest(id, request, project, row)
	}
	s.affectProject(id)
	s.affectAccount(requester)
	return nil
}

// closeRequest deletes a merge request. While the message that opened it could apply again, a tombstone remains.
func (s *transition) closeRequest(id, request ident.Hash, project *pb.ProjectRow, row *pb.MergeRequestRow) {
	requester, key := address(row.GetRequesterOwnerAddress()), schema.MergeRequestKey(id, request)
	s.rows.delete(key)
	s.rows.delete(schema.MergeRequestByRequesterKey(requester, id, request))
	s.countRequest(requester, id, -1)
	project.MergeRequestCount--
	if s.guards(row.GetTimestamp()) {
		s.putAged(schema.TombstoneKey(key), &pb.TombstoneRow{Timestamp: s.timestamp(), RequesterOwnerAddress: requester[:]})
		project.MergeRequestTombstoneCount++
		account := s.account(requester)
		account.MergeRequestTombstoneCount++
		s.saveAccount(requester, account)
	}
	s.saveProject(id, project)
}

// dropRequestTombstones drops tombstones of a requester's merge requests, of any project, that refuse no message any more.
// It writes account and project rows, so callers load theirs afterwards.
func (s *transition) dropRequestTombstones(requester ident.Address) {
	account := s.account(requester)
	if account.GetMergeRequestTombstoneCount() == 0 {
		return
	}
	for _, tombstone := range s.expired(schema.RequestAgePrefix(requester), MaxDroppedPerMessage) {
		s.deleteAged(tombstone)
		account.MergeRequestTombstoneCount--
		parsed, err := schema.ParseKey(tombstone)
		if err != nil {
			s.rows.fail(err)
			return
		}
		if project := load[pb.ProjectRow](s.rows, schema.ProjectKey(parsed.Removed.Project)); project != nil {
			project.MergeRequestTombstoneCount--
			s.saveProject(parsed.Removed.Project, project)
		}
	}
	s.saveAccount(requester, account)
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
