// Package schema defines the layout of the state: the key of every row and the encoding of its value (P7).
//
// A key is a prefix byte followed by its fields, integers big-endian. Rows under most prefixes are in the state root.
// Derived rows are not: they repeat information of other rows in an order that makes queries fast, and can be rebuilt.
package schema

import (
	"encoding/binary"

	"makechain/internal/ident"
)

// Prefix is the first byte of a key and identifies the kind of row.
type Prefix byte

// The kinds of rows.
const (
	PrefixTombstone               Prefix = 0x03
	PrefixAccount                 Prefix = 0x04
	PrefixAccountMetadata         Prefix = 0x05
	PrefixKey                     Prefix = 0x06
	PrefixKeyOwner                Prefix = 0x07
	PrefixUsername                Prefix = 0x08
	PrefixVerification            Prefix = 0x09
	PrefixProject                 Prefix = 0x0A
	PrefixProjectMetadata         Prefix = 0x0B
	PrefixProjectName             Prefix = 0x0C
	PrefixRef                     Prefix = 0x0D
	PrefixCommit                  Prefix = 0x0E
	PrefixCollaborator            Prefix = 0x0F
	PrefixLink                    Prefix = 0x10
	PrefixLinkByTarget            Prefix = 0x11
	PrefixReaction                Prefix = 0x12
	PrefixReactionByTarget        Prefix = 0x13
	PrefixCounter                 Prefix = 0x14
	PrefixPruneMarker             Prefix = 0x15
	PrefixStorageGrant            Prefix = 0x16
	PrefixClaim                   Prefix = 0x17
	PrefixAge                     Prefix = 0x18 // derived
	PrefixMergeRequestPair        Prefix = 0x19 // derived
	PrefixForkParent              Prefix = 0x1A
	PrefixMergeRequest            Prefix = 0x1B
	PrefixMergeRequestByRequester Prefix = 0x1C
	PrefixValidators              Prefix = 0x1D
	PrefixClosedMergeRequest      Prefix = 0x1E
	PrefixContent                 Prefix = 0x1F
	PrefixSettlement              Prefix = 0x20
	PrefixRules                   Prefix = 0x21

	// LastPrefix is the greatest prefix.
	LastPrefix = PrefixRules
)

// Merkleized reports whether rows under the prefix are in the state root.
func (p Prefix) Merkleized() bool {
	return p >= PrefixTombstone && p <= LastPrefix && p != PrefixAge && p != PrefixMergeRequestPair
}

// Families of keys under PrefixKey.
const (
	FamilyDelegated byte = 0
	FamilyCustody   byte = 1
)

// Counter identifies a count of an account's rows.
type Counter byte

// The counters of an account. Projects have counts in their own rows.
const (
	CounterLinks         Counter = 1
	CounterReactions     Counter = 2
	CounterVerifications Counter = 3
)

const (
	counterTombstones Counter = 0x10
	counterMarkers    Counter = 0x20
)

// Tombstones returns the counter of the tombstones of the set that c counts.
func (c Counter) Tombstones() Counter { return c | counterTombstones }

// Markers returns the counter of the prune markers of the set that c counts.
func (c Counter) Markers() Counter { return c | counterMarkers }

func key(p Prefix, parts ...[]byte) []byte {
	size := 1
	for _, part := range parts {
		size += len(part)
	}
	k := make([]byte, 1, size)
	k[0] = byte(p)
	for _, part := range parts {
		k = append(k, part...)
	}
	return k
}

// TombstoneKey returns the key of the tombstone of the row at active.
func TombstoneKey(active []byte) []byte { return key(PrefixTombstone, active) }

// PruneMarkerKey returns the key of the prune marker of the row at active.
func PruneMarkerKey(active []byte) []byte { return key(PrefixPruneMarker, active) }

// AccountKey returns the key of an account.
func AccountKey(owner ident.Address) []byte { return key(PrefixAccount, owner[:]) }

// AccountMetadataKey returns the key of a profile field of an account.
func AccountMetadataKey(owner ident.Address, field byte) []byte {
	return key(PrefixAccountMetadata, owner[:], []byte{field})
}

