// Package schema is the layout of the state: the key of every row and the encoding of its value (P7).
//
// A key is a prefix byte and then its fields, integers big-endian. Rows under most prefixes are in the
// state root. Derived rows are not: they only repeat what the others say, in an order that makes a
// question cheap, and can be rebuilt from them.
package schema

import (
	"encoding/binary"

	"makechain/internal/ident"
)

// Prefix is the first byte of a key and names the kind of row.
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

	// LastPrefix is the greatest of them.
	LastPrefix = PrefixValidators
)

// Merkleized says whether rows under the prefix are in the state root.
func (p Prefix) Merkleized() bool {
	return p >= PrefixTombstone && p <= LastPrefix && p != PrefixAge && p != PrefixMergeRequestPair
}

// Families of keys under PrefixKey.
const (
	FamilyDelegated byte = 0
	FamilyCustody   byte = 1
)

// Counter names a count of an account's rows. The count of its tombstones stands under Tombstones().
type Counter byte

// What is counted. Projects carry their own counts.
const (
	CounterLinks         Counter = 1
	CounterReactions     Counter = 2
	CounterVerifications Counter = 3
)

const counterTombstones Counter = 0x10

// Tombstones is the counter of what was removed from the set that c counts.
func (c Counter) Tombstones() Counter { return c | counterTombstones }

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

// TombstoneKey is the tombstone of the entry at active.
func TombstoneKey(active []byte) []byte { return key(PrefixTombstone, active) }

// PruneMarkerKey is the prune marker of the entry at active.
func PruneMarkerKey(active []byte) []byte { return key(PrefixPruneMarker, active) }

// AccountKey is an account.
func AccountKey(owner ident.Address) []byte { return key(PrefixAccount, owner[:]) }

// AccountMetadataKey is one profile field of an account.
func AccountMetadataKey(owner ident.Address, field byte) []byte {
	return key(PrefixAccountMetadata, owner[:], []byte{field})
}

// DelegatedKeyKey is an account's Ed25519 key.
func DelegatedKeyKey(owner ident.Address, k ident.PublicKey) []byte {
	return key(PrefixKey, owner[:], []byte{FamilyDelegated}, k[:])
}

// CustodyKeyKey is an account's custody key.
func CustodyKeyKey(owner, keyID ident.Address) []byte {
	return key(PrefixKey, owner[:], []byte{FamilyCustody}, keyID[:])
}

// KeyPrefix begins the keys of one family of an account.
func KeyPrefix(owner ident.Address, family byte) []byte {
	return key(PrefixKey, owner[:], []byte{family})
}

// KeyOwnerKey leads from an Ed25519 key to its account.
func KeyOwnerKey(k ident.PublicKey) []byte { return key(PrefixKeyOwner, k[:]) }

// UsernameKey leads from a username to its account.
func UsernameKey(username string) []byte { return key(PrefixUsername, []byte(username)) }

// VerificationKey is a verified outside address of an account.
func VerificationKey(owner ident.Address, address []byte) []byte {
	return key(PrefixVerification, owner[:], address)
}

// ProjectKey is a project.
func ProjectKey(project ident.Hash) []byte { return key(PrefixProject, project[:]) }

// ProjectMetadataKey is one field of a project.
func ProjectMetadataKey(project ident.Hash, field byte) []byte {
	return key(PrefixProjectMetadata, project[:], []byte{field})
}

// ProjectNameKey leads from an owner's project name to the project.
func ProjectNameKey(owner ident.Address, name string) []byte {
	return key(PrefixProjectName, owner[:], []byte(name))
}

// RefKey is a ref of a project; an empty name gives the prefix of them all.
func RefKey(project ident.Hash, name []byte) []byte { return key(PrefixRef, project[:], name) }

// CommitKey is a commit of a project.
func CommitKey(project, commit ident.Hash) []byte { return key(PrefixCommit, project[:], commit[:]) }

// CommitPrefix begins the keys of all commits of a project.
func CommitPrefix(project ident.Hash) []byte { return key(PrefixCommit, project[:]) }

