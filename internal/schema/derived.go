package schema

import (
	"bytes"
	"encoding/binary"
	"fmt"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

// Derived rows order the rows that are pruned or dropped, oldest first, count the rows that a quota limits, so that no
// message has to scan a set, and list the removed projects that still have rows.

// Present is the value of a derived row whose information is in its key.
var Present = []byte{1} // read-only: the language has no constant slices

// setScope returns the length of the account or project id that follows the prefix byte of the rows of a set whose entries
// can be pruned; 0 for other prefixes.
func setScope(p Prefix) int {
	switch p {
	case PrefixVerification, PrefixLink, PrefixReaction:
		return ident.AddressSize
	case PrefixCollaborator:
		return ident.HashSize
	default:
		return 0
	}
}

// requestTombstone is the number of bytes before the project in the key of a merge request's tombstone.
const requestTombstone = 2

// ageScope returns the length of the prefix bytes and of the account or project id at the start of the key of a row that
// has an age row; 0 for other rows, and for tombstones of merge requests, whose age rows are ordered by requester.
func ageScope(row []byte) int {
	if len(row) < 2 {
		return 0
	}
	switch p, of := Prefix(row[0]), Prefix(row[1]); {
	case p == PrefixTombstone && of == PrefixRef:
		return 2 + ident.HashSize
	case p != PrefixTombstone && p != PrefixPruneMarker:
		if scope := setScope(p); scope > 0 {
			return 1 + scope
		}
	case setScope(of) > 0:
		return 2 + setScope(of)
	}
	return 0
}

// AgeKey returns the key of the age row of an entry of a set, a tombstone or a prune marker, given its key. Age rows order
// the rows of one kind of an account or project by timestamp. Tombstones of merge requests have RequestAgeKey instead.
func AgeKey(row []byte, timestamp uint32) []byte {
	cut := ageScope(row)
	return key(PrefixAge, row[:cut], binary.BigEndian.AppendUint32(nil, timestamp), row[cut:])
}

// AgePrefix returns the prefix of the age rows of the kind, and of the account or project, of the row at a key.
func AgePrefix(row []byte) []byte { return key(PrefixAge, row[:ageScope(row)]) }

// AgeScope returns the start of a key of AgeKey or of AgePrefix that is the same for all rows of one kind of an account or
// project, nil for other keys.
func AgeScope(age []byte) []byte {
	if len(age) == 0 || Prefix(age[0]) != PrefixAge {
		return nil
	}
	cut := ageScope(age[1:])
	if cut == 0 || len(age) < 1+cut {
		return nil
	}
	return age[:1+cut]
}

// RequestAgeKey returns the key of the age row of the tombstone of a merge request. It orders those of one requester, over
// all projects, by timestamp.
func RequestAgeKey(requester ident.Address, timestamp uint32, project, request ident.Hash) []byte {
	at := binary.BigEndian.AppendUint32(RequestAgePrefix(requester), timestamp)
	return append(append(at, project[:]...), request[:]...)
}

// RequestAgePrefix returns the prefix of the age rows of the tombstones of a requester's merge requests.
func RequestAgePrefix(requester ident.Address) []byte {
	return key(PrefixAge, []byte{byte(PrefixTombstone), byte(PrefixMergeRequest)}, requester[:])
}

// CommitAgeKey returns the key of the age row of a commit, which orders commits by the block that added them.
func CommitAgeKey(project ident.Hash, block uint64, commit ident.Hash) []byte {
	return key(PrefixAge, []byte{byte(PrefixCommit)}, project[:], binary.BigEndian.AppendUint64(nil, block), commit[:])
}

// WithCommitAgeBlock returns the key of the age row of a commit with another block.
func WithCommitAgeBlock(age []byte, block uint64) []byte {
	at := len(age) - len(ident.Hash{}) - 8
	changed := bytes.Clone(age)
	binary.BigEndian.PutUint64(changed[at:], block)
	return changed
}

// CommitAgePrefix returns the prefix of the age rows of a project's commits.
func CommitAgePrefix(project ident.Hash) []byte {
	return key(PrefixAge, []byte{byte(PrefixCommit)}, project[:])
}

// ClosedAgeKey returns the key of the age row of a closed merge request, which orders those of a project by the block that
// closed them.
func ClosedAgeKey(project ident.Hash, block uint64, request ident.Hash) []byte {
	return append(binary.BigEndian.AppendUint64(ClosedAgePrefix(project), block), request[:]...)
}

// ClosedAgePrefix returns the prefix of the age rows of a project's closed merge requests.
func ClosedAgePrefix(project ident.Hash) []byte {
	return key(PrefixAge, []byte{byte(PrefixClosedMergeRequest)}, project[:])
}

// ParseClosedAgeKey returns the key of the closed merge request of a key of ClosedAgeKey.
func ParseClosedAgeKey(k []byte) (closed []byte, err error) {
	const scope, size = 2 + ident.HashSize, 2 + ident.HashSize + 8 + ident.HashSize
	if len(k) != size || Prefix(k[0]) != PrefixAge || Prefix(k[1]) != PrefixClosedMergeRequest {
		return nil, fmt.Errorf("key %x is not the age row of a closed merge request", k)
	}
	return key(PrefixClosedMergeRequest, k[2:scope], k[scope+8:]), nil
}

// ClosedByRequesterKey returns the key of the row that lists a closed merge request under its requester, newest first.
func ClosedByRequesterKey(requester ident.Address, block uint64, project, request ident.Hash) []byte {
	k := binary.BigEndian.AppendUint64(ClosedByRequesterPrefix(requester), ^block)
	return append(append(k, project[:]...), request[:]...)
}

// ClosedByRequesterPrefix returns the prefix of the rows of a requester's closed merge requests.
func ClosedByRequesterPrefix(requester ident.Address) []byte {
	return key(PrefixAge, []byte{byte(PrefixMergeRequestByRequester)}, requester[:])
}

// ParseClosedByRequesterKey returns the key of the closed merge request of a key of ClosedByRequesterKey.
func ParseClosedByRequesterKey(k []byte) (closed []byte, err error) {
	const scope, size = 2 + ident.AddressSize + 8, 2 + ident.AddressSize + 8 + 2*ident.HashSize
	if len(k) != size || Prefix(k[0]) != PrefixAge || Prefix(k[1]) != PrefixMergeRequestByRequester {
		return nil, fmt.Errorf("key %x does not list a closed merge request", k)
	}
	return key(PrefixClosedMergeRequest, k[scope:]), nil
}

// ClosedKeys returns the keys of the two derived rows of a closed merge request, of ClosedAgeKey and ClosedByRequesterKey.
func ClosedKeys(project, request ident.Hash, row *pb.ClosedMergeRequestRow) (age, byRequester []byte, err error) {
	requester, ok := ident.AddressFrom(row.GetRequesterOwnerAddress())
	if !ok {
		return nil, nil, fmt.Errorf("closed merge request %s has a requester of %d bytes", request, len(row.GetRequesterOwnerAddress()))
	}
	return ClosedAgeKey(project, row.GetBlockNumber(), request), ClosedByRequesterKey(requester, row.GetBlockNumber(), project, request), nil
}

// RemovedProjectKey returns the key of the row of a removed project whose rows are not all deleted.
func RemovedProjectKey(project ident.Hash) []byte {
	return key(PrefixAge, []byte{byte(PrefixProject)}, project[:])
}

// RemovedProjectPrefix returns the prefix of the rows of RemovedProjectKey.
func RemovedProjectPrefix() []byte { return key(PrefixAge, []byte{byte(PrefixProject)}) }

// ParseRemovedProjectKey returns the project of a key of RemovedProjectKey.
func ParseRemovedProjectKey(k []byte) (project ident.Hash, err error) {
	const size = 2 + ident.HashSize
	if len(k) != size || Prefix(k[0]) != PrefixAge || Prefix(k[1]) != PrefixProject {
		return project, fmt.Errorf("key %x is not the row of a removed project", k)
	}
	copy(project[:], k[2:])
	return project, nil
}

// AgeOf returns the key of the age row of a state row, nil if a row of its kind has none. OWNER collaborators have none,
// because they are never pruned (P9.7).
func AgeOf(k, value []byte) ([]byte, error) {
	switch {
	case len(k) == 0:
		return nil, nil
	case Prefix(k[0]) == PrefixCommit:
		parsed, err := ParseKey(k)
		if err != nil {
			return nil, err
		}
		var row pb.CommitRow
		if err := Decode(value, &row); err != nil {
			return nil, fmt.Errorf("row %x: %w", k, err)
		}
		return CommitAgeKey(parsed.Project, row.GetBlockNumber(), parsed.ID), nil
	case Prefix(k[0]) == PrefixCollaborator:
		var row pb.CollaboratorRow
		if err := Decode(value, &row); err != nil {
			return nil, fmt.Errorf("row %x: %w", k, err)
		}
		if row.GetPermission() == pb.Permission_PERMISSION_OWNER {
			return nil, nil
		}
	case Prefix(k[0]) == PrefixTombstone && len(k) > 1 && Prefix(k[1]) == PrefixMergeRequest:
		parsed, err := ParseKey(k)
		if err != nil {
			return nil, err
		}
		var row pb.TombstoneRow
		if err := Decode(value, &row); err != nil {
			return nil, fmt.Errorf("row %x: %w", k, err)
		}
		requester, ok := ident.AddressFrom(row.GetRequesterOwnerAddress())
		if !ok {
			return nil, fmt.Errorf("row %x has a requester of %d bytes", k, len(row.GetRequesterOwnerAddress()))
		}
		return RequestAgeKey(requester, row.GetTimestamp(), parsed.Removed.Project, parsed.Removed.ID), nil
	}
	if ageScope(k) == 0 {
		return nil, nil
	}
	timestamp, err := Timestamp(value)
	if err != nil {
		return nil, fmt.Errorf("row %x: %w", k, err)
	}
	return AgeKey(k, timestamp), nil
}

// ParseAgeKey returns the key and the timestamp of the entry, tombstone or prune marker of an age row.
func ParseAgeKey(age []byte) (row []byte, timestamp uint32, err error) {
	if len(age) < 2 || Prefix(age[0]) != PrefixAge {
		return nil, 0, fmt.Errorf("key %x is not an age row", age)
	}
	row = age[1:]
	cut := ageScope(row)
	kept := cut
	if Prefix(row[0]) == PrefixTombstone && len(row) > 1 && Prefix(row[1]) == PrefixMergeRequest {
		cut, kept = requestTombstone+ident.AddressSize, requestTombstone
	}
	if cut == 0 || len(row) < cut+4 {
		return nil, 0, fmt.Errorf("age key %x has no set or is too short", age)
	}
	timestamp = binary.BigEndian.Uint32(row[cut:])
	return append(append([]byte(nil), row[:kept]...), row[cut+4:]...), timestamp, nil
}

// ParseCommitAgeKey returns the commit of an age row of CommitAgeKey.
func ParseCommitAgeKey(k []byte) (commit ident.Hash, err error) {
	const size = 2 + ident.HashSize + 8 + ident.HashSize
	if len(k) != size || Prefix(k[0]) != PrefixAge || Prefix(k[1]) != PrefixCommit {
		return commit, fmt.Errorf("key %x is not the age row of a commit", k)
	}
	copy(commit[:], k[size-ident.HashSize:])
	return commit, nil
}

// MergeRequestPairKey returns the key of the number of merge requests that an account has open against a project.
func MergeRequestPairKey(requester ident.Address, project ident.Hash) []byte {
	return key(PrefixMergeRequestPair, requester[:], project[:])
}
