package ledger

import (
	"bytes"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

// Limits on the refs of a project (P8.6).
const (
	MaxRefs = 5_000
	// MaxRefRows is the number of refs and tombstones of refs from which on a project gets no ref with a new name. A project
	// that deletes all of its refs can create as many at once.
	MaxRefRows = 2 * MaxRefs
)

func (s *transition) refUpdate(b *pb.RefUpdateBody) *message.Refusal {
	id, next := hash(b.GetProjectId()), hash(b.GetNewHash())
	project, refusal := s.writableProject(id, pb.Permission_PERMISSION_WRITE)
	if refusal != nil {
		return refusal
	}
	s.dropRefTombstones(id, project)
	key := schema.RefKey(id, b.GetRefName())
	ref := load[pb.RefRow](s.rows, key)
	old := hash(ref.GetHash())
	if ref == nil {
		ref, refusal = s.createRef(id, project, b)
	} else {
		refusal = s.moveRef(id, ref, b)
	}
	if refusal != nil {
		return refusal
	}
	ref.Hash, ref.Nonce, ref.Timestamp = b.GetNewHash(), b.GetNonce(), max(ref.GetTimestamp(), s.timestamp())
	ref.TagObject = b.GetTagObject()
	s.rows.put(key, ref)
	s.addContent(id, project, b.GetContentDigest(), "")
	s.saveProject(id, project)
	s.effects.Ref = &RefChange{
		Project: id, Name: b.GetRefName(), Old: old, New: next, Nonce: b.GetNonce(), Force: b.GetForce(), TagObject: hash(b.GetTagObject()),
	}
	return nil
}

// createRef creates a ref. It must be later than the tombstone of an earlier ref of that name, and messages of the new ref
// must not be earlier than its creation, so no message of the earlier ref applies to the new one.
func (s *transition) createRef(id ident.Hash, project *pb.ProjectRow, b *pb.RefUpdateBody) (*pb.RefRow, *message.Refusal) {
	if b.GetNonce() != 1 {
		return nil, refuse(message.CodeRefNonceMismatch, "the ref does not exist, so its nonce must be 1, not %d", b.GetNonce())
	}
	if len(b.GetOldHash()) > 0 {
		return nil, refuse(message.CodeRefHashMismatch, "the ref does not exist, so old_hash must be empty, not %x", b.GetOldHash())
	}
	tombstone := schema.TombstoneKey(schema.RefKey(id, b.GetRefName()))
	deleted := s.rows.timestamp(tombstone)
	if s.timestamp() <= deleted {
		return nil, s.staleWrite("the deletion of the ref", deleted)
	}
	if refusal := s.requireCommit(id, hash(b.GetNewHash())); refusal != nil {
		return nil, refusal
	}
	if project.GetRefCount() >= MaxRefs {
		return nil, refuse(message.CodeQuotaExceeded, "a project has at most %d refs", MaxRefs)
	}
	if deleted != 0 {
		s.deleteAged(tombstone)
		project.RefTombstoneCount--
	} else if project.GetRefCount()+project.GetRefTombstoneCount() >= MaxRefRows {
		return nil, refuse(message.CodeQuotaExceeded, "%d refs of the project were deleted in the last %d s, which is the limit",
			project.GetRefTombstoneCount(), GuardPeriod)
	}
	project.RefCount++
	return &pb.RefRow{RefType: b.GetRefType(), Floor: s.timestamp()}, nil
}

// dropRefTombstones drops tombstones of refs of a project that refuse no message any more.
func (s *transition) dropRefTombstones(id ident.Hash, project *pb.ProjectRow) {
	if project.GetRefTombstoneCount() == 0 {
		return
	}
	// A message that changes these tombstones changes their number in the project row too, which this message has read.
	for _, tombstone := range s.expiredUnrecorded(schema.AgePrefix(schema.TombstoneKey(schema.RefKey(id, nil))), MaxDroppedPerMessage) {
		s.deleteAged(tombstone)
		project.RefTombstoneCount--
	}
}

// moveRef checks an update of an existing ref: nonce, old hash, type, and that it is a fast-forward or forced.
func (s *transition) moveRef(id ident.Hash, ref *pb.RefRow, b *pb.RefUpdateBody) *message.Refusal {
	current, next := hash(ref.GetHash()), hash(b.GetNewHash())
	if refusal := s.checkRef(ref, b.GetNonce(), b.GetOldHash()); refusal != nil {
		return refusal
	}
	if b.GetRefType() != ref.GetRefType() {
		return refuse(message.CodeRefTypeMismatch, "the ref has type %s, which cannot change to %s", ref.GetRefType(), b.GetRefType())
	}
	if refusal := s.requireCommit(id, next); refusal != nil {
		return refusal
	}
	if b.GetForce() {
		return nil
	}
	if next == current {
		return refuse(message.CodeNothingNew, "the ref is already at %s", current)
	}
	if !s.isFastForward(id, current, next) {
		return refuse(message.CodeNotFastForward, "%s is not an ancestor of %s within %d commits", current, next, MaxFastForward)
	}
	return nil
}

// checkRef compares the nonce and the expected hash with the stored ref (compare-and-swap).
func (s *transition) checkRef(ref *pb.RefRow, nonce uint64, expected []byte) *message.Refusal {
	if want := ref.GetNonce() + 1; nonce != want {
		return refuse(message.CodeRefNonceMismatch, "nonce is %d, the next nonce of the ref is %d", nonce, want)
	}
	if len(expected) > 0 && !bytes.Equal(expected, ref.GetHash()) {
		return refuse(message.CodeRefHashMismatch, "the ref is at %x, not at %x", ref.GetHash(), expected)
	}
	if s.timestamp() < ref.GetFloor() {
		return refuse(message.CodeStaleWrite, "timestamp %d is earlier than %d, when the ref was created", s.timestamp(), ref.GetFloor())
	}
	return nil
}

func (s *transition) refDelete(b *pb.RefDeleteBody) *message.Refusal {
	id := hash(b.GetProjectId())
	project, refusal := s.writableProject(id, pb.Permission_PERMISSION_WRITE)
	if refusal != nil {
		return refusal
	}
	key := schema.RefKey(id, b.GetRefName())
	ref := load[pb.RefRow](s.rows, key)
	if ref == nil {
		return refuse(message.CodeNotFound, "project %s has no such ref", id)
	}
	if refusal := s.checkRef(ref, b.GetNonce(), b.GetExpectedHash()); refusal != nil {
		return refusal
	}
	s.dropRefTombstones(id, project)
	s.rows.delete(key)
	s.putAged(schema.TombstoneKey(key), &pb.TombstoneRow{Timestamp: max(ref.GetTimestamp(), s.timestamp())})
	project.RefCount--
	project.RefTombstoneCount++
	s.saveProject(id, project)
	s.effects.Ref = &RefChange{Project: id, Name: b.GetRefName(), Old: hash(ref.GetHash()), Nonce: b.GetNonce()}
	return nil
}
