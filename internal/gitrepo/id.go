package gitrepo

import (
	"makechain/internal/gitid"
	"makechain/internal/ident"
)

// FromID returns the hash that identifies a git object on the chain.
func FromID(id string) (ident.Hash, error) { return gitid.Parse(id) }

// ToID returns the git id of a hash.
func ToID(hash ident.Hash) string { return gitid.String(hash) }
