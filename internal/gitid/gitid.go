// Package gitid converts between the ids of git objects and the hashes that identify them on the chain: a SHA-256 id is
// its own hash, a SHA-1 id is followed by 12 zero bytes. So the conversion can be reversed, and an abbreviated git id is
// an abbreviated hash.
package gitid

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

// Parse returns the hash of a git object id in hexadecimal digits.
func Parse(id string) (ident.Hash, error) {
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

// String returns the git id of a hash. A hash that ends in 12 zero bytes is that of a SHA-1 id.
func String(hash ident.Hash) string {
	if ident.Hash(append(hash[:sha1Size:sha1Size], make([]byte, sha256Size-sha1Size)...)) == hash {
		return hex.EncodeToString(hash[:sha1Size])
	}
	return hex.EncodeToString(hash[:])
}
