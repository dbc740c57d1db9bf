package gitrepo

import (
	"encoding/hex"
	"fmt"

	"makechain/internal/ident"
)

// Sizes of git's object ids in bytes.
const (
	sha1Size   = 20
	sha256Size = 32
)

// FromID returns the hash that identifies a git object on the chain: a SHA-256 id as it is, a SHA-1 id followed by 12
// zero bytes. So ToID can restore the id, and an abbreviated git id is an abbreviated hash.
func FromID(id string) (ident.Hash, error) {
	var hash ident.Hash
	if len(id) != hex.EncodedLen(sha1Size) && len(id) != hex.EncodedLen(sha256Size) {
		return ident.Hash{}, fmt.Errorf("%q is not a git object id: %d digits, want %d or %d",
			id, len(id), hex.EncodedLen(sha1Size), hex.EncodedLen(sha256Size))
	}
	if _, err := hex.Decode(hash[:], []byte(id)); err != nil {
		return ident.Hash{}, fmt.Errorf("%q is not a git object id: %w", id, err)
	}
	return hash, nil
}

// ToID returns the git id of a hash. A hash that ends in 12 zero bytes is that of a SHA-1 id.
func ToID(hash ident.Hash) string {
	if ident.Hash(append(hash[:sha1Size:sha1Size], make([]byte, sha256Size-sha1Size)...)) == hash {
		return hex.EncodeToString(hash[:sha1Size])
	}
	return hex.EncodeToString(hash[:])
}
