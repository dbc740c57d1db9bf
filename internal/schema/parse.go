package schema

import (
	"encoding/binary"
	"fmt"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

// Maximum sizes of the variable parts of a key (P5).
const (
	maxUsername    = 32
	maxProjectName = 100
	maxRefName     = 254
	maxExternal    = 128
)

// Key is a parsed key of the state root. Only the fields of its kind are set.
type Key struct {
	Prefix    Prefix
	Owner     ident.Address
	Project   ident.Hash
	ID        ident.Hash      // commit, merge request or claim
	PublicKey ident.PublicKey // delegated key
	KeyID     ident.Address   // custody key
	Target    ident.Address   // followed account
	Tag       byte            // family, field, link or reaction type, counter
	Name      []byte          // username, project name, ref name or external address
	ExpiresAt uint32
	Removed   *Key // the row that a tombstone or prune marker replaces
}

// reader reads fields from the start of a key and keeps the first error.
type reader struct {
	remaining []byte
	err       error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

func (r *reader) take(what string, dst []byte) {
	if len(r.remaining) < len(dst) {
		r.fail("%s is too short: %d bytes, want %d", what, len(r.remaining), len(dst))
	}
	if r.err == nil {
		r.remaining = r.remaining[copy(dst, r.remaining):]
	}
}

func (r *reader) tag(what string) byte {
	var b [1]byte
	r.take(what, b[:])
	return b[0]
}

func (r *reader) name(what string, most int) []byte {
	if len(r.remaining) == 0 || len(r.remaining) > most {
		r.fail("%s has %d bytes, want 1 to %d", what, len(r.remaining), most)
	}
	name := r.remaining
	r.remaining = nil
	return name
}

// ParseKey parses a key of the state root. Bytes of the result returns the same key.
func ParseKey(k []byte) (Key, error) {
	if len(k) == 0 || !Prefix(k[0]).Merkleized() {
		return Key{}, fmt.Errorf("key %x is not under a prefix of the state root", k)
	}
	parsed := Key{Prefix: Prefix(k[0])}
	r := reader{remaining: k[1:]}
	if parsed.Prefix == PrefixTombstone || parsed.Prefix == PrefixPruneMarker {
		parsed.readRemoved(&r)
	} else {
		parsed.read(&r)
	}
	if len(r.remaining) > 0 {
		r.fail("%d bytes too many", len(r.remaining))
	}
	if r.err != nil {
		return Key{}, fmt.Errorf("key %x: %w", k, r.err)
	}
	return parsed, nil
}

// readRemoved reads the key of the row that a tombstone or a prune marker replaces.
func (k *Key) readRemoved(r *reader) {
	if len(r.remaining) == 0 || !canMark(k.Prefix, Prefix(r.remaining[0])) {
		r.fail("refers to no row that can have a tombstone or prune marker")
		return
	}
	removed, err := ParseKey(r.remaining)
	if err != nil {
		r.fail("removed %w", err)
	}
	k.Removed, r.remaining = &removed, nil
}

// canMark reports whether a row under the prefix active can have a marker, a tombstone or a prune marker.
func canMark(marker, active Prefix) bool {
	return setScope(active) > 0 || (active == PrefixRef || active == PrefixMergeRequest) && marker == PrefixTombstone
}

// read reads the fields after the prefix, in their order.
func (k *Key) read(r *reader) {
	owner := func() { r.take("owner address", k.Owner[:]) }
	project := func() { r.take("project id", k.Project[:]) }
	switch k.Prefix {
	case PrefixAccount:
		owner()
	case PrefixAccountMetadata, PrefixCounter:
		owner()
		k.Tag = r.tag("kind")
	case PrefixKey:
		owner()
		k.readKey(r)
	case PrefixKeyOwner:
		r.take("public key", k.PublicKey[:])
	case PrefixUsername:
		k.Name = r.name("username", maxUsername)
	case PrefixVerification:
		owner()
		k.Name = r.name("external address", maxExternal)
	case PrefixProjectMetadata:
		project()
		k.Tag = r.tag("field")
	case PrefixProjectName:
		owner()
		k.Name = r.name("project name", maxProjectName)
	case PrefixRef:
		project()
		k.Name = r.name("ref name", maxRefName)
	case PrefixCommit:
		project()
		r.take("commit hash", k.ID[:])
	case PrefixCollaborator:
		project()
		owner()
	case PrefixLink:
		owner()
		k.readLink(r)
	case PrefixLinkByTarget:
		k.readLink(r)
		owner()
	case PrefixReaction:
		owner()
		k.readReaction(r)
	case PrefixReactionByTarget:
		k.readReaction(r)
		owner()
	case PrefixStorageGrant:
		owner()
		var expires [4]byte
		r.take("expires_at", expires[:])
		k.ExpiresAt = binary.BigEndian.Uint32(expires[:])
		r.take("claim id", k.ID[:])
	case PrefixClaim:
		r.take("claim id", k.ID[:])
	case PrefixMergeRequest, PrefixClosedMergeRequest:
		project()
		r.take("request id", k.ID[:])
	case PrefixContent:
		project()
		r.take("content digest", k.ID[:])
	case PrefixMergeRequestByRequester:
		owner()
		project()
		r.take("request id", k.ID[:])
	case PrefixValidators, PrefixSettlement, PrefixRules:
	default: // project, fork parent
		project()
	}
}

func (k *Key) readKey(r *reader) {
	k.Tag = r.tag("family")
	switch k.Tag {
	case FamilyDelegated:
		r.take("public key", k.PublicKey[:])
	case FamilyCustody:
		r.take("custody key id", k.KeyID[:])
	default:
		r.fail("unknown key family %d", k.Tag)
	}
}

func (k *Key) readLink(r *reader) {
	k.Tag = r.tag("link type")
	switch pb.LinkType(k.Tag) {
	case pb.LinkType_LINK_TYPE_FOLLOW:
		r.take("target address", k.Target[:])
	case pb.LinkType_LINK_TYPE_STAR:
		r.take("target project", k.Project[:])
	default:
		r.fail("unknown link type %d", k.Tag)
	}
}

func (k *Key) readReaction(r *reader) {
	k.Tag = r.tag("reaction type")
	r.take("project id", k.Project[:])
	r.take("commit hash", k.ID[:])
}

// LinkTarget returns the followed account or the starred project of a link's key.
func (k *Key) LinkTarget() []byte {
	if pb.LinkType(k.Tag) == pb.LinkType_LINK_TYPE_STAR {
		return k.Project[:]
	}
	return k.Target[:]
}

// Bytes returns the encoded key.
func (k *Key) Bytes() []byte {
	switch k.Prefix {
	case PrefixTombstone, PrefixPruneMarker:
		return key(k.Prefix, k.Removed.Bytes())
	case PrefixKey:
		if k.Tag == FamilyCustody {
			return CustodyKeyKey(k.Owner, k.KeyID)
		}
		return DelegatedKeyKey(k.Owner, k.PublicKey)
	case PrefixKeyOwner:
		return KeyOwnerKey(k.PublicKey)
	case PrefixUsername:
		return UsernameKey(string(k.Name))
	case PrefixVerification, PrefixProjectName:
		return key(k.Prefix, k.Owner[:], k.Name)
	case PrefixAccountMetadata, PrefixCounter:
		return key(k.Prefix, k.Owner[:], []byte{k.Tag})
	case PrefixLink:
		return LinkKey(k.Owner, k.Tag, k.LinkTarget())
	case PrefixLinkByTarget:
		return LinkByTargetKey(k.Tag, k.LinkTarget(), k.Owner)
	case PrefixReaction:
		return ReactionKey(k.Owner, k.Tag, k.Project, k.ID)
	case PrefixReactionByTarget:
		return ReactionByTargetKey(k.Tag, k.Project, k.ID, k.Owner)
	case PrefixStorageGrant:
		return StorageGrantKey(k.Owner, k.ExpiresAt, k.ID)
	case PrefixMergeRequestByRequester:
		return MergeRequestByRequesterKey(k.Owner, k.Project, k.ID)
	case PrefixProjectMetadata:
		return ProjectMetadataKey(k.Project, k.Tag)
	case PrefixRef:
		return RefKey(k.Project, k.Name)
	case PrefixCommit, PrefixMergeRequest, PrefixClosedMergeRequest, PrefixContent:
		return key(k.Prefix, k.Project[:], k.ID[:])
	case PrefixCollaborator:
		return CollaboratorKey(k.Project, k.Owner)
	case PrefixClaim:
		return ClaimKey(k.ID)
	case PrefixAccount:
		return AccountKey(k.Owner)
	case PrefixValidators, PrefixSettlement, PrefixRules:
		return key(k.Prefix)
	default: // project, fork parent
		return key(k.Prefix, k.Project[:])
	}
}