// DelegatedKeyKey returns the key of the row of an account's delegated key.
func DelegatedKeyKey(owner ident.Address, k ident.PublicKey) []byte {
	return key(PrefixKey, owner[:], []byte{FamilyDelegated}, k[:])
}

// CustodyKeyKey returns the key of the row of an account's custody key.
func CustodyKeyKey(owner, keyID ident.Address) []byte {
	return key(PrefixKey, owner[:], []byte{FamilyCustody}, keyID[:])
}

// KeyPrefix returns the prefix of the rows of one family of an account's keys.
func KeyPrefix(owner ident.Address, family byte) []byte {
	return key(PrefixKey, owner[:], []byte{family})
}

// KeyOwnerKey returns the key of the row that maps an Ed25519 key to its account.
func KeyOwnerKey(k ident.PublicKey) []byte { return key(PrefixKeyOwner, k[:]) }

// UsernameKey returns the key of the row that maps a username to its account.
func UsernameKey(username string) []byte { return key(PrefixUsername, []byte(username)) }

// VerificationKey returns the key of a verified external address of an account.
func VerificationKey(owner ident.Address, address []byte) []byte {
	return key(PrefixVerification, owner[:], address)
}

// ProjectKey returns the key of a project.
func ProjectKey(project ident.Hash) []byte { return key(PrefixProject, project[:]) }

// ProjectMetadataKey returns the key of a metadata field of a project.
func ProjectMetadataKey(project ident.Hash, field byte) []byte {
	return key(PrefixProjectMetadata, project[:], []byte{field})
}

// ProjectMetadataPrefix returns the prefix of the metadata fields of a project.
func ProjectMetadataPrefix(project ident.Hash) []byte { return key(PrefixProjectMetadata, project[:]) }

// ProjectNameKey returns the key of the row that maps an owner's project name to the project.
func ProjectNameKey(owner ident.Address, name string) []byte {
	return key(PrefixProjectName, owner[:], []byte(name))
}

// RefKey returns the key of a ref of a project; for an empty name, the prefix of all its refs.
func RefKey(project ident.Hash, name []byte) []byte { return key(PrefixRef, project[:], name) }

// CommitKeySize is the size of the key of a commit.
const CommitKeySize = 1 + 2*ident.HashSize

// CommitKey returns the key of a commit of a project.
func CommitKey(project, commit ident.Hash) []byte {
	return AppendCommitKey(make([]byte, 0, CommitKeySize), project, commit)
}

// AppendCommitKey appends the key of a commit of a project to b.
func AppendCommitKey(b []byte, project, commit ident.Hash) []byte {
	b = append(b, byte(PrefixCommit))
	b = append(b, project[:]...)
	return append(b, commit[:]...)
}

// CommitPrefix returns the prefix of the commits of a project.
func CommitPrefix(project ident.Hash) []byte { return key(PrefixCommit, project[:]) }

// CollaboratorKey returns the key of a collaborator of a project.
func CollaboratorKey(project ident.Hash, owner ident.Address) []byte {
	return key(PrefixCollaborator, project[:], owner[:])
}

// CollaboratorPrefix returns the prefix of the collaborators of a project.
func CollaboratorPrefix(project ident.Hash) []byte { return key(PrefixCollaborator, project[:]) }

// LinkKey returns the key of a link, under its source. The target is an address or a project id, depending on the type.
func LinkKey(owner ident.Address, linkType byte, target []byte) []byte {
	return key(PrefixLink, owner[:], []byte{linkType}, target)
}

// LinkPrefix returns the prefix of the links of an account.
func LinkPrefix(owner ident.Address) []byte { return key(PrefixLink, owner[:]) }

// LinkByTargetKey returns the key of the same link under its target.
func LinkByTargetKey(linkType byte, target []byte, owner ident.Address) []byte {
	return key(PrefixLinkByTarget, []byte{linkType}, target, owner[:])
}

// LinkByTargetPrefix returns the prefix of the links to a target.
func LinkByTargetPrefix(linkType byte, target []byte) []byte {
	return key(PrefixLinkByTarget, []byte{linkType}, target)
}

