package gitrepo

import (
	"encoding/hex"
	"fmt"

	"makechain/internal/ident"
)

// Lengths of git's object ids in bytes.
const (
	sha1Size   = 20
	sha256Size = 32
)

// FromID gives the hash by which the chain knows a git object. A SHA-1 id is its first 20 bytes and the other 12 are
// zero; a SHA-256 id is the hash. So ids can be read back, and a short git id is a short hash.
func FromID(id string) (ident.Hash, error) {
	var hash ident.Hash
	if len(id) != hex.EncodedLen(sha1Size) && len(id) != hex.EncodedLen(sha256Size) {
		return ident.Hash{}, fmt.Errorf("%q is no git object id: %d digits, want %d or %d",
			id, len(id), hex.EncodedLen(sha1Size), hex.EncodedLen(sha256Size))
	}
	if _, err := hex.Decode(hash[:], []byte(id)); err != nil {
		return ident.Hash{}, fmt.Errorf("%q is no git object id: %w", id, err)
	}
	return hash, nil
}

// ToID gives the git id of a hash, as FromID reads it. A hash that ends in 12 zero bytes is that of a SHA-1 id.
func ToID(hash ident.Hash) string {
	if ident.Hash(append(hash[:sha1Size:sha1Size], make([]byte, sha256Size-sha1Size)...)) == hash {
		return hex.EncodeToString(hash[:sha1Size])
	}
	return hex.EncodeToString(hash[:])
}