// CollaboratorKey is a collaborator of a project.
func CollaboratorKey(project ident.Hash, owner ident.Address) []byte {
	return key(PrefixCollaborator, project[:], owner[:])
}

// CollaboratorPrefix begins the keys of all collaborators of a project.
func CollaboratorPrefix(project ident.Hash) []byte { return key(PrefixCollaborator, project[:]) }

// LinkKey is a link, under its source. The target is an address or a project id, by the link's type.
func LinkKey(owner ident.Address, linkType byte, target []byte) []byte {
	return key(PrefixLink, owner[:], []byte{linkType}, target)
}

// LinkPrefix begins the keys of all links of an account.
func LinkPrefix(owner ident.Address) []byte { return key(PrefixLink, owner[:]) }

// LinkByTargetKey is the same link under its target.
func LinkByTargetKey(linkType byte, target []byte, owner ident.Address) []byte {
	return key(PrefixLinkByTarget, []byte{linkType}, target, owner[:])
}

// LinkByTargetPrefix begins the keys of all links to a target.
func LinkByTargetPrefix(linkType byte, target []byte) []byte {
	return key(PrefixLinkByTarget, []byte{linkType}, target)
}

// ReactionKey is a reaction, under its source.
func ReactionKey(owner ident.Address, reactionType byte, project, commit ident.Hash) []byte {
	return key(PrefixReaction, owner[:], []byte{reactionType}, project[:], commit[:])
}

// ReactionPrefix begins the keys of all reactions of a type of an account.
func ReactionPrefix(owner ident.Address, reactionType byte) []byte {
	return key(PrefixReaction, owner[:], []byte{reactionType})
}

// ReactionByTargetKey is the same reaction under its target.
func ReactionByTargetKey(reactionType byte, project, commit ident.Hash, owner ident.Address) []byte {
	return key(PrefixReactionByTarget, []byte{reactionType}, project[:], commit[:], owner[:])
}

// ReactionByTargetPrefix begins the keys of all reactions to a commit.
func ReactionByTargetPrefix(reactionType byte, project, commit ident.Hash) []byte {
	return key(PrefixReactionByTarget, []byte{reactionType}, project[:], commit[:])
}

// CounterKey is a count of an account's rows.
func CounterKey(owner ident.Address, c Counter) []byte {
	return key(PrefixCounter, owner[:], []byte{byte(c)})
}

// StorageGrantKey is a grant of storage; an account's grants lie in the order they expire.
func StorageGrantKey(owner ident.Address, expiresAt uint32, claim ident.Hash) []byte {
	return key(PrefixStorageGrant, owner[:], binary.BigEndian.AppendUint32(nil, expiresAt), claim[:])
}

// StorageGrantPrefix begins the keys of all grants of an account.
func StorageGrantPrefix(owner ident.Address) []byte { return key(PrefixStorageGrant, owner[:]) }

// ClaimKey records that a storage claim was used.
func ClaimKey(claim ident.Hash) []byte { return key(PrefixClaim, claim[:]) }

// ForkParentKey leads from a fork to what it was forked from.
func ForkParentKey(project ident.Hash) []byte { return key(PrefixForkParent, project[:]) }

// MergeRequestKey is an open merge request, under its target project.
func MergeRequestKey(project, request ident.Hash) []byte {
	return key(PrefixMergeRequest, project[:], request[:])
}

// MergeRequestPrefix begins the keys of all open merge requests of a project.
func MergeRequestPrefix(project ident.Hash) []byte { return key(PrefixMergeRequest, project[:]) }

// MergeRequestByRequesterKey is the same merge request under its requester.
func MergeRequestByRequesterKey(owner ident.Address, project, request ident.Hash) []byte {
	return key(PrefixMergeRequestByRequester, owner[:], project[:], request[:])
}

// MergeRequestByRequesterPrefix begins the keys of all merge requests that an account has open.
func MergeRequestByRequesterPrefix(owner ident.Address) []byte {
	return key(PrefixMergeRequestByRequester, owner[:])
}

// ValidatorsKey is the one row that says who validates.
func ValidatorsKey() []byte { return key(PrefixValidators) }

// After is the least key that is greater than every key beginning with prefix, nil when there is none.
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