// ReactionKey returns the key of a reaction, under its source.
func ReactionKey(owner ident.Address, reactionType byte, project, commit ident.Hash) []byte {
	return key(PrefixReaction, owner[:], []byte{reactionType}, project[:], commit[:])
}

// ReactionPrefix returns the prefix of the reactions of one type of an account.
func ReactionPrefix(owner ident.Address, reactionType byte) []byte {
	return key(PrefixReaction, owner[:], []byte{reactionType})
}

// ReactionByTargetKey returns the key of the same reaction under its target.
func ReactionByTargetKey(reactionType byte, project, commit ident.Hash, owner ident.Address) []byte {
	return key(PrefixReactionByTarget, []byte{reactionType}, project[:], commit[:], owner[:])
}

// ReactionByTargetPrefix returns the prefix of the reactions to a commit.
func ReactionByTargetPrefix(reactionType byte, project, commit ident.Hash) []byte {
	return key(PrefixReactionByTarget, []byte{reactionType}, project[:], commit[:])
}

// CounterKey returns the key of a counter of an account.
func CounterKey(owner ident.Address, c Counter) []byte {
	return key(PrefixCounter, owner[:], []byte{byte(c)})
}

// StorageGrantKey returns the key of a storage grant. An account's grants are ordered by expiry.
func StorageGrantKey(owner ident.Address, expiresAt uint32, claim ident.Hash) []byte {
	return key(PrefixStorageGrant, owner[:], binary.BigEndian.AppendUint32(nil, expiresAt), claim[:])
}

// StorageGrantPrefix returns the prefix of the storage grants of an account.
func StorageGrantPrefix(owner ident.Address) []byte { return key(PrefixStorageGrant, owner[:]) }

// ClaimKey returns the key of the row that records the use of a storage claim.
func ClaimKey(claim ident.Hash) []byte { return key(PrefixClaim, claim[:]) }

// ForkParentKey returns the key of the row that maps a fork to its parent project.
func ForkParentKey(project ident.Hash) []byte { return key(PrefixForkParent, project[:]) }

// MergeRequestKey returns the key of an open merge request, under its target project.
func MergeRequestKey(project, request ident.Hash) []byte {
	return key(PrefixMergeRequest, project[:], request[:])
}

// MergeRequestPrefix returns the prefix of the open merge requests of a project.
func MergeRequestPrefix(project ident.Hash) []byte { return key(PrefixMergeRequest, project[:]) }

// MergeRequestByRequesterKey returns the key of the same merge request under its requester.
func MergeRequestByRequesterKey(owner ident.Address, project, request ident.Hash) []byte {
	return key(PrefixMergeRequestByRequester, owner[:], project[:], request[:])
}

// MergeRequestByRequesterPrefix returns the prefix of the open merge requests of a requester.
func MergeRequestByRequesterPrefix(owner ident.Address) []byte {
	return key(PrefixMergeRequestByRequester, owner[:])
}

// ClosedMergeRequestKey returns the key of a closed merge request, under its target project.
func ClosedMergeRequestKey(project, request ident.Hash) []byte {
	return key(PrefixClosedMergeRequest, project[:], request[:])
}

// ClosedMergeRequestPrefix returns the prefix of the closed merge requests of a project.
func ClosedMergeRequestPrefix(project ident.Hash) []byte {
	return key(PrefixClosedMergeRequest, project[:])
}

// ValidatorsKey returns the key of the row with the validator set.
func ValidatorsKey() []byte { return key(PrefixValidators) }

// SettlementKey returns the key of the row with the settlement.
func SettlementKey() []byte { return key(PrefixSettlement) }

// RulesKey returns the key of the row with the latest activation of a version of the rules.
func RulesKey() []byte { return key(PrefixRules) }

// After returns the least key that is greater than every key with the prefix, nil when there is none.
func After(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] != 0xFF {
			end := append([]byte(nil), prefix[:i+1]...)
			end[i]++
			return end
		}
	}
	return nil
}

// ContentKey returns the key of the content of a project with a digest.
func ContentKey(project, digest ident.Hash) []byte { return key(PrefixContent, project[:], digest[:]) }

// ContentPrefix returns the prefix of the contents of a project.
func ContentPrefix(project ident.Hash) []byte { return key(PrefixContent, project[:]) }
