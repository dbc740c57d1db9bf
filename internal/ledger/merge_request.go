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
	dropped := s.dropRequestTombstones(s.Owner)
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
	replaced, refusal := s.replacedRequest(id, b.GetReplaces())
	if refusal != nil {
		return refusal
	}
	if refusal := s.checkRequestQuota(id, project, replaced, dropped); refusal != nil {
		return refusal
	}
	key := schema.MergeRequestKey(id, s.Hash)
	if stored := max(s.rows.timestamp(key), s.rows.timestamp(schema.TombstoneKey(key))); s.timestamp() <= stored {
		return s.staleWrite("the merge request or its removal", stored)
	}
	if replaced != nil {
		s.closeRequest(id, hash(b.GetReplaces()), project, replaced, &pb.ClosedMergeRequestRow{
			Outcome: pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_SUPERSEDED, ReplacedBy: s.Hash[:],
		})
	}
	s.rows.put(key, &pb.MergeRequestRow{
		Timestamp: s.timestamp(), RequesterOwnerAddress: s.Owner[:], SourceProjectId: b.GetSourceProjectId(),
		SourceRef: b.GetSourceRef(), SourceCommitHash: b.GetSourceCommitHash(), TargetRef: b.GetTargetRef(), Title: b.GetTitle(),
		Replaces: b.GetReplaces(),
	})
	s.rows.put(schema.MergeRequestByRequesterKey(s.Owner, id, s.Hash), &pb.MergeRequestByRequesterRow{Timestamp: s.timestamp()})
	s.countRequest(s.Owner, id, +1)
	project.MergeRequestCount++
	s.saveProject(id, project)
	s.affectProject(id)
	s.affectProject(sourceID)
	return nil
}

// replacedRequest returns the open merge request of the author that a new one replaces, nil if request is empty.
func (s *transition) replacedRequest(id ident.Hash, request []byte) (*pb.MergeRequestRow, *message.Refusal) {
	if len(request) == 0 {
		return nil, nil
	}
	row := load[pb.MergeRequestRow](s.rows, schema.MergeRequestKey(id, hash(request)))
	if row == nil {
		return nil, refuse(message.CodeNotFound, "project %s has no open merge request %x to replace", id, request)
	}
	if requester := address(row.GetRequesterOwnerAddress()); requester != s.Owner {
		return nil, deny(message.CodeInsufficientPermission, "only account %s, the requester, may replace merge request %x", requester, request)
	}
	if s.timestamp() < row.GetTimestamp() {
		return nil, s.beforeRequest(row)
	}
	return row, nil
}

