package schema

import (
	"encoding/binary"
	"fmt"

	"makechain/internal/ident"
)

// Derived rows order the rows that a quota may prune, oldest first, and count the rows that a quota limits, so that no
// message has to scan a set.

// Present is the value of a derived row whose information is in its key.
var Present = []byte{1} // read-only: the language has no constant slices

// scopeSize returns the length of the account or project id that follows the prefix byte of a set's rows; 0 for prefixes
// without sets.
func scopeSize(p Prefix) int {
	switch p {
	case PrefixVerification, PrefixLink, PrefixReaction:
		return ident.AddressSize
	case PrefixCollaborator, PrefixMergeRequest:
		return ident.HashSize
	default:
		return 0
	}
}

// AgeKey returns the key of the age row of a set member, which orders members by timestamp. A member has one age row,
// whether it is active or a tombstone.
func AgeKey(active []byte, timestamp uint32) []byte {
	cut := 1 + scopeSize(Prefix(active[0]))
	return key(PrefixAge, active[:cut], binary.BigEndian.AppendUint32(nil, timestamp), active[cut:])
}

// AgePrefix returns the prefix of the age rows of the set that the member at active belongs to.
func AgePrefix(active []byte) []byte {
	return key(PrefixAge, active[:1+scopeSize(Prefix(active[0]))])
}

// CommitAgeKey returns the key of the age row of a commit, which orders commits by the block that added them.
func CommitAgeKey(project ident.Hash, block uint64, commit ident.Hash) []byte {
	return key(PrefixAge, []byte{byte(PrefixCommit)}, project[:], binary.BigEndian.AppendUint64(nil, block), commit[:])
}

// CommitAgePrefix returns the prefix of the age rows of a project's commits.
func CommitAgePrefix(project ident.Hash) []byte {
	return key(PrefixAge, []byte{byte(PrefixCommit)}, project[:])
}

// ParseAgeKey returns the active key and the timestamp of the set member of an age row.
func ParseAgeKey(k []byte) (active []byte, timestamp uint32, err error) {
	if len(k) < 2 || Prefix(k[0]) != PrefixAge {
		return nil, 0, fmt.Errorf("key %x is not an age row", k)
	}
	cut := 2 + scopeSize(Prefix(k[1]))
	if cut == 2 || len(k) < cut+4 {
		return nil, 0, fmt.Errorf("age key %x has no set or is too short", k)
	}
	active = append(append([]byte(nil), k[1:cut]...), k[cut+4:]...)
	return active, binary.BigEndian.Uint32(k[cut:]), nil
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
