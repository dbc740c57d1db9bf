package schema

import "makechain/internal/ident"

// Scope returns the prefix that a key of the state root shares with the other rows of its kind that belong to the same
// account or project. It is nil for kinds with one row per account or project.
func Scope(k []byte) []byte {
	if len(k) == 0 {
		return nil
	}
	size := 0
	switch Prefix(k[0]) {
	case PrefixTombstone, PrefixPruneMarker:
		size = len(Scope(k[1:]))
	case PrefixAccountMetadata, PrefixKey, PrefixVerification, PrefixProjectName, PrefixLink, PrefixReaction,
		PrefixCounter, PrefixStorageGrant, PrefixMergeRequestByRequester:
		size = ident.AddressSize
	case PrefixProjectMetadata, PrefixRef, PrefixCommit, PrefixCollaborator, PrefixMergeRequest, PrefixClosedMergeRequest,
		PrefixContent:
		size = ident.HashSize
	case PrefixLinkByTarget:
		size = len(k) - 1 - ident.AddressSize
	case PrefixReactionByTarget:
		size = 1 + ident.HashSize
	}
	if size <= 0 || len(k) <= 1+size {
		return nil
	}
	return k[:1+size]
}

// InnerScope returns a longer prefix than Scope, for kinds of which an account or project has rows in groups that share one: the
// reactions of an account to commits of one project, and those to one commit. It is nil for other kinds.
func InnerScope(k []byte) []byte {
	if len(k) == 0 {
		return nil
	}
	size := 0
	switch Prefix(k[0]) {
	case PrefixTombstone, PrefixPruneMarker:
		size = len(InnerScope(k[1:]))
	case PrefixReaction:
		size = ident.AddressSize + 1 + ident.HashSize
	case PrefixReactionByTarget:
		size = 1 + 2*ident.HashSize
	}
	if size <= 0 || len(k) <= 1+size {
		return nil
	}
	return k[:1+size]
}