// beforeRequest refuses a message that is earlier than the merge request it would close.
func (s *transition) beforeRequest(row *pb.MergeRequestRow) *message.Refusal {
	return refuse(message.CodeStaleWrite, "timestamp %d is earlier than %d, the timestamp of the entry", s.timestamp(), row.GetTimestamp())
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
// that one account opens and withdraws use no quota of the project or of other requesters. A request takes the place of the one
// that it replaces, unless a tombstone remains there. dropped is the number of tombstones that this message has dropped.
func (s *transition) checkRequestQuota(id ident.Hash, project *pb.ProjectRow, replaced *pb.MergeRequestRow, dropped int) *message.Refusal {
	ownerUnits, refusal := s.requireUnits(address(project.GetOwnerAddress()))
	if refusal != nil {
		return refusal
	}
	units, refusal := s.requireUnits(s.Owner)
	if refusal != nil {
		return refusal
	}
	if replaced != nil && !s.guards(replaced.GetTimestamp()) {
		return nil
	}
	account := s.account(s.Owner)
	open, closed := uint64(account.GetMergeRequestCount()), uint64(account.GetMergeRequestTombstoneCount())
	if dropped == MaxDroppedPerMessage {
		closed = 0 // more may have to be dropped, and a message that is refused drops none
	}
	if limit := schema.MergeRequestsPerRequesterUnit * units; open+closed >= limit {
		return refuse(message.CodeQuotaExceeded, "the account has %s open and %d closed in the last %d s, the limit of its storage is %d",
			plural(open, "merge request"), closed, GuardPeriod, limit)
	}
	if replaced != nil {
		return nil
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
	closing, refusal := s.closing(id, project, row, b)
	if refusal != nil {
		return refusal
	}
	if s.timestamp() < row.GetTimestamp() {
		return s.beforeRequest(row)
	}
	s.dropRequestTombstones(requester)
	// The tombstones may have been of this project.
	if project = load[pb.ProjectRow](s.rows, schema.ProjectKey(id)); project != nil {
		s.closeRequest(id, request, project, row, closing)
		s.saveProject(id, project)
	}
	s.affectProject(id)
	s.affectAccount(requester)
	return nil
}

// closing returns the outcome of a message that closes a merge request, and the merge commit. The requester may always withdraw
// it; the other outcomes need a project that is not removed, permission, and storage of the project's owner.
func (s *transition) closing(
	id ident.Hash, project *pb.ProjectRow, row *pb.MergeRequestRow, b *pb.MergeRequestRemoveBody,
) (*pb.ClosedMergeRequestRow, *message.Refusal) {
	requester, closing := address(row.GetRequesterOwnerAddress()), &pb.ClosedMergeRequestRow{Outcome: b.GetOutcome()}
	if b.GetOutcome() == pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_UNSPECIFIED {
		closing.Outcome = pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_DECLINED
		if requester == s.Owner {
			closing.Outcome = pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_WITHDRAWN
		}
	}
	if closing.GetOutcome() == pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_WITHDRAWN {
		if requester != s.Owner {
			return nil, deny(message.CodeInsufficientPermission, "only account %s, the requester, may withdraw the merge request", requester)
		}
		return closing, nil
	}
	if project.GetStatus() == pb.ProjectStatus_PROJECT_STATUS_REMOVED {
		return nil, deny(message.CodeProjectRemoved, "project %s is removed", id)
	}
	if refusal := s.requirePermission(id, project, pb.Permission_PERMISSION_WRITE); refusal != nil {
		return nil, refusal
	}
	if _, refusal := s.requireUnits(address(project.GetOwnerAddress())); refusal != nil {
		return nil, refusal
	}
	if closing.GetOutcome() == pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_MERGED {
		if closing.MergeCommit = b.GetMergeCommit(); len(closing.GetMergeCommit()) == 0 {
			closing.MergeCommit = row.GetSourceCommitHash()
		}
		return closing, s.checkMerged(id, row.GetTargetRef(), hash(closing.GetMergeCommit()))
	}
	return closing, nil
}

// checkMerged checks that a ref contains a commit within the limits of a fast-forward.
func (s *transition) checkMerged(id ident.Hash, name []byte, commit ident.Hash) *message.Refusal {
	ref := load[pb.RefRow](s.rows, schema.RefKey(id, name))
	if ref == nil {
		return refuse(message.CodeNotFound, "target_ref does not exist in project %s", id)
	}
	if refusal := s.requireCommit(id, commit); refusal != nil {
		return refusal
	}
	if at := hash(ref.GetHash()); commit != at && !s.isFastForward(id, commit, at) {
		return refuse(message.CodeNotMerged, "%s is not an ancestor of %s, where target_ref is, within %d commits", commit, at, MaxFastForward)
	}
	return nil
}

// closeRequest replaces a merge request by a closed one with the outcome of closing. While the message that opened it could apply
// again, a tombstone remains. The caller saves the project.
func (s *transition) closeRequest(
	id, request ident.Hash, project *pb.ProjectRow, row *pb.MergeRequestRow, closing *pb.ClosedMergeRequestRow,
) {
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
	if project.GetStatus() == pb.ProjectStatus_PROJECT_STATUS_REMOVED {
		return // its rows are being deleted
	}
	s.fixedHeight = true
	closing.BlockNumber, closing.AddedAt, closing.ClosedAt = s.block.Height, row.GetTimestamp(), s.timestamp()
	closing.RequesterOwnerAddress, closing.CloserOwnerAddress = requester[:], s.Owner[:]
	closing.SourceProjectId, closing.SourceRef, closing.SourceCommitHash = row.GetSourceProjectId(), row.GetSourceRef(), row.GetSourceCommitHash()
	closing.TargetRef, closing.Title, closing.Replaces = row.GetTargetRef(), row.GetTitle(), row.GetReplaces()
	s.putClosed(id, request, closing)
	project.ClosedMergeRequestCount++
	s.pruneClosed(id, project)
}

// putClosed stores a closed merge request and its derived rows.
func (s *transition) putClosed(id, request ident.Hash, row *pb.ClosedMergeRequestRow) {
	s.rows.put(schema.ClosedMergeRequestKey(id, request), row)
	age, byRequester, err := schema.ClosedKeys(id, request, row)
	if s.rows.fail(err); err == nil {
		s.rows.insert(age, schema.Present)
		s.rows.insert(byRequester, schema.Present)
	}
}

// deleteClosed deletes a closed merge request and its derived rows.
func (s *transition) deleteClosed(key []byte) {
	parsed, err := schema.ParseKey(key)
	if s.rows.fail(err); err != nil {
		return
	}
	row := load[pb.ClosedMergeRequestRow](s.rows, key)
	age, byRequester, err := schema.ClosedKeys(parsed.Project, parsed.ID, row)
	if s.rows.fail(err); err == nil {
		s.rows.delete(age)
		s.rows.delete(byRequester)
		s.rows.delete(key)
	}
}

// pruneClosed deletes the oldest closed merge requests, by block and then by id, beyond the limit of the owner's storage. The row
// of the owner is read only if a single unit is not enough.
func (s *transition) pruneClosed(id ident.Hash, project *pb.ProjectRow) {
	count := uint64(project.GetClosedMergeRequestCount())
	if count <= schema.ClosedRequestsPerOwnerUnit {
		return
	}
	units := max(1, uint64(UsableUnits(s.sweep(address(project.GetOwnerAddress())))))
	limit := schema.ClosedRequestsPerOwnerUnit * units
	if count <= limit {
		return
	}
	most := int(min(count-limit, MaxPrunedPerMessage))
	var oldest [][]byte
	s.rows.scan(schema.ClosedAgePrefix(id), func(age, _ []byte) bool {
		key, err := schema.ParseClosedAgeKey(age)
		s.rows.fail(err)
		oldest = append(oldest, key)
		return err == nil && len(oldest) < most
	})
	if s.rows.err != nil {
		return
	}
	for _, key := range oldest {
		s.deleteClosed(key)
		project.ClosedMergeRequestCount--
	}
}

// dropRequestTombstones drops tombstones of a requester's merge requests, of any project, that refuse no message any more.
// It writes account and project rows, so callers load theirs afterwards. It returns their number.
func (s *transition) dropRequestTombstones(requester ident.Address) (dropped int) {
	account := s.account(requester)
	if account.GetMergeRequestTombstoneCount() == 0 {
		return 0
	}
	for _, tombstone := range s.expired(schema.RequestAgePrefix(requester), MaxDroppedPerMessage) {
		s.deleteAged(tombstone)
		account.MergeRequestTombstoneCount--
		parsed, err := schema.ParseKey(tombstone)
		if err != nil {
			s.rows.fail(err)
			return dropped
		}
		if project := load[pb.ProjectRow](s.rows, schema.ProjectKey(parsed.Removed.Project)); project != nil {
			project.MergeRequestTombstoneCount--
			s.saveProject(parsed.Removed.Project, project)
		}
		dropped++
	}
	s.saveAccount(requester, account)
	return dropped
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
